package ecs

import "reflect"

// UntypedCommands records commands for components whose types a program knows only at run time, as [Untyped] changes
// them at once. Inspectors and editors need it. If a program names its types in Go, it should use the
// functions of the same names. For types without a value, and for whole entities, use [AddTypes], [RemoveTypes] and the
// methods of [Commands]. The errors for recording in a buffer are those of the functions of the same names.
type UntypedCommands struct {
	commands *Commands
}

// Untyped returns the methods of c for components whose types are known only at run time.
func (c *Commands) Untyped() UntypedCommands { return UntypedCommands{c} }

// Add records that the component of type t of e is set to v. If e does not have the component at playback, Add adds it.
// The value has the form that [Untyped.Get] returns: a slice of the elements for a buffer, the value of the chunk for a
// [PerChunk]. The buffer copies the value. The error is of category [ErrArgument] if t is not a component, or if the value is of another type.
func (u UntypedCommands) Add(e Entity, t reflect.Type, v any) error {
	return u.record("UntypedCommands.Add", opAdd, e, t, v)
}

// Set records that the component of type t of e is set to v. It is like [UntypedCommands.Add], but playback returns an
// error if e does not have the component.
func (u UntypedCommands) Set(e Entity, t reflect.Type, v any) error {
	return u.record("UntypedCommands.Set", opSet, e, t, v)
}

// SetEnabled records that the component of type t of e is turned on or off. The error is of category [ErrArgument] if t
// is not a component.
func (u UntypedCommands) SetEnabled(e Entity, t reflect.Type, on bool) error {
	const op = "UntypedCommands.SetEnabled"
	c := u.commands
	comp, err := c.untypedComponent(op, e, t)
	if err != nil {
		return err
	}
	cmd := c.appendCommand(opSetEnabled)
	if cmd.entity, cmd.componentIndex = e, int32(comp.index); on {
		cmd.valueCount = 1
	}
	return nil
}

// record records a command with a value.
func (u UntypedCommands) record(op string, code opcode, e Entity, t reflect.Type, v any) error {
	c := u.commands
	comp, err := c.untypedComponent(op, e, t)
	if err != nil {
		return err
	}
	want := t
	if comp.kind.has(isBuffer) {
		want = reflect.SliceOf(comp.buffer.elem)
	}
	if reflect.TypeOf(v) != want {
		return c.fault(ErrArgument, op, "the value is of type %v, not %v", reflect.TypeOf(v), want).forEntity(e).forComponent(comp)
	}
	at, n := 0, 0
	switch {
	case comp.kind&(isShared|isManaged) != 0:
		at, c.boxedValues = len(c.boxedValues), append(c.boxedValues, v)
	case comp.kind.has(isBuffer):
		list := reflect.ValueOf(v)
		if n = list.Len(); n > 0 {
			at = c.appendBytes(newBytes(list, uintptr(n*comp.buffer.elemSize)))
		}
	case comp.size > 0:
		at = c.appendBytes(boxBytes(v, comp.size))
	}
	cmd := c.appendCommand(code)
	cmd.entity, cmd.componentIndex, cmd.valueIndex, cmd.valueCount = e, int32(comp.index), at, int32(n)
	return nil
}

// untypedComponent returns the component of type t, for a command about e.
func (c *Commands) untypedComponent(op string, e Entity, t reflect.Type) (*component, error) {
	if err := c.checkEntity(op, e); err != nil {
		return nil, err
	}
	if t == nil {
		return nil, c.fault(ErrArgument, op, "the type is nil").forEntity(e)
	}
	return c.component(op, typeKey(t), t)
}

// Created returns the entity that the last playback has created for an id that Create, Spawn or Instantiate has returned.
// It returns e itself if e is the id of an entity that exists already. The error is of category [ErrState] if the buffer was
// not played or has failed, or if the id is from another buffer or from before Reset.
func (c *Commands) Created(e Entity) (Entity, error) {
	const op = "Commands.Created"
	switch {
	case c == nil || c.world == nil:
		return Entity{}, fault(ErrState, op, "the buffer is the zero Commands: make it with World.NewCommands")
	case e.Index >= 0:
		return e, nil
	case !c.played || c.hasFailed:
		return Entity{}, c.fault(ErrState, op, "the buffer was not played, or has failed: call Playback before").forEntity(e)
	}
	by, k := c.creatorOf(e)
	if by == nil || by.createdIDs[k].Index < 0 || by.createdIDs[k].IsZero() {
		return Entity{}, c.fault(ErrState, op, "the entity is one that another buffer was to make, or this one before it was Reset").forEntity(e)
	}
	return by.createdIDs[k], nil
}
