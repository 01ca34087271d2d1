package ecs

import (
	"reflect"
	"slices"
)

// command is one recorded change.
type command struct {
	entity         Entity // the target, or the source of Instantiate
	valueIndex     int    // index of the value in valueBytes or boxedValues, or of the set in typeSets
	valueCount     int32  // number of elements of the value, or of types in the set; SetEnabled and SetActive: 1 is on, 0 off
	componentIndex int32  // index of the component or the archetype
	createdIndex   int32  // Create, Spawn, Instantiate: index of the new entity in createdIDs; Exchange: index of the removed component
	targetIndex    int32  // index of its first entity in targetIDs, or of its query in targetQueries
	targetCount    int32  // number of its entities in targetIDs
	opcode         opcode
	targetKind     targetKind
}

// opcode is the kind of change that a command makes.
type opcode uint8

const (
	opCreate opcode = iota
	opSpawn
	opInstantiate
	opDestroy
	opAdd
	opSet
	opAppend
	opEnsure
	opRemove
	opAddTypes
	opRemoveTypes
	opSetEnabled
	opSetActive
	opSetArchetype
	opExchange
)

// opNames holds the name of the function that makes the same change immediately, because errors
// show this name.
var opNames = [...]string{opCreate: "Create", opSpawn: "Spawn", opInstantiate: "Instantiate", opDestroy: "Destroy", opAdd: "Add", opSet: "Set", opAppend: "AppendBuffer",
	opEnsure: "Ensure", opRemove: "Remove", opAddTypes: "AddTypes", opRemoveTypes: "RemoveTypes", opSetEnabled: "SetEnabled",
	opSetActive: "SetActive", opSetArchetype: "SetArchetype", opExchange: "Exchange"}

// recordedComponent returns the component T. recordedComponent first searches the components that the
// buffer has used, and then asks the registry.
func recordedComponent[T any](c *Commands, op string) (*component, error) {
	k := keyOf[T]()
	for _, own := range c.usedComponents {
		if own.key == k {
			return own, nil
		}
	}
	return c.component(op, k, reflect.TypeFor[T]())
}

// component returns the component with key k and type t, and remembers it in usedComponents.
func (c *Commands) component(op string, k key, t reflect.Type) (*component, error) {
	for _, own := range c.usedComponents {
		if own.key == k {
			return own, nil
		}
	}
	own, err := componentOf(op, t)
	if err == nil {
		c.usedComponents = append(c.usedComponents, own)
	}
	return own, err
}

// componentOfType does the work of component for the type of a value in an interface. It searches only the first
// of the components that the buffer has used, because with many components a look-up in the registry is faster.
func (c *Commands) componentOfType(op string, t reflect.Type) (*component, error) {
	const few = 16
	for _, own := range c.usedComponents[:min(len(c.usedComponents), few)] {
		if sameType(own.typ, t) {
			return own, nil
		}
	}
	own, err := componentOf(op, t)
	if err == nil && len(c.usedComponents) < few {
		c.usedComponents = append(c.usedComponents, own)
	}
	return own, err
}

// appendCommand appends an empty command and returns it, so that the caller can fill it in place.
// Building a command on the stack and copying it is slower. The reason is that the copy reads wider
// pieces than the stack writes, so the CPU must wait until the writes are complete.
func (c *commandList) appendCommand(code opcode) *command {
	c.commands = append(c.commands, command{})
	cmd := &c.commands[len(c.commands)-1]
	cmd.opcode = code
	return cmd
}

// recordValue records a command with a value of type T.
func recordValue[T any](c *Commands, code opcode, e Entity, v *T) error {
	op := opNames[code]
	if err := c.checkEntity(op, e); err != nil {
		return err
	}
	comp, err := recordedComponent[T](c, op)
	if err != nil {
		return err
	}
	at, n := storeValue(c, comp, v)
	cmd := c.appendCommand(code)
	cmd.entity, cmd.componentIndex, cmd.valueIndex, cmd.valueCount = e, int32(comp.index), at, n
	return nil
}

// newValueCommand returns a command with a copy of a value of type T, but does not append it.
func newValueCommand[T any](op string, c *Commands, code opcode, v *T) (command, error) {
	comp, err := recordedComponent[T](c, op)
	if err != nil {
		return command{}, err
	}
	at, n := storeValue(c, comp, v)
	return command{opcode: code, componentIndex: int32(comp.index), valueIndex: at, valueCount: n}, nil
}

// storeValue copies a value of type T into the buffer. It returns the index of the copy, and the
// number of elements if T is a Buffer.
func storeValue[T any](c *Commands, comp *component, v *T) (at int, n int32) {
	switch {
	case comp.kind&(isShared|isManaged) != 0:
		c.boxedValues = append(c.boxedValues, *v)
		return len(c.boxedValues) - 1, 0
	case comp.kind.has(isBuffer):
		values, n := bufferContent(v, comp.buffer.elemSize)
		return c.appendBytes(values), int32(n)
	}
	at = c.appendZeros(int(comp.size))
	if comp.size > 0 {
		*valueAt[T](c.valueBytes, at) = *v
	}
	return at, 0
}

// recordAppend records that elements are appended to an entity's Buffer[T].
func recordAppend[T any](c *Commands, e Entity, elements []T) error {
	op := opNames[opAppend]
	if err := c.checkEntity(op, e); err != nil {
		return err
	}
	comp, err := recordedComponent[Buffer[T]](c, op)
	if err != nil {
		return err
	}
	at := c.appendBytes(sliceBytes(elements))
	cmd := c.appendCommand(opAppend)
	cmd.entity, cmd.componentIndex, cmd.valueIndex, cmd.valueCount = e, int32(comp.index), at, int32(len(elements))
	return nil
}

// recordType records a command with the type T and no value.
func recordType[T any](c *Commands, code opcode, e Entity) error {
	op := opNames[code]
	if err := c.checkEntity(op, e); err != nil {
		return err
	}
	comp, err := recordedComponent[T](c, op)
	if err != nil {
		return err
	}
	cmd := c.appendCommand(code)
	cmd.entity, cmd.componentIndex = e, int32(comp.index)
	return nil
}

// recordEnabled records that a component is turned on or off.
func recordEnabled[T any](c *Commands, e Entity, on bool) error {
	if err := recordType[T](c, opSetEnabled, e); err != nil || !on {
		return err
	}
	c.commands[len(c.commands)-1].valueCount = 1
	return nil
}

// newTypesCommand returns a command with a set of types, which it copies into the buffer.
func (c *Commands) newTypesCommand(op string, code opcode, terms []Term) (command, error) {
	at := len(c.typeSets)
	for _, t := range terms {
		if t.typ == nil || t.mode > modeWith { // Read, Write and With are the first modes, and all three name a type here
			c.typeSets = c.typeSets[:at]
			return command{}, c.fault(ErrArgument, op, "%v is no type of an archetype: use With", t)
		}
		comp, err := c.component(op, typeKey(t.typ), t.typ)
		if err != nil {
			c.typeSets = c.typeSets[:at]
			return command{}, err
		}
		c.typeSets = append(c.typeSets, int32(comp.index))
	}
	return command{opcode: code, valueIndex: at, valueCount: int32(len(terms))}, nil
}

// minValueBytes is the initial size of the memory for values, in bytes. Values must be aligned to 8
// bytes, and Go aligns a block of this size to 8 bytes.
const minValueBytes = 256

// appendBytes copies a value into valueBytes and returns its index.
func (c *commandList) appendBytes(value []byte) int {
	at := c.appendZeros(len(value))
	copy(c.valueBytes[at:], value)
	return at
}

// appendZeros appends n zero bytes to valueBytes and returns their index, which is a multiple of 8.
func (c *commandList) appendZeros(n int) int {
	if c.valueBytes == nil {
		c.valueBytes = make([]byte, 0, minValueBytes)
	}
	at, room := len(c.valueBytes), (n+7)&^7
	if cap(c.valueBytes)-at < room {
		c.valueBytes = slices.Grow(c.valueBytes, room)
	}
	c.valueBytes = c.valueBytes[:at+room]
	if n < room {
		clear(c.valueBytes[at+room-8:])
	}
	return at
}

// storeArchetype stores an archetype for a command and returns its index in boxedValues.
func storeArchetype(c *Commands, a *archetype) (at int) {
	c.boxedValues = append(c.boxedValues, a)
	return len(c.boxedValues) - 1
}
