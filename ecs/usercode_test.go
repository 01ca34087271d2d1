package ecs

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/jobs/access"
)

// trap panics at a given call.
var trap struct {
	calls, at int // at 0: never
}

func spring() {
	if trap.calls++; trap.calls == trap.at {
		panic("the user's method")
	}
}

// touchy is a shared value whose methods can panic. Many different values have the same hash.
type touchy struct {
	Shared
	N  int
	To Entity
}

func (v touchy) Equal(o touchy) bool { spring(); return v == o }
func (v touchy) Hash() uint64        { spring(); return uint64(v.N % 2) }

// heard is a shared value that records the calls of Retain and Release, which can panic.
type heard struct {
	Shared
	N    int
	held *map[int]int
}

func (v heard) Retain()  { (*v.held)[v.N]++; spring() }
func (v heard) Release() { (*v.held)[v.N]--; spring() }

// callFailing calls f. The trap makes the k-th call of a user's method panic, and callFailing reports
// whether this happened. Afterwards the trap is off.
func callFailing(k int, f func() error) (panicked bool, err error) {
	trap.calls, trap.at = 0, k
	defer func() {
		trap.at = 0
		if v := recover(); v != nil {
			if v != "the user's method" {
				panic(v)
			}
			panicked = true
		}
	}()
	return false, f()
}

// scene consists of two worlds. The methods of all shared values in them can panic.
type scene struct {
	w, src   *World
	bare     []Entity // without the value
	ids      []Entity // with two values
	root     Entity   // root of a linked group of ids
	model    Entity   // a prefab
	spare    Entity   // no operation touches it
	away     []Entity // in src
	q, other *Query
	only     *Query       // for one value
	from     *Query       // in src
	own, its *Image       // images of w, of src
	here     *ImageStream // of the image its; some rows have come
	x        *Excerpt     // of away
	cmd      *Commands
	less     int // number of commands to leave out
}

// sceneOf creates a scene. The function give returns a shared value with a given number.
func sceneOf[T comparable](t *testing.T, give func(n int, to Entity) T) *scene {
	s := &scene{w: newWorld(t, 1), src: newWorld(t, 1)}
	for i := range 3 {
		s.bare = append(s.bare, s.w.Spawn(A{int32(i)}))
	}
	for i := range 4 {
		s.ids = append(s.ids, s.w.Spawn(A{int32(i)}, B{}, En{}, give(1+i/2, s.bare[0]), Cl{}))
	}
	s.root = s.w.Spawn(BufferOf[Linked](), give(5, Entity{}))
	must(t, Set(s.w, s.root, BufferOf(Linked{s.root}, Linked{s.ids[0]}, Linked{s.ids[3]})))
	s.model = s.w.Spawn(Prefab{}, C{}, give(6, Entity{}))
	s.spare = s.w.Spawn(C{})
	for i := range 6 {
		to := Entity{}
		if i > 0 {
			to = s.away[i-1]
		}
		e := s.src.Spawn(A{int32(i)}, give(1+i, to))
		s.away = append(s.away, e)
	}
	s.src.Spawn(give(9, s.away[5]), PerChunk[D]{})
	s.q, s.other = s.w.Query(With[A]()), s.w.Query(With[T]())
	s.from = s.src.Query(With[A](), With[T]())
	s.only = s.w.Query(With[A](), WithShared(give(1, s.bare[0])))
	s.cmd = s.w.NewCommands()
	s.its, s.own = mustCapture(t, s.src, nil), mustCapture(t, s.w, nil)
	must(t, Set(s.w, s.ids[2], give(8, Entity{})))
	var err error
	s.here, err = NewImageStream(s.its)
	must(t, err)
	must(t, s.here.Begin(s.w))
	_, err = s.here.Load(2)
	must(t, err)
	s.x = &Excerpt{}
	must(t, s.x.Extract(s.src, s.away, nil))
	return s
}

// hash returns the hashes of both worlds. It also checks the invariants of both worlds, and that no
// change is still in progress, because other goroutines would wait for its end.
func (s *scene) hash(t *testing.T) string {
	t.Helper()
	checkWorlds(t, s.w, s.src)
	for _, w := range []*World{s.w, s.src} {
		if o := &w.gate.owner; o.changingG != 0 || o.methodG != 0 || o.awaitedCalls != 0 || w.gate.activeLoops != 0 || len(w.shared.uncounted) != 0 {
			t.Errorf("a change is open: %+v, %d loops, %d values", o, w.gate.activeLoops, len(w.shared.uncounted))
		}
	}
	n := 0
	for e := range s.w.Entities() {
		if !s.w.Exists(e) {
			t.Errorf("%v is listed, but does not exist", e)
		}
		n++
	}
	if n != s.w.Len() {
		t.Errorf("%d entities are listed, Len is %d", n, s.w.Len())
	}
	return fmt.Sprintf("%016x %016x", s.w.Hash(), s.src.Hash())
}

// playLater plays the command that f records, next to commands that call no method of the user. The
// command of f comes between two such commands, or after one of them.
func (s *scene) playLater(f func(c *Commands) error) error {
	s.cmd.Reset()
	for _, record := range []func(c *Commands) error{
		func(c *Commands) error { return Set(c, s.spare, C{X: 77}) },
		f,
		func(c *Commands) error { return Set(c, s.spare, C{X: 78}) },
	}[:3-s.less] {
		if err := record(s.cmd); err != nil {
			return err
		}
	}
	return s.cmd.Playback(s.w)
}

// sharedOps holds every operation that changes structure or shared values; give returns a shared
// value.
func sharedOps[T comparable](give func(n int, to Entity) T) map[string]func(s *scene) error {
	errOf := func(_ any, err error) error { return err }
	v, old := give(11, Entity{}), give(1, Entity{})
	direct := map[string]func(s *scene) error{
		"Spawn":        func(s *scene) error { s.w.Spawn(A{}, v); return nil },
		"Spawn, known": func(s *scene) error { s.w.Spawn(D{}, old); return nil },
		"Archetype, Create": func(s *scene) error {
			s.w.Create(s.w.Archetype(With[T](), With[D]()), 3)
			return nil
		},
		"CreateChunks": func(s *scene) error {
			s.w.CreateChunks(s.w.Archetype(With[T]()), 3)
			return nil
		},
		"CreateInto":           func(s *scene) error { return s.w.CreateInto(s.w.Archetype(With[T]()), make([]Entity, 3)) },
		"Instantiate":          func(s *scene) error { return errOf(s.w.Instantiate(s.root, 3)) },
		"InstantiateInto":      func(s *scene) error { return s.w.InstantiateInto(s.model, make([]Entity, 3)) },
		"InstantiateAll":       func(s *scene) error { return errOf(s.w.InstantiateAll(s.ids)) },
		"CloneAll":             func(s *scene) error { return errOf(s.w.CloneAll(s.ids)) },
		"Destroy":              func(s *scene) error { return s.w.Destroy(s.model) },
		"Destroy, group":       func(s *scene) error { return s.w.Destroy(s.root) },
		"DestroyAll":           func(s *scene) error { return DestroyAll(s.w, Entities(append(s.ids, s.bare[0], s.root))) },
		"DestroyAll(Matching)": func(s *scene) error { return DestroyAll(s.w, Matching(s.q)) },
		"Add":                  func(s *scene) error { return Add(s.w, s.bare[1], v) },
		"Add, another":         func(s *scene) error { return Add(s.w, s.ids[1], give(2, s.bare[0])) },
		"Add, plain":           func(s *scene) error { return Add(s.w, s.ids[1], D{5}) },
		"Set":                  func(s *scene) error { return Set(s.w, s.ids[1], v) },
		"Set, last":            func(s *scene) error { return Set(s.w, s.model, v) },
		"Ensure":               func(s *scene) error { return errOf(Ensure[T](s.w, s.bare[0])) },
		"Remove":               func(s *scene) error { return errOf(Remove[T](s.w, s.model)) },
		"Remove, plain":        func(s *scene) error { return errOf(Remove[B](s.w, s.ids[2])) },
		"AddTypes":             func(s *scene) error { return AddTypes(s.w, One(s.bare[0]), With[T](), With[D]()) },
		"RemoveTypes":          func(s *scene) error { return RemoveTypes(s.w, One(s.model), With[T](), With[C]()) },
		"SetArchetype":         func(s *scene) error { return s.w.SetArchetype(s.model, s.w.Archetype(With[C]())) },
		"AddTypes(List)":       func(s *scene) error { return AddTypes(s.w, Entities(s.bare), With[T](), With[C]()) },
		"RemoveTypes(List)":    func(s *scene) error { return RemoveTypes(s.w, Entities(s.ids), With[T](), With[A]()) },
		"AddTypes(Matching)": func(s *scene) error {
			return AddTypes(s.w, Matching(s.q), With[T](), With[C]())
		},
		"RemoveTypes(Matching)":   func(s *scene) error { return RemoveTypes(s.w, Matching(s.other), With[T]()) },
		"AddAll":                  func(s *scene) error { return AddAll(s.w, Entities(append(s.ids[1:3:3], s.bare...)), v) },
		"AddAll, one run":         func(s *scene) error { return AddAll(s.w, Entities(s.bare), v) },
		"AddAll(Matching)":        func(s *scene) error { return AddAll(s.w, Matching(s.q), v) },
		"AddAll(Matching), plain": func(s *scene) error { return AddAll(s.w, Matching(s.other), D{1}) },
		"AddAll(LinkedTo)":        func(s *scene) error { return AddAll(s.w, LinkedTo(s.root, s.q), v) },
		"SetAll(LinkedTo)":        func(s *scene) error { return SetAll(s.w, LinkedTo(s.root, nil), v) },
		"SetEnabledAll(Matching)": func(s *scene) error { return SetEnabledAll[En](s.w, Matching(s.w.Query(With[En]())), false) },
		"SetValues":               func(s *scene) error { return SetValues(s.w.Query(Write[A](), With[B]()), make([]A, 4)) },
		"SetActive":               func(s *scene) error { return s.w.SetActive(s.root, false) },
		"MoveEntities":            func(s *scene) error { return MoveEntities(s.w, s.src, nil) },
		"MoveEntities, moved":     func(s *scene) error { return MoveEntities(s.w, s.src, &EntityMap{}) },
		"MoveMatching":            func(s *scene) error { return MoveMatching(s.w, s.from, nil) },
		"CopyFrom":                func(s *scene) error { return errOf(CopyEntities(s.w, s.src, s.away)) },
		"Query": func(s *scene) error {
			return s.w.Query(With[A](), WithShared(give(3, Entity{}))).Close()
		},
		"Query, other world": func(s *scene) error { s.src.Query(WithShared(v), WithShared(Sh{Value: 9})); return nil },
		"Untyped.Add":        func(s *scene) error { return s.w.Untyped().Add(s.bare[0], reflect.TypeFor[T](), v) },
		"Untyped.Add, has":   func(s *scene) error { return s.w.Untyped().Add(s.ids[1], reflect.TypeFor[T](), v) },
		"Exchange":           func(s *scene) error { return Exchange[T](s.w, Entities(s.ids), D{1}) },
		"CreateShared": func(s *scene) error {
			return errOf(s.w.CreateShared(s.w.Archetype(With[T](), With[C]()), 3, v))
		},
		"Swap":             func(s *scene) error { return s.w.Swap(s.ids[0], s.ids[1]) },
		"Capture":          func(s *scene) error { return errOf(Capture(s.w, s.own)) },
		"Restore":          func(s *scene) error { return Restore(s.w, s.own) },
		"Restore, another": func(s *scene) error { return Restore(s.w, s.its) },
		"Fork": func(s *scene) error {
			w, err := Fork(s.its, "fork")
			if err != nil {
				return err
			}
			return w.Close()
		},
		"ImageStream.Load":   func(s *scene) error { return errOf(s.here.Load(100)) },
		"ImageStream.Unload": func(s *scene) error { return errOf(s.here.Unload(100)) },
		"Excerpt.Extract": func(s *scene) error {
			return (&Excerpt{}).Extract(s.src, s.away[2:], func(Entity) (uint64, error) { spring(); return 1, nil })
		},
		"Excerpt.Insert": func(s *scene) error { return errOf(s.x.Insert(s.w, nil)) },
		"Excerpt.DestroySource": func(s *scene) error {
			if err := s.x.DestroySource(); err != nil {
				return err
			}
			if err := s.src.Sync(); err != nil { // it returns the panic of Release
				panic("the user's method")
			}
			return nil
		},
		"OrderBy": func(s *scene) error {
			return OrderBy(s.w, s.q, func(c *Chunk, keys []uint64) {
				spring()
				for i := range keys {
					keys[i] = uint64(-i)
				}
			})
		},
		"Exchange(Matching)": func(s *scene) error { return Exchange[T](s.w, Matching(s.other), D{1}) },
		"Exchange, one":      func(s *scene) error { return Exchange[T](s.w, One(s.model), D{1}) },
		"Compact":            func(s *scene) error { return Compact(s.w) },
		"Defragment":         func(s *scene) error { return Defragment(s.w) },
		"Transaction": func(s *scene) error {
			x, err := BeginTransaction(s.w)
			if err != nil {
				return err
			}
			var panicked any
			x.Schedule(TransactionFunc(func(w *World) error {
				defer func() { panicked = recover() }()
				return Set(w, s.model, v)
			}))
			if err := x.End(); err != nil {
				return err
			}
			if panicked != nil {
				panic(panicked)
			}
			return nil
		},
	}
	for name, f := range map[string]func(c *Commands, s *scene) error{
		"Create":                  func(c *Commands, s *scene) error { return errOf(c.Create(s.w.Archetype(With[T]()))) },
		"Spawn":                   func(c *Commands, s *scene) error { return errOf(c.Spawn(A{}, Ref{To: s.root}, v)) },
		"Instantiate":             func(c *Commands, s *scene) error { return errOf(c.Instantiate(s.root)) },
		"Destroy":                 func(c *Commands, s *scene) error { return c.Destroy(s.root) },
		"Add":                     func(c *Commands, s *scene) error { return Add(c, s.bare[1], v) },
		"Set":                     func(c *Commands, s *scene) error { return Set(c, s.model, v) },
		"Ensure":                  func(c *Commands, s *scene) error { return errOf(Ensure[T](c, s.bare[0])) },
		"Remove":                  func(c *Commands, s *scene) error { return errOf(Remove[T](c, s.model)) },
		"AddTypes":                func(c *Commands, s *scene) error { return AddTypes(c, One(s.bare[0]), With[T]()) },
		"RemoveTypes":             func(c *Commands, s *scene) error { return RemoveTypes(c, One(s.model), With[T]()) },
		"SetArchetype":            func(c *Commands, s *scene) error { return c.SetArchetype(s.model, s.w.Archetype(With[C]())) },
		"SetActive":               func(c *Commands, s *scene) error { return c.SetActive(s.root, false) },
		"SetEnabled":              func(c *Commands, s *scene) error { return SetEnabled[En](c, s.ids[0], false) },
		"SetEnabledAll(Matching)": func(c *Commands, s *scene) error { return SetEnabledAll[En](c, Matching(s.w.Query(With[En]())), false) },
		"DestroyAll":              func(c *Commands, s *scene) error { return DestroyAll(c, Entities(s.ids)) },
		"DestroyAll(Matching)":    func(c *Commands, s *scene) error { return DestroyAll(c, Matching(s.q)) },
		"AddTypes(List)":          func(c *Commands, s *scene) error { return AddTypes(c, Entities(s.bare), With[T]()) },
		"AddTypes(Matching)":      func(c *Commands, s *scene) error { return AddTypes(c, Matching(s.q), With[T]()) },
		"RemoveTypes(List)":       func(c *Commands, s *scene) error { return RemoveTypes(c, Entities(s.ids), With[T]()) },
		"RemoveTypes(Matching)":   func(c *Commands, s *scene) error { return RemoveTypes(c, Matching(s.other), With[T]()) },
		"Exchange":                func(c *Commands, s *scene) error { return Exchange[T](c, One(s.model), D{1}) },
		"Exchange(List)":          func(c *Commands, s *scene) error { return Exchange[T](c, Entities(s.ids), D{1}) },
		"Exchange(Matching)":      func(c *Commands, s *scene) error { return Exchange[T](c, Matching(s.other), D{1}) },
		"AddAll":                  func(c *Commands, s *scene) error { return AddAll(c, Entities(append(s.ids[1:3:3], s.bare...)), v) },
		"AddAll(Matching)":        func(c *Commands, s *scene) error { return AddAll(c, Matching(s.q), v) },
		"AddAll(LinkedTo)":        func(c *Commands, s *scene) error { return AddAll(c, LinkedTo(s.root, s.q), v) },
		"SetAll(LinkedTo)":        func(c *Commands, s *scene) error { return SetAll(c, LinkedTo(s.root, nil), v) },
		"AppendBuffer":            func(c *Commands, s *scene) error { return AppendBuffer(c, s.root, Linked{s.ids[1]}) },
	} {
		direct["Commands: "+name] = func(s *scene) error {
			return s.playLater(func(c *Commands) error { return f(c, s) })
		}
	}
	return direct
}

// TestEqualAndHashPanic tries each operation that calls Equal or Hash of a shared value, and each of these calls: the
// call panics. The operation must change nothing, and must succeed at the next attempt. The commands before the one
// that panics must remain done.
func TestEqualAndHashPanic(t *testing.T) {
	give := func(n int, to Entity) touchy { return touchy{N: n, To: to} }
	asked := 0
	for name, op := range sharedOps(give) {
		s := sceneOf(t, give)
		before := s.hash(t)
		if strings.HasPrefix(name, "Commands") {
			s.less = 2
			must(t, op(s))
			before = s.hash(t)
		}
		s = sceneOf(t, give)
		_, err := callFailing(0, func() error { return op(s) })
		must(t, err)
		calls := trap.calls
		after := s.hash(t)
		if calls > 0 {
			asked++
		}
		for k := 1; k <= min(12, calls); k++ {
			s := sceneOf(t, give)
			panicked, err := callFailing(k, func() error { return op(s) })
			if err != nil || !panicked {
				t.Errorf("%s, call %d of %d: error %v, a panic: %v", name, k, calls, err, panicked)
			}
			if got := s.hash(t); got != before {
				t.Errorf("%s, call %d of %d: the worlds are %s, want %s", name, k, calls, got, before)
			}
			must(t, op(s))
			if got := s.hash(t); got != after && !strings.HasPrefix(name, "Query") {
				t.Errorf("%s, call %d of %d, again: the worlds are %s, want %s", name, k, calls, got, after)
			}
		}
	}
	if asked < 25 {
		t.Errorf("%d operations have called Equal or Hash", asked)
	}
}

// TestRetainAndReleasePanic checks that an operation is complete before it calls Retain and Release of
// shared values. Each of these methods must be called once for each value, even if some calls panic.
func TestRetainAndReleasePanic(t *testing.T) {
	asked := 0
	for name := range sharedOps(func(n int, _ Entity) heard { return heard{} }) {
		if name == "OrderBy" {
			continue // its function is called before any change
		}
		held := map[int]int{}
		give := func(n int, _ Entity) heard { return heard{N: n, held: &held} }
		op := sharedOps(give)[name]
		prepare := func() *scene { clear(held); return sceneOf(t, give) }
		check := func(s *scene, when string, want string) {
			t.Helper()
			if got := s.hash(t); want != "" && got != want {
				t.Errorf("%s, %s: the worlds are %s, want %s", name, when, got, want)
			}
			use := map[int]int{}
			for _, v := range append(values[heard](s.w)[1:], values[heard](s.src)[1:]...) {
				use[v.N]++ // a value of 0 is the default
			}
			for n := range 20 {
				if held[n] != use[n] {
					t.Errorf("%s, %s: value %d is held %d times, and was told %d", name, when, n, use[n], held[n])
				}
			}
		}
		s := prepare()
		_, err := callFailing(0, func() error { return op(s) })
		must(t, err)
		calls := trap.calls
		if calls > 0 {
			asked++
		}
		check(s, "without a panic", "")
		after := s.hash(t)
		if strings.HasPrefix(name, "Commands") {
			s = prepare()
			s.less = 1
			must(t, op(s))
			after = s.hash(t)
		}
		for k := 1; k <= min(12, calls); k++ {
			s := prepare()
			panicked, err := callFailing(k, func() error { return op(s) })
			if err != nil || !panicked {
				t.Errorf("%s, call %d of %d: error %v, a panic: %v", name, k, calls, err, panicked)
			}
			check(s, fmt.Sprint("call ", k), after)
		}
	}
	if asked < 20 {
		t.Errorf("%d operations have called Retain or Release", asked)
	}
}

// TestHooksPanic checks hooks that panic. The operation that calls the hook must have no effect.
// Errors of jobs must not be lost, and the world must stay usable.
func TestHooksPanic(t *testing.T) {
	for name, hook := range map[string]func(w *World){
		"sync":   func(w *World) { w.Hooks().OnSync(spring) },
		"commit": func(w *World) { w.Hooks().OnCommit(func(string) { spring() }) },
		"wait": func(w *World) {
			w.Hooks().OnWait(func(*access.Access) func() { spring(); return func() {} })
		},
		"waited": func(w *World) {
			w.Hooks().OnWait(func(*access.Access) func() { return spring })
		},
	} {
		w := newWorld(t, 2)
		e := w.Spawn(A{1})
		q := w.Query(Write[A]())
		hook(w)
		hash := w.Hash()
		h := q.ParallelFor(chunkFunc(func(*Chunk) { panic("the job") }))
		_, _ = h.Wait(), h
		if panicked, err := callFailing(1, func() error { return w.Destroy(e) }); !panicked || err != nil {
			t.Errorf("%s: a panic: %v, error %v", name, panicked, err)
		}
		must(t, integrity(w))
		if !w.Exists(e) {
			t.Errorf("%s: the change was made all the same", name)
		}
		if err := w.Sync(); err == nil || !strings.Contains(err.Error(), "the job") {
			t.Errorf("%s: what the job said is lost: %v", name, err)
		}
		if got := w.Hash(); got != hash {
			t.Errorf("%s: the hash is %x, want %x", name, got, hash)
		}
		must(t, w.Destroy(e))
	}
	closed := 0
	w := newWorld(t, 1)
	w.Spawn(A{1})
	w.Hooks().OnClose(func() error { closed++; return nil })
	w.Hooks().OnClose(func() error { spring(); return nil })
	if panicked, _ := callFailing(1, w.Close); !panicked || w.Len() != 1 {
		t.Error("a function that Close calls has not panicked, or the world is empty")
	}
	must(t, integrity(w))
	must(t, w.Close())
	if closed != 1 {
		t.Errorf("a function of OnClose was called %d times", closed)
	}
}

// TestJobsOfTheOwnerPanic checks loops of the owner whose body panics. The world must be
// unchanged, and it must be possible to change it afterwards.
func TestJobsOfTheOwnerPanic(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1})
	q := w.Query(Read[A]())
	for name, f := range map[string]func() error{
		"Run": func() error { return q.Run(chunkFunc(func(*Chunk) { spring() })) },
		"Chunks": func() error {
			for range q.Chunks() {
				spring()
			}
			return nil
		},
		"Entities": func() error {
			for range w.Entities() {
				spring()
			}
			return nil
		},
		"Create": func() error {
			for range w.Create(w.ArchetypeOf(e), 1).Chunks() {
				spring()
			}
			return nil
		},
	} {
		if panicked, _ := callFailing(1, f); !panicked {
			t.Errorf("%s: no panic", name)
		}
		must(t, Add(w, e, B{}))
		must(t, integrity(w))
	}
}
