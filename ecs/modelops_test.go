package ecs

import (
	"errors"
	"fmt"
	"slices"
)

var modelOps = [...]func(*model){
	(*model).spawn, (*model).create, (*model).createChunks, (*model).destroy,
	(*model).destroyAll, (*model).destroyMatching, (*model).add, (*model).add,
	(*model).setValue, (*model).ensure, (*model).remove, (*model).remove,
	(*model).addTypes, (*model).removeTypes, (*model).addTypesAll, (*model).removeTypesAll,
	(*model).addMatching, (*model).removeMatching, (*model).instantiate, (*model).setArchetype,
	(*model).turn, (*model).turn, (*model).turnMatching, (*model).runCommands, (*model).runCommands, (*model).update, (*model).useDead,
	(*model).changePlaces, (*model).moveFrom, (*model).copyFrom, (*model).instantiateAll, (*model).transaction,
	(*model).link, (*model).link, (*model).copyAll, (*model).setActive, (*model).linked,
	(*model).swap, (*model).swap, (*model).compact, (*model).defragment, (*model).orderBy,
}

// defragment joins chunks. The rows keep their values and change places.
func (m *model) defragment() {
	m.last = "Defragment"
	m.ok(Defragment(m.w))
	if err := checkJoined(m.w); err != nil {
		m.t.Fatalf("%s: %v", m.last, err)
	}
}

// compact moves the memory, which changes no value.
func (m *model) compact() {
	m.last = "Compact"
	hash := m.w.Hash()
	if m.ok(Compact(m.w)); m.w.Hash() != hash {
		m.t.Fatal("Compact has changed the hash")
	}
}

// orderBy sorts the rows of an archetype. The rows keep their values and change places.
func (m *model) orderBy() {
	q := m.query().q
	m.last = fmt.Sprint("OrderBy ", q)
	want := wantOrder(m.w, q)
	m.ok(OrderBy(m.w, q, byKeys))
	if !slices.Equal(q.AppendEntities(nil), want) {
		m.t.Fatalf("%s: another order", m.last)
	}
}

// swap swaps an entity with another entity, usually one of the same archetype.
func (m *model) swap() {
	a, b := m.pick(), m.pick()
	if s := m.w.tables.entities.find(a); s != nil && m.byte()%4 > 0 {
		arch := m.w.tables.chunks[s.chunk].arch
		r := arch.chunks[m.byte()%len(arch.chunks)]
		b = *r.idAt(m.byte() % r.count)
	}
	m.last = fmt.Sprint("Swap ", a, b)
	s, to := m.w.tables.entities.find(a), m.w.tables.entities.find(b)
	if s == nil || to == nil || m.w.tables.chunks[s.chunk].arch != m.w.tables.chunks[to.chunk].arch || m.w.tables.chunks[s.chunk].group != m.w.tables.chunks[to.chunk].group {
		m.refused(m.w.Swap(a, b))
		return
	}
	was, other := *s, *to
	m.ok(m.w.Swap(a, b))
	if s, to := m.w.tables.entities.find(a), m.w.tables.entities.find(b); s.chunk != other.chunk || s.row != other.row || to.chunk != was.chunk || to.row != was.row {
		m.t.Fatalf("%s: the places are %v and %v, were %v and %v", m.last, *s, *to, was, other)
	}
}

func (m *model) ok(err error) {
	if err != nil {
		m.t.Fatalf("%s: %v", m.last, err)
	}
}

func (m *model) spawn() {
	set := m.set()
	m.last = fmt.Sprint("Spawn ", set)
	var row modelEntity
	var values []any
	for _, i := range set {
		n := m.number(i)
		row.give(i, n)
		values = append(values, kit[i].value(n))
	}
	m.addEntity(m.w.Spawn(values...), row)
}

// number returns a random number from which a value of component i is made.
func (m *model) number(i int) int32 {
	if kit[i].tag || i == groupAt {
		return 0
	}
	return int32(m.byte() % 24)
}

func (m *model) fresh(set []int) (row modelEntity) {
	row.add(set)
	return row
}

func (m *model) create() {
	set, n := m.set(), m.byte()
	m.last = fmt.Sprint("CreateInto ", set, n)
	ids := make([]Entity, n)
	m.ok(m.w.CreateInto(m.w.Archetype(terms(set)...), ids))
	for _, e := range ids {
		m.addEntity(e, m.fresh(set))
	}
}

func (m *model) createChunks() {
	set, n := m.set(), m.byte()*3
	m.last = fmt.Sprint("CreateChunks ", set, n)
	a := m.w.Archetype(terms(set)...)
	before, empty := a.ChunkCount(), n == 0
	for c := range m.w.CreateChunks(a, n).Chunks() {
		if c.firstRow != 0 {
			m.t.Fatalf("%s: first row %d", m.last, c.firstRow)
		}
		for _, e := range c.Entities() {
			m.addEntity(e, m.fresh(set))
		}
		n -= c.Len()
	}
	if added := a.ChunkCount() - before; n != 0 || (added == 0) != empty {
		m.t.Fatalf("%s: %d rows left, %d chunks", m.last, n, added)
	}
}

func (m *model) destroy() {
	e := m.pickRoot()
	m.last = fmt.Sprint("Destroy ", e)
	m.ok(m.w.Destroy(e))
	m.applyDestroyAll([]Entity{e})
}

// pickSome returns a few entities, including neighbours.
func (m *model) pickSome() (list []Entity) {
	for range m.byte() % 8 {
		e := m.pick()
		list = append(list, e)
		if s := m.w.tables.entities.find(e); s != nil {
			r := m.w.tables.chunks[s.chunk]
			list = append(list, r.ids()[s.row:min(int(s.row)+m.byte()%8, r.count)]...)
		}
	}
	return list
}

func (m *model) destroyAll() {
	list := m.pickSome()
	m.last = fmt.Sprint("DestroyAll ", list)
	m.ok(DestroyAll(m.w, Entities(list)))
	m.applyDestroyAll(list)
}

func (m *model) query() *modelQuery { return &m.queries[m.byte()%len(m.queries)] }

func (m *model) destroyMatching() {
	m.destroyMatchingOf(m.query())
}

func (m *model) destroyMatchingOf(q *modelQuery) {
	m.last = fmt.Sprint("DestroyAll(Matching) ", q.q)
	list := q.inRuns()
	err := DestroyAll(m.w, Matching(q.q))
	if !m.matchesGroup(q) {
		m.refused(err)
		return
	}
	m.ok(err)
	for _, e := range list {
		m.destroyAlone(e)
	}
}

// inRuns returns the matching entities in the order in which they are destroyed: in each chunk, the last
// range of rows comes first.
func (q *modelQuery) inRuns() (list []Entity) {
	for _, match := range q.q.matches {
		for _, r := range match.arch.chunks {
			for _, s := range q.q.appendRuns(nil, match, r) {
				list = append(list, s.ids()...)
			}
		}
	}
	return list
}

func (m *model) add() {
	e, i := m.pick(), m.byte()%len(kit)
	n := m.number(i)
	m.last = fmt.Sprint("Add ", e, kit[i].with, n)
	m.applyAdd(kit[i].add(m.w, e, n), e, i, n)
}

// applyAdd does Add for the model.
func (m *model) applyAdd(err error, e Entity, i int, n int32) {
	row := m.rows[e]
	if row == nil {
		m.refused(err)
		return
	}
	m.ok(err)
	row.give(i, n)
}

func (m *model) refused(err error) {
	if !errors.Is(err, ErrArgument) {
		m.t.Fatalf("%s: got error %v, want ErrArgument", m.last, err)
	}
}

func (m *model) setValue() {
	e, i := m.pick(), m.byte()%len(kit)
	n := m.number(i)
	m.last = fmt.Sprint("Set ", e, kit[i].with, n)
	err := kit[i].set(m.w, e, n)
	row := m.rows[e]
	if row == nil || !row.has[i] || kit[i].tag {
		m.refused(err)
		return
	}
	m.ok(err)
	row.give(i, n)
}

func (m *model) turn() {
	e, i, on := m.pick(), m.byte()%len(kit), m.byte()%2 == 0
	if !kit[i].switched {
		i = firstSwitch + i%2
	}
	m.last = fmt.Sprint("SetEnabled ", e, kit[i].with, on)
	err := kit[i].turn(m.w, e, on)
	row := m.rows[e]
	if row == nil || !row.has[i] {
		m.refused(err)
		return
	}
	m.ok(err)
	row.off[i] = !on
}

func (m *model) turnMatching() {
	q, i, on := m.query(), firstSwitch+m.byte()%2, m.byte()%2 == 0
	m.last = fmt.Sprint("SetEnabledAll(Matching) ", q.q, kit[i].with, on)
	err := kit[i].turnMatching(m.w, q.q, on)
	if !m.applySetEnabledAll(q, i, on) {
		m.refused(err)
		return
	}
	m.ok(err)
}

// applySetEnabledAll does SetEnabledAll(Matching) for the model. applySetEnabledAll returns false if the call must fail.
func (m *model) applySetEnabledAll(q *modelQuery, i int, on bool) bool {
	if !kit[i].switched {
		return false
	}
	for _, row := range m.rows { // it matches regardless of enabled bits
		if q.reachesEntity(row) && !row.has[i] {
			return false
		}
	}
	for _, row := range m.rows {
		if q.reachesEntity(row) {
			row.off[i] = !on
		}
	}
	return true
}

func (m *model) ensure() {
	e, i := m.pick(), m.byte()%len(kit)
	m.last = fmt.Sprint("Ensure ", e, kit[i].with)
	did, err := kit[i].ensure(m.w, e)
	row := m.rows[e]
	if row == nil {
		m.refused(err)
		return
	}
	m.ok(err)
	if did == row.has[i] {
		m.t.Fatalf("%s: got %v", m.last, did)
	}
	row.has[i] = true
}

func (m *model) remove() {
	e, i := m.pick(), m.byte()%len(kit)
	m.last = fmt.Sprint("Remove ", e, kit[i].with)
	did, err := kit[i].remove(m.w, e)
	m.ok(err)
	row := m.rows[e]
	if did != (row != nil && row.has[i]) {
		m.t.Fatalf("%s: got %v", m.last, did)
	}
	m.removeComponents(e, []int{i})
}

// removeComponents removes a set of components from the model.
func (m *model) removeComponents(e Entity, set []int) {
	row, ends := m.rows[e], false
	if row == nil {
		return
	}
	for _, i := range set {
		if row.has[i] {
			ends = row.remove(i)
		}
	}
	if ends {
		m.removeEntity(e)
	}
}

func (m *model) addTypes() {
	e, set := m.pick(), m.set()
	m.last = fmt.Sprint("AddTypes ", e, set)
	err := AddTypes(m.w, One(e), terms(set)...)
	if m.rows[e] == nil {
		m.refused(err)
		return
	}
	m.ok(err)
	m.rows[e].add(set)
}

func (m *model) removeTypes() {
	e, set := m.pick(), m.set()
	m.last = fmt.Sprint("RemoveTypes ", e, set)
	err := RemoveTypes(m.w, One(e), terms(set)...)
	m.ok(err)
	m.removeComponents(e, set)
}

func (m *model) addTypesAll() {
	list, set := m.pickSome(), m.set()
	m.last = fmt.Sprint("AddTypes(List) ", list, set)
	err := AddTypes(m.w, Entities(list), terms(set)...)
	for _, e := range list {
		if m.rows[e] == nil {
			m.refused(err)
			return
		}
	}
	m.ok(err)
	for _, e := range list {
		m.rows[e].add(set)
	}
}

func (m *model) removeTypesAll() {
	list, set := m.pickSome(), m.set()
	m.last = fmt.Sprint("RemoveTypes(List) ", list, set)
	m.ok(RemoveTypes(m.w, Entities(list), terms(set)...))
	for _, e := range list {
		m.removeComponents(e, set)
	}
}

func (m *model) addMatching() {
	q, set := m.query(), m.set()
	m.last = fmt.Sprint("AddTypes(Matching) ", q.q, set)
	list := q.q.AppendEntities(nil)
	m.ok(AddTypes(m.w, Matching(q.q), terms(set)...))
	for _, e := range list {
		m.rows[e].add(set)
	}
}

func (m *model) removeMatching() {
	m.removeMatchingOf(m.query(), m.set())
}

func (m *model) removeMatchingOf(q *modelQuery, set []int) {
	m.last = fmt.Sprint("RemoveTypes(Matching) ", q.q, set)
	list := q.inRuns()
	m.ok(RemoveTypes(m.w, Matching(q.q), terms(set)...))
	for _, e := range list {
		m.removeComponents(e, set)
	}
}

func (m *model) instantiate() {
	e, n := m.pickRoot(), m.byte()
	if row := m.rows[e]; row != nil {
		n /= max(1, len(row.group))
	}
	m.last = fmt.Sprint("Instantiate ", e, n)
	list, err := m.w.Instantiate(e, n)
	members, ok := m.members(e)
	if !ok {
		m.refused(err)
		return
	}
	m.ok(err)
	if made := m.addCopies(m, members, n, true); !slices.Equal(list, made[:n]) {
		m.t.Fatalf("%s: got %v, want %v", m.last, list, made[:n])
	}
}

func (m *model) setArchetype() {
	e, set := m.pick(), m.set()
	m.last = fmt.Sprint("SetArchetype ", e, set)
	err := m.w.SetArchetype(e, m.w.Archetype(terms(set)...))
	if !m.applySetArchetype(e, set) {
		m.refused(err)
		return
	}
	m.ok(err)
}

// applySetArchetype does SetArchetype for the model. applySetArchetype returns false if the call must fail.
func (m *model) applySetArchetype(e Entity, set []int) bool {
	row := m.rows[e]
	if row == nil || row.residue {
		return false
	}
	next := m.fresh(set)
	for i := range kit {
		if row.has[i] && kit[i].cleanup && !next.has[i] {
			return false
		}
		if row.has[i] && next.has[i] {
			next.value[i], next.off[i] = row.value[i], row.off[i]
		}
	}
	if next.has[groupAt] {
		next.group = row.group
	}
	next.place = row.place
	*row = next
	return true
}

// purge destroys all entities, so that the world stays small.
func (m *model) purge() {
	m.destroyMatchingOf(&m.queries[0])
	var set []int
	for i := range kit {
		if kit[i].cleanup {
			set = append(set, i)
		}
	}
	m.removeMatchingOf(&m.queries[0], set)
	if len(m.alive) > 0 {
		m.t.Fatalf("%d entities are left", len(m.alive))
	}
}

func (m *model) update() {
	m.last = "update"
	m.w.Scheduler().EndUpdate(m.w.Scheduler().BeginUpdate("system"))
}

// useDead tries to use an entity that no longer exists.
func (m *model) useDead() {
	if len(m.free) == 0 {
		return
	}
	e, i := m.free[m.byte()%len(m.free)], m.byte()%len(kit)
	e.Version--
	m.last = fmt.Sprint("dead ", e)
	m.refused(kit[i].add(m.w, e, 0))
	m.refused(kit[i].set(m.w, e, 0))
	did, err := kit[i].remove(m.w, e)
	m.ok(err)
	m.ok(m.w.Destroy(e))
	if did || m.w.Exists(e) || kit[i].has(m.w, e) {
		m.t.Fatalf("%s exists", m.last)
	}
}
