package ecs

import (
	"slices"
)

// Target names the entities that a change is for: [One], those of a list ([Entities]), those [Matching] a
// query, or those [LinkedTo] one. The verbs AddAll, SetAll, SetEnabledAll, AddTypes,
// RemoveTypes, DestroyAll and Exchange take it, of a World as of a Commands buffer. It keeps
// what it was given: a list may not change before the call that takes the target.
type Target struct {
	kind   targetKind
	entity Entity   // one, or the root of a group
	ids    []Entity // a list
	query  *Query   // what matches, or the mask of a group; nil is no mask
}

// targetKind says which entities a change is for.
type targetKind uint8

const (
	toOne targetKind = iota
	toList
	toMatching
	toLinked
)

// targetNames are what follows the name of a command in errors.
var targetNames = [...]string{toOne: "", toList: " of a list", toMatching: " of a query", toLinked: " of a linked group"}

// One is the target that is e alone.
func One(e Entity) Target { return Target{entity: e} }

// Entities is the target that is the entities ids. Repeated ones count once.
func Entities(ids []Entity) Target { return Target{kind: toList, ids: ids} }

// Matching is the target that is all entities that q matches, filters heeded, whole chunks at
// a time where that can be. A Commands buffer asks q at playback.
func Matching(q *Query) Target { return Target{kind: toMatching, query: q} }

// LinkedTo is the target that is those in the [LinkedGroup] of e, itself included, that mask
// matches, if filters and what is on or off are ignored; with nil for a mask it is all of
// them. Those that do not exist are left out, and without a group it is none. The error of
// a change is of category ErrArgument if e does not exist; a Commands buffer finds that out,
// and asks mask, at playback.
func LinkedTo(e Entity, mask *Query) Target { return Target{kind: toLinked, entity: e, query: mask} }

// AddAll gives all of a target the component v, or overwrites those they have. With a shared
// component whole chunks are relabelled. If one of a list does not exist the error is of
// category ErrArgument and nothing is changed; a Commands buffer finds that out at playback.
// So it is if v is a handle to the buffer of an entity; a Commands buffer copies
// the elements.
func AddAll[T any, D WorldOrCommands](to D, at Target, v T) error {
	const op = "AddAll"
	switch to := any(to).(type) {
	case *World:
		return addNowTo(op, to, at, &v)
	case *Commands:
		return recordValueTo(op, to, opAdd, at, &v)
	}
	return nil
}

// SetAll gives all of a target the value v of a component that they have. The error is of
// category ErrArgument, and nothing is changed, if one of a list, or of what a query matches,
// has no T; those in a linked group that have none are left out.
// All else is as with [AddAll].
func SetAll[T any, D WorldOrCommands](to D, at Target, v T) error {
	const op = "SetAll"
	switch to := any(to).(type) {
	case *World:
		return setNowTo(op, to, at, &v)
	case *Commands:
		return recordValueTo(op, to, opSet, at, &v)
	}
	return nil
}

// SetEnabledAll turns the T of all of a target on or off: of all rows of the chunks that a
// query matches, those included whose bits it does not match; filters by change and shared
// value are heeded. It first completes jobs that touch T, or write what the query looks at
// for changes. The error is of category ErrArgument, and nothing is changed, if T is not
// enableable or one of the list or the query has none; those in a linked group that have
// none are left out. A Commands buffer finds that out at playback.
func SetEnabledAll[T any, D WorldOrCommands](to D, at Target, on bool) error {
	const op = "SetEnabledAll"
	switch to := any(to).(type) {
	case *World:
		c, err := componentIn[T](to, op)
		if err != nil {
			return err
		}
		return to.switchTarget(op, at, c, on)
	case *Commands:
		if err := to.aim(op, at); err != nil {
			return err
		}
		c, err := recorded[T](to, op)
		if err != nil {
			return err
		}
		cmd := command{op: opSetEnabled, comp: int32(c.index)}
		if on {
			cmd.n = 1
		}
		to.record(cmd, at)
	}
	return nil
}

// AddTypes adds the types of the terms to all of a target, in one move each; those that they
// have are kept, and chunks of a query that have them all are left alone. Where the new types
// take no memory chunks of a query are relabelled where they are, whole. If one of a
// list does not exist the error is of category ErrArgument and nothing is changed.
func AddTypes[D WorldOrCommands](to D, at Target, terms ...Term) error {
	return editTypes("AddTypes", opAddTypes, to, at, terms)
}

// RemoveTypes takes the types of the terms from all of a target, in one move each. Entities
// that do not exist have none, which is no error; but a Commands buffer refuses the null id when
// it is recorded, with one of category ErrState.
func RemoveTypes[D WorldOrCommands](to D, at Target, terms ...Term) error {
	return editTypes("RemoveTypes", opRemoveTypes, to, at, terms)
}

// editTypes is AddTypes and RemoveTypes.
func editTypes[D WorldOrCommands](op string, code opcode, to D, at Target, terms []Term) error {
	switch to := any(to).(type) {
	case *World:
		if to == nil {
			return noWorld(op)
		}
		set, err := to.types.typesOf(op, terms)
		if err != nil {
			return err
		}
		if code == opAddTypes {
			return to.changeTarget(op, at, true, set, nil)
		}
		return to.changeTarget(op, at, false, nil, set)
	case *Commands:
		if err := to.aim(op, at); err != nil {
			return err
		}
		cmd, err := to.typesOf(op, code, terms)
		if err != nil {
			return err
		}
		to.record(cmd, at)
	}
	return nil
}

// DestroyAll ends all of a target, as World.Destroy does: those of a list in order, and then
// what is in their groups; null, dead and repeated ones are ignored. A Commands buffer refuses a
// null id when it is recorded, with an error of category ErrState, and ignores dead and repeated
// ones at playback. If one is an id that this
// world cannot have given the error is of category ErrArgument and nothing is
// destroyed. So it is if a query matches an entity that has a [LinkedGroup], but not all
// of its parts.
func DestroyAll[D WorldOrCommands](to D, at Target) error {
	const op = "DestroyAll"
	switch to := any(to).(type) {
	case *World:
		if to == nil {
			return noWorld(op)
		}
		return to.destroyTarget(op, at)
	case *Commands:
		if err := to.aim(op, at); err != nil {
			return err
		}
		to.record(command{op: opDestroy}, at)
	}
	return nil
}

// Exchange takes the component Old from all of a target and gives them v, in one move each:
// what is Remove and then Add moves a row twice. Those that have no Old are given v all the
// same, and v overwrites what they have of its type. The error is of category ErrArgument,
// and nothing is changed, if both are of one type, if v is a shared component, which has
// its own move, or where [AddAll] says.
//
//	err := ecs.Exchange[Walking](w, ecs.One(e), Running{Speed: 3})
func Exchange[Old, New any, D WorldOrCommands](to D, at Target, v New) error {
	const op = "Exchange"
	switch to := any(to).(type) {
	case *World:
		return exchangeNow[Old](op, to, at, &v)
	case *Commands:
		return recordExchange[Old](op, to, at, &v)
	}
	return nil
}

// addNowTo gives all of a target the value *v.
func addNowTo[T any](op string, w *World, at Target, v *T) error {
	switch at.kind {
	case toOne:
		return addNow(w, at.entity, v)
	case toMatching:
		return addMatchingNow(op, w, at.query, v)
	}
	if w == nil {
		return noWorld(op)
	}
	ids, err := w.idsOf(op, at, nil, nil)
	if err != nil {
		return err
	}
	return addAllNow(op, w, ids, v)
}

// setNowTo gives all of a target, which has a T, the value *v.
func setNowTo[T any](op string, w *World, at Target, v *T) error {
	if at.kind == toOne {
		return setNow(op, w, at.entity, v)
	}
	c, err := componentIn[T](w, op)
	if err != nil {
		return err
	}
	if at.kind == toLinked {
		ids, err := w.idsOf(op, at, c, nil)
		if err != nil {
			return err
		}
		return addAllNow(op, w, ids, v)
	}
	if err := w.allHave(op, at, c); err != nil {
		return err
	}
	return addNowTo(op, w, at, v)
}

// exchangeNow takes Old from all of a target and gives them *v.
func exchangeNow[Old, New any](op string, w *World, at Target, v *New) error {
	old, err := componentIn[Old](w, op)
	if err != nil {
		return err
	}
	c, err := componentForMany(op, w, v)
	if err != nil {
		return err
	}
	if err := exchangeable(old, c); err != "" {
		return w.gate.fault(ErrArgument, op, "%s", err).on(c)
	}
	var ids []Entity
	if at.kind == toMatching {
		if err := w.own(op, at.query); err != nil {
			return err
		}
		ids = at.query.AppendEntities(nil)
	} else if ids, err = w.idsOf(op, at, nil, nil); err != nil {
		return err
	}
	w.shared.holdNotices()
	defer w.shared.letNotices()
	if err := w.changeTarget(op, at, true, []*component{c}, []*component{old}); err != nil {
		return err
	}
	return assignAll(op, w, ids, v)
}

// exchangeable says why the one component cannot be exchanged for the other; "" if it can.
func exchangeable(old, c *component) string {
	switch {
	case old == c:
		return "the component is exchanged for itself: use SetAll"
	case c.kind.has(isShared):
		return "the value of a shared component is part of where its rows are: use RemoveTypes and AddAll"
	}
	return ""
}

// addAllNow gives entities the value *v.
func addAllNow[T any](op string, w *World, ids []Entity, v *T) error {
	c, err := componentForMany(op, w, v)
	if err != nil {
		return err
	}
	if err := w.allExist(op, ids); err != nil {
		return err
	}
	if !c.kind.has(isShared) {
		if err := w.changeAll(op, ids, []*component{c}, nil); err != nil {
			return err
		}
		return assignAll(op, w, ids, v)
	}
	return w.shareAll(op, ids, c, *v)
}

// componentForMany returns the component T of a value that many entities are to
// have, in a change that ends the life of handles.
func componentForMany[T any](op string, w *World, v *T) (*component, error) {
	c, err := componentIn[T](w, op)
	if err == nil && c.kind.has(isBuffer) && contentIsHandle(v) {
		err = w.foreign(op, c, place(v))
	}
	return c, err
}

// addMatchingNow gives what q matches the value *v.
func addMatchingNow[T any](op string, w *World, q *Query, v *T) error {
	c, err := componentForMany(op, w, v)
	if err != nil {
		return err
	}
	if c.kind.has(isShared) {
		return w.shareMatching(op, q, c, *v)
	}
	if err := w.own(op, q); err != nil {
		return err
	}
	ids := q.AppendEntities(nil)
	if err := w.changeMatching(op, q, []*component{c}, nil); err != nil {
		return err
	}
	return assignAll(op, w, ids, v)
}

// assignAll overwrites the T of entities that have one.
func assignAll[T any](op string, w *World, ids []Entity, v *T) error {
	for _, e := range ids {
		s := w.tables.entities.find(e)
		r := w.tables.records[s.record]
		i := r.arch.find(keyOf[T]())
		if r.arch.columns[i].comp.kind.has(isTag) {
			return nil
		}
		if err := assign(op, w, r, i, int(s.row), v); err != nil {
			return err
		}
	}
	return nil
}

// changeTarget adds and removes sets of components of a target. There is an error if one of a list
// does not exist and all must.
func (w *World) changeTarget(op string, at Target, must bool, add, remove []*component) error {
	if at.kind == toMatching {
		return w.changeMatching(op, at.query, add, remove)
	}
	if at.kind == toOne {
		if !must && w.tables.entities.find(at.entity) == nil {
			return w.gate.open(op)
		}
		_, err := w.changeTypes(op, at.entity, add, remove)
		return err
	}
	ids, err := w.idsOf(op, at, nil, nil)
	if err != nil {
		return err
	}
	if must {
		if err := w.allExist(op, ids); err != nil {
			return err
		}
	}
	return w.changeAll(op, ids, add, remove)
}

// idsOf returns the entities of a target that is no query, of a linked group those that have
// c; nil is any. What it has to gather it appends to ids.
func (w *World) idsOf(op string, at Target, c *component, ids []Entity) ([]Entity, error) {
	switch at.kind {
	case toOne:
		return append(ids, at.entity), nil
	case toLinked:
		return w.linkedOf(op, at.entity, at.query, c, ids)
	}
	return at.ids, nil
}

// destroyTarget ends a target.
func (w *World) destroyTarget(op string, at Target) error {
	if at.kind == toMatching {
		return w.destroyMatching(op, at.query)
	}
	ids, err := w.idsOf(op, at, nil, nil)
	if err != nil {
		return err
	}
	return w.destroyAll(op, ids)
}

// switchTarget turns a component of a target on or off.
func (w *World) switchTarget(op string, at Target, c *component, on bool) error {
	switch at.kind {
	case toMatching:
		return w.setEnabledMatching(op, at.query, c, on)
	case toOne:
		return w.setEnabled(op, at.entity, c, on)
	}
	if !c.kind.has(isEnableable) {
		return w.gate.fault(ErrArgument, op, notEnableable).on(c)
	}
	ids, err := w.idsOf(op, at, c, nil)
	if err != nil {
		return err
	}
	for _, e := range ids {
		if _, _, _, err := w.switchOf(op, e, c); err != nil {
			return err
		}
	}
	if err := w.await(op, c, true); err != nil {
		return err
	}
	for _, e := range ids {
		if err := w.setEnabled(op, e, c, on); err != nil {
			return err
		}
	}
	return nil
}

// allHave returns an error if one of a list, or a chunk of what a query matches, lacks c, or
// c has no values.
func (w *World) allHave(op string, at Target, c *component) error {
	if c.kind.has(isTag) {
		return w.gate.fault(ErrArgument, op, "a tag has no data: use AddTypes and RemoveTypes").on(c)
	}
	if at.kind == toMatching {
		return w.matchesHave(op, at.query, c)
	}
	for _, e := range at.ids {
		s := w.tables.entities.find(e)
		if s == nil {
			return w.entityError(op, e)
		}
		if a := w.tables.records[s.record].arch; !a.has(c) {
			return w.gate.fault(ErrArgument, op, "the entity has no such component, it has %v: use AddAll", a).of(e).on(c)
		}
	}
	return nil
}

// matchesHave returns an error if a chunk that q would show lacks c.
func (w *World) matchesHave(op string, q *Query, c *component) error {
	if err := w.own(op, q); err != nil {
		return err
	}
	for _, m := range q.matches {
		if m.arch.has(c) {
			continue
		}
		if slices.ContainsFunc(m.look(&w.tables), func(r *record) bool { return m.passes(r, q.since) }) {
			return w.gate.fault(ErrArgument, op, "the query matches %v, which lacks the component: add With to its terms", m.arch).on(c)
		}
	}
	return nil
}

// allExist returns an error if one of the entities does not exist.
func (w *World) allExist(op string, ids []Entity) error {
	for _, e := range ids {
		if !w.exists(e) {
			return w.entityError(op, e)
		}
	}
	return nil
}

// changeAll edits the types of entities, in runs of rows.
func (w *World) changeAll(op string, ids []Entity, add, remove []*component) error {
	if len(ids) == 0 || len(add)+len(remove) == 0 {
		return w.gate.open(op)
	}
	if err := w.canChange(op); err != nil {
		return err
	}
	// Every archetype must be possible before the first row moves.
	for rest := ids; len(rest) > 0; {
		s, n := w.tables.run(rest)
		rest = rest[n:]
		if s.rec != nil {
			if _, err := w.tables.edit(op, s.rec.arch, add, remove); err != nil {
				return err
			}
		}
	}
	if err := w.commit(op); err != nil {
		return err
	}
	var from *archetype
	var m *move // from there
	for len(ids) > 0 {
		s, n := w.tables.run(ids)
		ids = ids[n:]
		if s.rec == nil {
			continue
		}
		if s.rec.arch != from {
			from = s.rec.arch
			m, _ = w.tables.edit(op, from, add, remove)
		}
		if m != nil {
			w.shrink(m, s)
		}
	}
	w.finish()
	return nil
}

// changeMatching edits the types of what a query matches, in whole chunks where
// it can.
func (w *World) changeMatching(op string, q *Query, add, remove []*component) error {
	if err := w.choose(op, q); err != nil {
		return err
	}
	var from *archetype
	for _, s := range w.queries.runs { // all must be possible before the first row moves
		if s.rec.arch != from {
			from = s.rec.arch
			if _, err := w.tables.edit(op, from, add, remove); err != nil {
				return err
			}
		}
	}
	if err := w.commit(op); err != nil {
		return err
	}
	from = nil
	var m *move // from there
	for _, s := range w.queries.runs {
		if s.rec.arch != from {
			from = s.rec.arch
			m, _ = w.tables.edit(op, from, add, remove)
		}
		switch {
		case m == nil:
		case m.to.awaitsCleanup && !m.to.kinds.has(isCleanup):
			w.tables.endRows(s)
		case m.relabel && s.n == s.rec.n:
			w.tables.relabelChunk(m, s.rec, m.group(s.rec))
		default:
			w.tables.moveRows(m, s, m.group(s.rec))
		}
	}
	w.finish()
	return nil
}
