package trees

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

var full = flag.Bool("lanewise.full", false, "random tests of their full length: make full")

// world is a simple model of chunks whose rows are nodes.
type world struct {
	r        *rand.Rand
	capacity int
	chunks   map[int]*rows // by id
	free     []int         // ids
	nodes    map[ecs.Entity]*spot
	versions []int32 // by index
	touched  map[int]bool
	ended    bool // some chunk has ended
}

// rows is a chunk.
type rows struct {
	kind     int // kinds
	entities []ecs.Entity
}

// spot is the place and the parent of an entity.
type spot struct {
	chunk, row int
	above      ecs.Entity
	hidden     bool // in no chunk of the forest
	kind       int
}

// kinds is the number of kinds of nodes: roots, and three kinds of other nodes with different sources
// of matrices. For the last kind, another system may compute some rows.
const kinds = 4

func newWorld(seed uint64, capacity int) *world {
	return &world{r: rand.New(rand.NewPCG(seed, 17)), capacity: capacity, chunks: map[int]*rows{}, nodes: map[ecs.Entity]*spot{}, touched: map[int]bool{}}
}

// anyEntity returns an entity, in an order that does not depend on the map.
func (w *world) anyEntity() (ecs.Entity, bool) {
	if len(w.nodes) == 0 {
		return ecs.Entity{}, false
	}
	all := slices.SortedFunc(maps.Keys(w.nodes), ecs.Entity.Compare)
	return all[w.r.IntN(len(all))], true
}

// seat appends an entity to a chunk of its kind that is not full.
func (w *world) seat(e ecs.Entity) {
	s := w.nodes[e]
	ids := slices.Sorted(maps.Keys(w.chunks))
	id := -1
	for _, i := range ids {
		if c := w.chunks[i]; c.kind == s.kind && len(c.entities) < w.capacity {
			id = i
		}
	}
	if id < 0 {
		if last := len(w.free) - 1; last >= 0 {
			id, w.free = w.free[last], w.free[:last]
		} else {
			id = len(w.chunks)
		}
		w.chunks[id] = &rows{kind: s.kind}
	}
	c := w.chunks[id]
	s.chunk, s.row = id, len(c.entities)
	c.entities = append(c.entities, e)
	w.touched[id] = true
}

// leave removes an entity from its chunk; the last entity takes its row.
func (w *world) leave(e ecs.Entity) {
	s := w.nodes[e]
	c := w.chunks[s.chunk]
	last := len(c.entities) - 1
	c.entities[s.row] = c.entities[last]
	w.nodes[c.entities[s.row]].row = s.row
	c.entities = c.entities[:last]
	w.touched[s.chunk] = true
	if last == 0 {
		delete(w.chunks, s.chunk)
		w.free = append(w.free, s.chunk)
		w.ended = true
		delete(w.touched, s.chunk)
	}
}

// edit makes one random change.
func (w *world) edit() {
	e, ok := w.anyEntity()
	what := w.r.IntN(12)
	if !ok || what < 3 && len(w.nodes) < 300 {
		w.spawn()
		return
	}
	s := w.nodes[e]
	switch {
	case what < 4: // destroyed
		if !s.hidden {
			w.leave(e)
		}
		delete(w.nodes, e)
		w.versions[e.Index]++
	case what < 9: // another parent, sometimes in a cycle
		s.above, _ = w.anyEntity()
		if s.kind == 0 && !s.hidden {
			w.leave(e)
			s.kind = 1 + w.r.IntN(kinds-1)
			w.seat(e)
		} else if s.kind == 0 {
			s.kind = 1
		} else if !s.hidden {
			w.touched[s.chunk] = true
		}
	case what < 10: // inactive, or active again
		if s.hidden = !s.hidden; s.hidden {
			w.leave(e)
		} else {
			w.seat(e)
		}
	case !s.hidden: // another archetype
		w.leave(e)
		if s.kind = w.r.IntN(kinds); s.kind == 0 {
			s.above = ecs.Entity{}
		}
		w.seat(e)
	}
}

func (w *world) spawn() {
	index := w.r.IntN(len(w.versions) + 1)
	for e := range w.nodes {
		if int(e.Index) == index {
			index = len(w.versions)
			break
		}
	}
	if index == len(w.versions) {
		w.versions = append(w.versions, 1)
	}
	e := ecs.Entity{Index: int32(index), Version: w.versions[index]}
	s := &spot{kind: w.r.IntN(kinds)}
	if s.kind > 0 {
		s.above, _ = w.anyEntity()
	}
	w.nodes[e] = s
	w.seat(e)
}

// put passes some chunks to a forest.
func (w *world) put(f *Forest, ids []int) {
	for _, id := range ids {
		c := w.chunks[id]
		r := Rows{ID: id, Capacity: w.capacity, Roots: c.kind == 0, Divided: c.kind == kinds-1, Source: uint8(c.kind), Entities: c.entities}
		if !r.Roots {
			for _, e := range c.entities {
				r.Parents = append(r.Parents, w.nodes[e].above)
			}
		}
		f.Put(r)
	}
}

// change passes all changes to the forest.
func (w *world) change(f *Forest) [][]ecs.Entity {
	w.put(f, slices.Sorted(maps.Keys(w.touched)))
	clear(w.touched)
	if w.ended {
		w.ended = false
		f.BeginSweep()
		for id := range w.chunks {
			f.Keep(id)
		}
		f.Sweep()
	}
	return f.End()
}

// rebuildForest returns a new forest of all chunks, and the cycles in it.
func (w *world) rebuildForest() (*Forest, [][]ecs.Entity) {
	f := &Forest{}
	w.put(f, slices.Sorted(maps.Keys(w.chunks)))
	return f, f.End()
}

// level returns the level of an entity, or rootless, by a simple walk.
func (w *world) level(e ecs.Entity) int {
	for level := 0; level <= len(w.nodes); level++ {
		s := w.nodes[e]
		switch {
		case s == nil || s.hidden:
			return rootlessLevel
		case s.kind == 0:
			return level
		}
		e = s.above
	}
	return rootlessLevel
}

// check checks the invariants in the package comment. It also checks that the forest is equal to a new
// forest of the same chunks.
func (w *world) check(t *testing.T, f *Forest) {
	t.Helper()
	other, _ := w.rebuildForest()
	places := 0
	for id, c := range w.chunks {
		h, o := f.Chunk(id), other.Chunk(id)
		at := &f.Chunks[h]
		if int(at.Rows) != len(c.entities) {
			t.Fatalf("chunk %d has %d rows, want %d", id, at.Rows, len(c.entities))
		}
		places += len(c.entities)
		for row, e := range c.entities {
			place := f.Place(h, row)
			n := f.placeNodes[place]
			x := &f.nodes[n]
			if f.entityNodes[e.Index] != n+1 || x.entity != e || int(x.place) != place {
				t.Fatalf("entity %v: number %d, which is %v in place %d, want %d", e, n, x.entity, x.place, place)
			}
			if int(x.level) != w.level(e) {
				t.Fatalf("entity %v has level %d, want %d", e, x.level, w.level(e))
			}
			if x.level > 0 && f.nodes[f.placeNodes[f.ParentPlace[place]]].entity != w.nodes[e].above {
				t.Fatalf("entity %v has another parent", e)
			}
		}
		w.checkSegments(t, f, h, other, o)
	}
	if got := f.Rows(true) + f.Rows(false); got != places {
		t.Fatalf("%d rows, want %d", got, places)
	}
	f.checkLists(t)
}

// checkSegments compares the segments of a chunk with those of a new forest.
func (w *world) checkSegments(t *testing.T, f *Forest, h int32, other *Forest, o int32) {
	t.Helper()
	a, b := &f.Chunks[h], &other.Chunks[o]
	if len(a.Segments) != len(b.Segments) || a.ShortSegments != b.ShortSegments || a.Divided != b.Divided || a.Source != b.Source {
		t.Fatalf("chunk %d: %+v, made anew %+v", a.ID, a, b)
	}
	for i, s := range a.Segments {
		want := b.Segments[i]
		if s.Lo != want.Lo || s.Hi != want.Hi || s.Level != want.Level || s.HasChildren != want.HasChildren || (s.ParentChunk < 0) != (want.ParentChunk < 0) {
			t.Fatalf("chunk %d: segment %+v, made anew %+v", a.ID, s, want)
		}
		for row := s.Lo; row < s.Hi; row++ {
			place := f.Place(h, int(row))
			up := f.ParentPlace[place]
			home, in := up>>f.placeShift, up&(1<<f.placeShift-1)
			want := in
			if s.ParentChunk == Spread {
				want = int32(f.CopiesAt(f.Chunks[home].CopySlot, int(in)))
			} else if s.ParentChunk != home {
				t.Fatalf("chunk %d row %d: the parent is in chunk %d, the segment's are in %d", a.ID, row, home, s.ParentChunk)
			}
			if f.MatrixPlace[place] != want || up < s.MinParent || up > s.MaxParent {
				t.Fatalf("chunk %d row %d: From %d, want %d; %d is from %d to %d", a.ID, row, f.MatrixPlace[place], want, up, s.MinParent, s.MaxParent)
			}
		}
	}
}

// checkLists checks four invariants: every node is in the list of its parent; ghosts have children;
// exactly the nodes without a root above them are in the list of loose nodes; and no slot of copies
// is used twice.
func (f *Forest) checkLists(t *testing.T) {
	t.Helper()
	linked, listed, rootless := 0, 0, 0
	for n := range f.nodes {
		x := &f.nodes[n]
		if x.level == rootlessLevel {
			rootless++
			if at := int(x.rootlessIndex); at >= len(f.rootlessNodes) || f.rootlessNodes[at] != int32(n) {
				t.Fatalf("%v is below no root, and not in place %d of the list of %d such nodes", x.entity, at, len(f.rootlessNodes))
			}
		}
		if x.parent != None {
			linked++
		}
		if x.level == ghostLevel && x.entity != (ecs.Entity{}) && x.firstChild == None {
			t.Fatalf("ghost %v has no children", x.entity)
		}
		prev := int32(None)
		for c := x.firstChild; c != None; c = f.nodes[c].nextSibling {
			if y := &f.nodes[c]; y.parent != int32(n) || y.prevSibling != prev || y.parentEntity != x.entity {
				t.Fatalf("%v is in the list of %v", y.entity, x.entity)
			}
			listed++
			prev = c
		}
	}
	if rootless != len(f.rootlessNodes) {
		t.Fatalf("%d nodes are below no root, %d are in the list", rootless, len(f.rootlessNodes))
	}
	if linked != listed {
		t.Fatalf("%d nodes have parents, %d are in lists", linked, listed)
	}
	slots := map[int32]bool{}
	for i := range f.Chunks {
		if s := f.Chunks[i].CopySlot; s != None && slots[s] {
			t.Fatalf("two chunks have slot %d", s)
		} else if s != None {
			slots[s] = true
		}
	}
}

// known is the state of a node when its matrix was last computed.
type known struct {
	above ecs.Entity
	kind  int
}

// placedNodes returns the state of all nodes below roots.
func (w *world) placedNodes() map[ecs.Entity]known {
	all := map[ecs.Entity]known{}
	for e, s := range w.nodes {
		if w.level(e) > 0 {
			all[e] = known{s.above, s.kind}
		}
	}
	return all
}

// checkSteps checks that there is a step for every node that has arrived since the last MarkComputed,
// and for every node below it. The step of a node comes after the step of its parent.
func (w *world) checkSteps(t *testing.T, f *Forest, before map[ecs.Entity]known) {
	t.Helper()
	steps, ok := f.StepsIfFew(nil, 1000)
	if !ok {
		t.Fatal("they are too many")
	}
	turn := map[ecs.Entity]int{}
	for i, s := range steps {
		if _, twice := turn[s.Entity]; twice {
			t.Fatalf("%v is a step twice", s.Entity)
		}
		turn[s.Entity] = i
		if _, ok := turn[s.Parent]; !ok && !s.Arrived {
			t.Fatalf("%v is a step, and has not arrived, nor is its parent one", s.Entity)
		}
		if s.Arrived != f.Arrived[s.Place] || f.Chunks[s.Chunk].Arrivals == 0 && s.Arrived {
			t.Fatalf("%v has arrived: %v, by its place %v", s.Entity, s.Arrived, f.Arrived[s.Place])
		}
	}
	now := w.placedNodes()
	for e, k := range now {
		at, step := turn[e]
		if before[e] != k && (!step || !steps[at].Arrived) {
			t.Fatalf("%v has arrived, and is no step of those", e)
		}
		if up, ok := turn[k.above]; ok && (!step || at < up) {
			t.Fatalf("%v is below %v, and its step is not after that", e, k.above)
		}
	}
	for e := range turn {
		if _, ok := now[e]; !ok {
			t.Fatalf("%v is a step and below no root", e)
		}
	}
	if len(steps) > 0 {
		if _, ok := f.StepsIfFew(nil, len(steps)-1); ok {
			t.Fatal("fewer than there are were enough")
		}
	}
}

// The test makes thousands of random changes, a few at a time: it sets parents, makes and removes
// cycles, creates, destroys and hides entities, changes their archetype, reuses indices, and frees
// chunks. After each End the forest equals a new one.
func TestForestAgainstAnew(t *testing.T) {
	seeds, rounds := 12, 150
	if *full {
		seeds = 200
	}
	for seed := range seeds {
		capacity := []int{1, 3, 16, 40}[seed%4]
		t.Run(fmt.Sprintf("seed=%d/capacity=%d", seed, capacity), func(t *testing.T) {
			w, f := newWorld(uint64(seed), capacity), &Forest{}
			before, circles, seen := map[ecs.Entity]known{}, map[string]bool{}, 0
			for range rounds {
				for range w.r.IntN(6) {
					w.edit()
				}
				found := w.change(f)
				w.check(t, f)
				_, all := w.rebuildForest()
				var fresh []string
				now := map[string]bool{}
				for _, c := range all {
					if now[fmt.Sprint(c)] = true; !circles[fmt.Sprint(c)] {
						fresh = append(fresh, fmt.Sprint(c))
					}
				}
				var got []string
				for _, c := range found {
					got = append(got, fmt.Sprint(c))
				}
				if !slices.Equal(got, fresh) {
					t.Fatalf("new circles %v, want %v", got, fresh)
				}
				seen += len(found)
				circles = now
				w.checkSteps(t, f, before)
				if w.r.IntN(3) > 0 {
					f.MarkComputed()
					before = w.placedNodes()
					for h, c := range f.Chunks {
						if first := f.Place(int32(h), 0); f.Pending() || c.Arrivals > 0 || !c.Roots && slices.Contains(f.Arrived[first:first+int(c.Rows)], true) {
							t.Fatal("a row has still arrived")
						}
					}
				}
			}
			if seen == 0 {
				t.Error("there was no circle")
			}
		})
	}
}

// If the chunks of a forest grow, the forest allocates memory for the additional rows.
func TestForestWidens(t *testing.T) {
	w, f := newWorld(3, 2), &Forest{}
	for _, w.capacity = range []int{2, 20, 100, 300} {
		for range 100 {
			w.edit()
		}
		w.change(f)
		w.check(t, f)
	}
}
