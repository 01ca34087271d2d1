package ecs

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

var (
	steps = flag.Int("steps", 10_000, "operations of the model test")
	kept  = flag.Int("kept", 2_500, "operations of each model test of images")
	full  = flag.Bool("lanewise.full", false, "random tests of their full length: make full")
)

// TestModel runs random operations on a world and on a plain model of it, which is a map from ids to
// components. After each operation the world's invariants must hold, and the world must be equal to the
// model.
func TestModel(t *testing.T) {
	n := *steps
	each := max(min(n/4, 25_000), 1) // an old world has many archetypes, and is slow to check
	for seed := range uint64(n / each) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 1))
			m := newModel(t)
			for i := range each {
				var b [48]byte
				for k := range b {
					b[k] = byte(rng.Uint32())
				}
				m.step(b[:])
				if err := m.check(i%512 == 0); err != nil {
					t.Fatalf("step %d, %s: %v", i, m.last, err)
				}
			}
		})
	}
}

// FuzzModel runs the operations that a list of bytes encodes.
func FuzzModel(f *testing.F) {
	rng := rand.New(rand.NewPCG(7, 7))
	for n := range 8 {
		b := make([]byte, 64<<n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m := newModel(t)
		for i := 0; len(b) > 0; i++ {
			b = b[m.step(b):]
			if err := m.check(len(b) == 0); err != nil {
				t.Fatalf("step %d, %s: %v", i, m.last, err)
			}
		}
	})
}

// modelEntity is the model of an entity. For each component of the entity, it holds one number. A
// component value is always made from such a number.
type modelEntity struct {
	has     [len(kit)]bool
	value   [len(kit)]int32
	off     [len(kit)]bool
	group   []Entity // contents of the LinkedGroup; a new slice when they change
	residue bool
	place   int // in model.alive
}

// give sets the value of component i, and adds the component if it is missing.
func (e *modelEntity) give(i int, n int32) {
	e.has[i], e.value[i] = true, n
	if i == groupAt {
		e.group = nil
	}
}

// add adds a set of components. Components that the entity has already keep their values.
func (e *modelEntity) add(set []int) {
	for _, i := range set {
		e.has[i] = true
	}
}

// drop removes component i.
func (e *modelEntity) drop(i int) {
	e.has[i], e.value[i], e.off[i] = false, 0, false
	if i == groupAt {
		e.group = nil
	}
}

// clean removes the components that an entity loses when it is destroyed. It reports whether no
// component remains.
func (e *modelEntity) clean() (gone bool) {
	gone = true
	for i := range kit {
		if kit[i].cleanup && e.has[i] {
			gone = false
			continue
		}
		e.drop(i)
	}
	e.residue = true
	return gone
}

// remove removes component i, and reports whether the entity ceases to exist because of this.
func (e *modelEntity) remove(i int) (gone bool) {
	e.drop(i)
	if !e.residue {
		return false
	}
	for i := range kit {
		if kit[i].cleanup && e.has[i] {
			return false
		}
	}
	return true
}

// model holds a world and its expected contents. It also has a second world, and swaps the two
// worlds from time to time.
type model struct {
	t       testing.TB
	w       *World
	rows    map[Entity]*modelEntity
	alive   []Entity // in any order
	free    []Entity // the next ids; the last one is used first
	next    int32
	queries []modelQuery
	cmd     *Commands
	peer    *model // the other world, whose peer is nil
	in      []byte
	used    int
	last    string
}

// modelQuery is a query and the rules for its matches.
type modelQuery struct {
	q             *Query
	all           bool // it also matches hidden entities
	with, without []int
}

// seesEntity reports whether the query does not skip the entity for being a prefab or inactive.
func (q *modelQuery) seesEntity(e *modelEntity) bool {
	for _, i := range [...]int{prefabAt, inactiveAt} {
		if e.has[i] && !q.all && !slices.Contains(q.with, i) {
			return false
		}
	}
	return true
}

func (q *modelQuery) matches(e *modelEntity) bool {
	if !q.seesEntity(e) {
		return false
	}
	for _, i := range q.with {
		if !e.has[i] || e.off[i] {
			return false
		}
	}
	for _, i := range q.without {
		if e.has[i] && !e.off[i] {
			return false
		}
	}
	return true
}

// reachesEntity reports whether the query matches the entity if enabled bits are ignored.
func (q *modelQuery) reachesEntity(e *modelEntity) bool {
	if !q.seesEntity(e) {
		return false
	}
	for _, i := range q.with {
		if !e.has[i] {
			return false
		}
	}
	for _, i := range q.without {
		if e.has[i] && !kit[i].switched {
			return false
		}
	}
	return true
}

func newModel(t testing.TB) *model {
	m := newModelWorld(t)
	m.peer = newModelWorld(t)
	return m
}

func newModelWorld(t testing.TB) *model {
	w := newWorld(t, 1)
	m := &model{t: t, w: w, rows: map[Entity]*modelEntity{}, cmd: w.NewCommands()}
	for _, q := range []modelQuery{
		{all: true},
		{},
		{with: []int{0}},
		{with: []int{0, 1}, without: []int{3}},
		{with: []int{4}, without: []int{0}},
		{with: []int{6}},
		{with: []int{3}, without: []int{2}},
		{with: []int{8}},
		{with: []int{10}},
		{with: []int{0}, without: []int{10}},
		{with: []int{10, 11}, without: []int{3}},
		{with: []int{prefabAt}},
		{with: []int{inactiveAt}, without: []int{omitAt}},
		{all: true, with: []int{groupAt}},
		{without: []int{groupAt}},
	} {
		terms := terms(q.with)
		if q.all {
			terms = append(terms, IncludePrefabs(), IncludeInactive())
		}
		for _, i := range q.without {
			terms = append(terms, kit[i].without)
		}
		q.q = w.Query(terms...)
		m.queries = append(m.queries, q)
	}
	return m
}

// byte returns the next byte of the input, or 0 at the end of the input.
func (m *model) byte() int {
	if m.used >= len(m.in) {
		m.used++
		return 0
	}
	m.used++
	return int(m.in[m.used-1])
}

// pick returns an existing entity, or the null entity.
func (m *model) pick() Entity {
	n := m.byte()<<8 | m.byte()
	if len(m.alive) == 0 {
		return Entity{}
	}
	return m.alive[n%len(m.alive)]
}

// set returns a random set of components.
func (m *model) set() (set []int) {
	bits := m.byte() | m.byte()<<8 | m.byte()<<16
	own := m.byte() - 224 // one of eight sets has components with a special meaning
	for i := range kit {
		if i >= prefabAt {
			if own > 0 && own>>(i-prefabAt)&1 != 0 {
				set = append(set, i)
			}
			continue
		}
		// The last components are chosen less often, so that there are not too many archetypes.
		if bits>>i&1 != 0 && bits>>(i+4)&1 == 0 && (i < firstSwitch || bits>>(i+8)&1 == 0) {
			set = append(set, i)
		}
	}
	return set
}

func terms(set []int) []Term {
	var list []Term
	for _, i := range set {
		list = append(list, kit[i].with)
	}
	return list
}

// step does one operation and returns the number of bytes that it has used.
func (m *model) step(b []byte) int {
	m.in, m.used = b, 0
	if op := m.byte(); len(m.alive) > 2000 {
		m.purge()
	} else {
		modelOps[op%len(modelOps)](m)
	}
	return min(m.used, len(b))
}

// id returns the id that the world must assign next.
func (m *model) id() Entity {
	if last := len(m.free) - 1; last >= 0 {
		e := m.free[last]
		m.free = m.free[:last]
		return e
	}
	m.next++
	return Entity{m.next - 1, 1}
}

// addEntity adds an entity to the model, and fails if its id is wrong.
func (m *model) addEntity(e Entity, row modelEntity) {
	if want := m.id(); e != want {
		m.t.Fatalf("%s: got id %v, want %v", m.last, e, want)
	}
	m.enter(e, row)
}

// enter adds an entity to the model.
func (m *model) enter(e Entity, row modelEntity) {
	row.place = len(m.alive)
	m.rows[e] = &row
	m.alive = append(m.alive, e)
}

// removeEntity removes an entity from the model.
func (m *model) removeEntity(e Entity) {
	last := m.alive[len(m.alive)-1]
	m.alive[m.rows[e].place] = last
	m.rows[last].place = m.rows[e].place
	m.alive = m.alive[:len(m.alive)-1]
	delete(m.rows, e)
	m.free = append(m.free, Entity{e.Index, e.Version + 1})
}

// destroyAlone destroys an entity in the model, but not the other members of its linked group.
func (m *model) destroyAlone(e Entity) {
	if row := m.rows[e]; row != nil && !row.residue && row.clean() {
		m.removeEntity(e)
	}
}

// check checks the world's invariants, and compares the world with the model. It compares either
// everything or a part.
func (m *model) check(all bool) error {
	if all || len(m.rows) < 100 {
		if err := integrity(m.w); err != nil {
			return err
		}
	}
	if got := m.w.Len(); got != len(m.rows) {
		return fmt.Errorf("%d entities, want %d", got, len(m.rows))
	}
	if len(m.alive) == 0 {
		return nil
	}
	if !all {
		e := m.alive[m.used%len(m.alive)]
		return m.checkEntity(e, m.rows[e])
	}
	if m.peer != nil { // the other world's queries are checked when it takes this place
		if err := integrityQueries(m.w); err != nil {
			return err
		}
		if err := m.peer.check(true); err != nil {
			return fmt.Errorf("the other world: %w", err)
		}
	}
	counts := make([]int, len(m.queries))
	for e, row := range m.rows {
		if err := m.checkEntity(e, row); err != nil {
			return err
		}
		for i := range m.queries {
			match := m.queries[i].matches(row)
			if match {
				counts[i]++
			}
			if m.queries[i].q.Matches(e) != match {
				return fmt.Errorf("%v matches %v: %v", m.queries[i].q, e, !match)
			}
		}
	}
	for i, n := range counts {
		if got := m.queries[i].q.Count(); got != n {
			return fmt.Errorf("%v counts %d, want %d", m.queries[i].q, got, n)
		}
	}
	return nil
}

func (m *model) checkEntity(e Entity, row *modelEntity) error {
	if !m.w.Exists(e) {
		return fmt.Errorf("%v does not exist", e)
	}
	for i := range kit {
		if row.has[i] != kit[i].has(m.w, e) {
			return fmt.Errorf("%v has %v: %v", e, kit[i].with, !row.has[i])
		}
		if row.has[i] && kit[i].switched {
			if on, err := kit[i].enabled(m.w, e); err != nil || on == row.off[i] {
				return fmt.Errorf("%v: %v is on: %v, error %w", e, kit[i].with, on, err)
			}
		}
		if !row.has[i] && (int(e.Index)+i)%16 != 0 {
			continue
		}
		got, err := kit[i].get(m.w, e)
		switch {
		case !row.has[i] || kit[i].tag:
			if !errors.Is(err, ErrArgument) {
				return fmt.Errorf("%v: Get of what is not there: %v", e, err)
			}
		case err != nil:
			return fmt.Errorf("%v: %w", e, err)
		case got != row.value[i]:
			return fmt.Errorf("%v: %v is %d, want %d", e, kit[i].with, got, row.value[i])
		}
	}
	return m.checkGroup(e, row)
}
