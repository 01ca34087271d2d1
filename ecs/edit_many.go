package ecs

import (
	"slices"
)

// Target is the set of entities that a call changes. A Target is [One] entity, a list of
// [Entities], the entities [Matching] a query, or the entities [LinkedTo] another entity. The
// functions AddAll, SetAll, SetEnabledAll, AddTypes, RemoveTypes, DestroyAll and Exchange take a
// Target, for a World and for a Commands buffer. A Target does not copy a list, so the list must
// not change before the call.
type Target struct {
	kind   targetKind
	entity Entity   // the entity, or the root of a linked group
	ids    []Entity // the list
	query  *Query   // the query, or the mask of a linked group; a nil mask selects all
}

// targetKind is the kind of a Target.
type targetKind uint8

const (
	targetOne targetKind = iota
	targetList
	targetMatching
	targetLinked
)

// targetSuffixes holds the words that errors append to the name of a command, for each kind of
// target.
var targetSuffixes = [...]string{targetOne: "", targetList: " of a list", targetMatching: " of a query", targetLinked: " of a linked group"}

// One returns the target that consists of e alone.
func One(e Entity) Target { return Target{entity: e} }

// Entities returns a target for a list of entities. An id that occurs several times has the same
// effect as an id that occurs once.
func Entities(ids []Entity) Target { return Target{kind: targetList, ids: ids} }

// Matching returns the target that consists of all entities that q matches, including the
// conditions of its filters. If all rows of a chunk match, most calls change the whole chunk at
// once, which is much faster. A Commands buffer evaluates q at playback.
func Matching(q *Query) Target { return Target{kind: targetMatching, query: q} }

// LinkedTo returns the target that consists of the entities in the [LinkedGroup] of e, including e,
// that the query mask matches. If mask is nil, the target consists of all entities of the group.
// The filters of mask, and the states of enableable components, are ignored. Entities that do not
// exist are skipped. If e has no group, the target is empty. If e does not exist, the call that
// takes the target returns an error of category ErrArgument. A Commands buffer evaluates the group
// and mask at playback.
func LinkedTo(e Entity, mask *Query) Target {
	return Target{kind: targetLinked, entity: e, query: mask}
}

// AddAll adds the component v to all entities of a target, or overwrites the T that they have. The
// call is a structural change if an entity has no T. For a query and a shared component, whole
// chunks get the new value without moving rows. The error is of category ErrArgument, and nothing
// changes, if an entity of the list does not exist, or if v is a handle to the buffer of an entity.
// For a Commands buffer there are two differences: playback reports a missing entity, and a handle
// is allowed because its elements are copied.
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

// SetAll overwrites the component T of all entities of a target with v. The error is of category
// ErrArgument, and nothing changes, if an entity of a list has no T, or if the query matches a
// chunk without a T. Members of a linked group are skipped if they have no T. In all other
// respects, SetAll works like [AddAll].
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

// SetEnabledAll turns the component T of all entities of a target on or off. For a query,
// SetEnabledAll looks at the filters by change and by shared value only. In the chunks that pass
// the filters it switches all rows, even rows that do not match because a component is off.
// SetEnabledAll first completes the jobs that access T. If the query filters by changes, it also
// completes the jobs that write the filtered components. The error is of category ErrArgument, and
// nothing changes, if T is not enableable, if an entity of a list has no T, or if the query
// matches a chunk without a T. Members of a linked group are skipped if they have no T. With a
// Commands buffer, playback returns these errors.
func SetEnabledAll[T any, D WorldOrCommands](to D, at Target, on bool) error {
	const op = "SetEnabledAll"
	switch to := any(to).(type) {
	case *World:
		c, err := componentIn[T](to, op)
		if err != nil {
			return err
		}
		return to.setEnabledTarget(op, at, c, on)
	case *Commands:
		if err := to.checkTarget(op, at); err != nil {
			return err
		}
		c, err := recordedComponent[T](to, op)
		if err != nil {
			return err
		}
		cmd := command{opcode: opSetEnabled, componentIndex: int32(c.index)}
		if on {
			cmd.valueCount = 1
		}
		to.appendTargeted(cmd, at)
	}
	return nil
}

// AddTypes adds the types of the terms to all entities of a target, with zero values and in one
// move for each entity. Existing components keep their values, and chunks that already have all the
// types do not change. If the new types take no memory, as tags do, a query's chunks change their
// archetype without moving rows. The error is of category ErrArgument, and nothing changes, if an
// entity of a list does not exist.
func AddTypes[D WorldOrCommands](to D, at Target, terms ...Term) error {
	return editTypes("AddTypes", opAddTypes, to, at, terms)
}

// RemoveTypes removes the types of the terms from all entities of a target, in one move for each
// entity. It is not an error if an entity does not exist or lacks a type. But a Commands buffer
// refuses the null entity when it records, with an error of category ErrState.
func RemoveTypes[D WorldOrCommands](to D, at Target, terms ...Term) error {
	return editTypes("RemoveTypes", opRemoveTypes, to, at, terms)
}

// editTypes implements AddTypes and RemoveTypes.
func editTypes[D WorldOrCommands](op string, code opcode, to D, at Target, terms []Term) error {
	switch to := any(to).(type) {
	case *World:
		if to == nil {
			return noWorldError(op)
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
		if err := to.checkTarget(op, at); err != nil {
			return err
		}
		cmd, err := to.newTypesCommand(op, code, terms)
		if err != nil {
			return err
		}
		to.appendTargeted(cmd, at)
	}
	return nil
}

// DestroyAll destroys (despawns) all entities of a target, as World.Destroy does. DestroyAll first
// destroys the entities of a list in their order, and then the entities in their linked groups. It
// ignores null, dead and repeated ids. But a Commands buffer refuses a null id when it records,
// with an error of category ErrState. The error is of category [ErrArgument], and nothing is
// destroyed, in two cases. The first is an id that cannot come from this world. The second is a
// query that matches an entity with a [LinkedGroup], but not all members of the group.
func DestroyAll[D WorldOrCommands](to D, at Target) error {
	const op = "DestroyAll"
	switch to := any(to).(type) {
	case *World:
		if to == nil {
			return noWorldError(op)
		}
		return to.destroyTarget(op, at)
	case *Commands:
		if err := to.checkTarget(op, at); err != nil {
			return err
		}
		to.appendTargeted(command{opcode: opDestroy}, at)
	}
	return nil
}

// Exchange replaces the component Old of all entities of a target by v, in one move for each
// entity. Calling Remove and Add instead would move each row twice. Entities without Old get v too.
// If an entity has a component of v's type already, v overwrites it. The error is of category
// ErrArgument, and nothing changes, if Old and New are the same type, if New is a shared component,
// or for the reasons listed at [AddAll].
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

// addNowTo adds the value *v to all entities of a target.
func addNowTo[T any](op string, w *World, at Target, v *T) error {
	switch at.kind {
	case targetOne:
		return addNow(w, at.entity, v)
	case targetMatching:
		return addMatchingNow(op, w, at.query, v)
	}
	if w == nil {
		return noWorldError(op)
	}
	ids, err := w.targetIDs(op, at, nil, nil)
	if err != nil {
		return err
	}
	return addAllNow(op, w, ids, v)
}

// setNowTo overwrites the T of all entities of a target.
func setNowTo[T any](op string, w *World, at Target, v *T) error {
	if at.kind == targetOne {
		return setNow(op, w, at.entity, v)
	}
	c, err := componentIn[T](w, op)
	if err != nil {
		return err
	}
	if at.kind == targetLinked {
		ids, err := w.targetIDs(op, at, c, nil)
		if err != nil {
			return err
		}
		return addAllNow(op, w, ids, v)
	}
	if err := w.checkAllHave(op, at, c); err != nil {
		return err
	}
	return addNowTo(op, w, at, v)
}

// exchangeNow replaces Old by *v for all entities of a target.
func exchangeNow[Old, New any](op string, w *World, at Target, v *New) error {
	old, err := componentIn[Old](w, op)
	if err != nil {
		return err
	}
	c, err := componentForMany(op, w, v)
	if err != nil {
		return err
	}
	if err := whyNotExchangeable(old, c); err != "" {
		return w.gate.fault(ErrArgument, op, "%s", err).forComponent(c)
	}
	var ids []Entity
	if at.kind == targetMatching {
		if err := w.checkOwnQuery(op, at.query); err != nil {
			return err
		}
		ids = at.query.AppendEntities(nil)
	} else if ids, err = w.targetIDs(op, at, nil, nil); err != nil {
		return err
	}
	w.shared.holdNotices()
	defer w.shared.releaseNotices()
	if err := w.changeTarget(op, at, true, []*component{c}, []*component{old}); err != nil {
		return err
	}
	return assignAll(op, w, ids, v)
}

// whyNotExchangeable returns the reason why old cannot be exchanged for c, or "" if it can.
func whyNotExchangeable(old, c *component) string {
	switch {
	case old == c:
		return "the component is exchanged for itself: use SetAll"
	case c.kind.has(isShared):
		return "the value of a shared component is part of where its rows are: use RemoveTypes and AddAll"
	}
	return ""
}

// addAllNow adds the value *v to entities, or overwrites their T.
func addAllNow[T any](op string, w *World, ids []Entity, v *T) error {
	c, err := componentForMany(op, w, v)
	if err != nil {
		return err
	}
	if err := w.checkAllExist(op, ids); err != nil {
		return err
	}
	if !c.kind.has(isShared) {
		if err := w.changeTypesOfAll(op, ids, []*component{c}, nil); err != nil {
			return err
		}
		return assignAll(op, w, ids, v)
	}
	return w.setSharedAll(op, ids, c, *v)
}

// componentForMany returns the component type T, for an operation that gives the value v to
// many entities. It returns an error if the value is a handle to a buffer, because the
// structural change makes the handle stale.
func componentForMany[T any](op string, w *World, v *T) (*component, error) {
	c, err := componentIn[T](w, op)
	if err == nil && c.kind.has(isBuffer) && contentIsHandle(v) {
		err = w.checkBufferHandle(op, c, bufferPlaceOf(v))
	}
	return c, err
}

// addMatchingNow adds the value *v to all entities that q matches.
func addMatchingNow[T any](op string, w *World, q *Query, v *T) error {
	c, err := componentForMany(op, w, v)
	if err != nil {
		return err
	}
	if c.kind.has(isShared) {
		return w.setSharedMatching(op, q, c, *v)
	}
	if err := w.checkOwnQuery(op, q); err != nil {
		return err
	}
	ids := q.AppendEntities(nil)
	if err := w.changeTypesMatching(op, q, []*component{c}, nil); err != nil {
		return err
	}
	return assignAll(op, w, ids, v)
}

// assignAll overwrites the T of entities, all of which have one.
func assignAll[T any](op string, w *World, ids []Entity, v *T) error {
	for _, e := range ids {
		s := w.tables.entities.find(e)
		r := w.tables.chunks[s.chunk]
		i := r.arch.findColumn(keyOf[T]())
		if r.arch.columns[i].comp.kind.has(isTag) {
			return nil
		}
		if err := assignRow(op, w, r, i, int(s.row), v); err != nil {
			return err
		}
	}
	return nil
}

// changeTarget adds and removes components of all entities of a target. If must is set, a missing
// entity in a list is an error.
func (w *World) changeTarget(op string, at Target, must bool, add, remove []*component) error {
	if at.kind == targetMatching {
		return w.changeTypesMatching(op, at.query, add, remove)
	}
	if at.kind == targetOne {
		if !must && w.tables.entities.find(at.entity) == nil {
			return w.gate.checkOpen(op)
		}
		_, err := w.changeTypes(op, at.entity, add, remove)
		return err
	}
	ids, err := w.targetIDs(op, at, nil, nil)
	if err != nil {
		return err
	}
	if must {
		if err := w.checkAllExist(op, ids); err != nil {
			return err
		}
	}
	return w.changeTypesOfAll(op, ids, add, remove)
}

// targetIDs returns the entities of a target that is not a query. For a linked group it returns
// only the entities that have c. If c is nil, it returns all of them. It appends them to ids,
// unless the target is a list.
func (w *World) targetIDs(op string, at Target, c *component, ids []Entity) ([]Entity, error) {
	switch at.kind {
	case targetOne:
		return append(ids, at.entity), nil
	case targetLinked:
		return w.appendLinked(op, at.entity, at.query, c, ids)
	}
	return at.ids, nil
}

// destroyTarget destroys all entities of a target.
func (w *World) destroyTarget(op string, at Target) error {
	if at.kind == targetMatching {
		return w.destroyMatching(op, at.query)
	}
	ids, err := w.targetIDs(op, at, nil, nil)
	if err != nil {
		return err
	}
	return w.destroyAll(op, ids)
}

// setEnabledTarget turns a component of all entities of a target on or off.
func (w *World) setEnabledTarget(op string, at Target, c *component, on bool) error {
	switch at.kind {
	case targetMatching:
		return w.setEnabledMatching(op, at.query, c, on)
	case targetOne:
		return w.setEnabled(op, at.entity, c, on)
	}
	if !c.kind.has(isEnableable) {
		return w.gate.fault(ErrArgument, op, notEnableable).forComponent(c)
	}
	ids, err := w.targetIDs(op, at, c, nil)
	if err != nil {
		return err
	}
	for _, e := range ids {
		if _, _, _, err := w.enableableOf(op, e, c); err != nil {
			return err
		}
	}
	if err := w.awaitComponent(op, c, true); err != nil {
		return err
	}
	for _, e := range ids {
		if err := w.setEnabled(op, e, c, on); err != nil {
			return err
		}
	}
	return nil
}

// checkAllHave returns an error if c is a tag, if an entity of a list lacks c, or if the query
// matches a chunk without c.
func (w *World) checkAllHave(op string, at Target, c *component) error {
	if c.kind.has(isTag) {
		return w.gate.fault(ErrArgument, op, "a tag has no data: use AddTypes and RemoveTypes").forComponent(c)
	}
	if at.kind == targetMatching {
		return w.checkMatchesHave(op, at.query, c)
	}
	for _, e := range at.ids {
		s := w.tables.entities.find(e)
		if s == nil {
			return w.entityError(op, e)
		}
		if a := w.tables.chunks[s.chunk].arch; !a.has(c) {
			return w.gate.fault(ErrArgument, op, "the entity has no such component, it has %v: use AddAll", a).forEntity(e).forComponent(c)
		}
	}
	return nil
}

// checkMatchesHave returns an error if q would show a chunk that lacks c.
func (w *World) checkMatchesHave(op string, q *Query, c *component) error {
	if err := w.checkOwnQuery(op, q); err != nil {
		return err
	}
	for _, m := range q.matches {
		if m.arch.has(c) {
			continue
		}
		if slices.ContainsFunc(m.candidateChunks(&w.tables), func(r *chunkData) bool { return m.chunkPasses(r, q.since) }) {
			return w.gate.fault(ErrArgument, op, "the query matches %v, which lacks the component: add With to its terms", m.arch).forComponent(c)
		}
	}
	return nil
}

// checkAllExist returns an error if one of the entities does not exist.
func (w *World) checkAllExist(op string, ids []Entity) error {
	for _, e := range ids {
		if !w.exists(e) {
			return w.entityError(op, e)
		}
	}
	return nil
}

// changeTypesOfAll adds and removes components of entities. It moves neighbouring rows together.
func (w *World) changeTypesOfAll(op string, ids []Entity, add, remove []*component) error {
	if len(ids) == 0 || len(add)+len(remove) == 0 {
		return w.gate.checkOpen(op)
	}
	if err := w.checkCanChange(op); err != nil {
		return err
	}
	// Every move is looked up before the first row moves, because after that an error would leave
	// the change half done.
	for rest := ids; len(rest) > 0; {
		s, n := w.tables.leadingRows(rest)
		rest = rest[n:]
		if s.chunk != nil {
			if _, err := w.tables.editMove(op, s.chunk.arch, add, remove); err != nil {
				return err
			}
		}
	}
	if err := w.beginAllowedChange(op); err != nil {
		return err
	}
	var from *archetype
	var m *archetypeMove // move of the rows of from
	for len(ids) > 0 {
		s, n := w.tables.leadingRows(ids)
		ids = ids[n:]
		if s.chunk == nil {
			continue
		}
		if s.chunk.arch != from {
			from = s.chunk.arch
			m, _ = w.tables.editMove(op, from, add, remove)
		}
		if m != nil {
			w.moveToFewerComponents(m, s)
		}
	}
	w.endChange()
	return nil
}

// changeTypesMatching adds and removes components of all entities that a query matches. Where possible,
// it changes whole chunks without moving rows.
func (w *World) changeTypesMatching(op string, q *Query, add, remove []*component) error {
	if err := w.selectRows(op, q); err != nil {
		return err
	}
	var from *archetype
	for _, s := range w.queries.selectedRows { // looks up every move before the first row moves
		if s.chunk.arch != from {
			from = s.chunk.arch
			if _, err := w.tables.editMove(op, from, add, remove); err != nil {
				return err
			}
		}
	}
	if err := w.beginAllowedChange(op); err != nil {
		return err
	}
	from = nil
	var m *archetypeMove // move of the rows of from
	for _, s := range w.queries.selectedRows {
		if s.chunk.arch != from {
			from = s.chunk.arch
			m, _ = w.tables.editMove(op, from, add, remove)
		}
		switch {
		case m == nil:
		case m.to.awaitsCleanup && !m.to.kinds.has(isCleanup):
			w.tables.destroyIgnoringCleanup(s)
		case m.canRelabel && s.count == s.chunk.count:
			w.tables.relabelChunk(m, s.chunk, m.groupFor(s.chunk))
		default:
			w.tables.moveRows(m, s, m.groupFor(s.chunk))
		}
	}
	w.endChange()
	return nil
}
