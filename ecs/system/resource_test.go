package system

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// field is a value that jobs of these tests share: a number for each chunk.
type field struct {
	Marks  []int64
	Total  int64
	inside [3]atomic.Int32 // for each system: number of jobs that use it now
	met    atomic.Int32    // number of times that a job found one of another system there
}

// enter records that a chunk of system s uses the field. The returned function records that the use has
// ended.
func (f *field) enter(s int, writes bool) (leave func()) {
	f.inside[s].Add(1)
	look := func() {
		for other := range f.inside {
			if other != s && writes && f.inside[other].Load() != 0 {
				f.met.Add(1)
			}
		}
	}
	look()
	runtime.Gosched()
	return func() { look(); f.inside[s].Add(-1) }
}

// A job that writes a resource is ordered before or after every other job that uses the resource,
// even if the queries of the two jobs match different archetypes, or no archetype.
func TestResourceOrdersJobs(t *testing.T) {
	eachPool(t, func(t *testing.T, pool *jobs.Pool) {
		b := newBench(t)
		b.w = ecs.NewWorld("", ecs.OnPool(pool))
		const n = 10_000
		b.ok(b.w.CreateInto(b.w.Archetype(ecs.With[alpha]()), make([]ecs.Entity, n)))
		b.ok(b.w.CreateInto(b.w.Archetype(ecs.With[beta]()), make([]ecs.Entity, n)))
		r := ResourceOf[field](b.w)
		count, double, sum := new(probe), new(probe), new(probe)
		for _, p := range []*probe{count, double, sum} {
			p.log = &b.log
			b.adopt(p)
		}
		alphas := InstanceOf(b.w, count).query([]ecs.Term{ecs.Read[alpha](), ecs.Write[Resource[field]]()})
		betas := InstanceOf(b.w, double).query([]ecs.Term{ecs.Write[Resource[field]](), ecs.Read[beta]()})
		chunks := 0
		for c := range alphas.Chunks() {
			chunks = max(chunks, c.Index()+1)
		}
		if chunks < 2 {
			t.Fatalf("%d chunks", chunks)
		}
		r.Write().Marks = make([]int64, chunks)
		count.update = func(f *Frame) error {
			f.ParallelFor(alphas, chunkFunc(func(c *ecs.Chunk) {
				g := r.WriteIn(c)
				defer g.enter(0, true)()
				g.Marks[c.Index()]++
			}))
			return nil
		}
		double.update = func(f *Frame) error {
			f.ParallelFor(betas, chunkFunc(func(c *ecs.Chunk) {
				g := r.WriteIn(c)
				defer g.enter(1, true)()
				if i := c.Index(); i < len(g.Marks) {
					g.Marks[i] *= 2
				}
			}))
			return nil
		}
		var frame Setup
		frame.in = InstanceOf(b.w, sum)
		reads := frame.Access(ecs.Read[Resource[field]]())
		total := int64(0)
		sum.update = func(f *Frame) error {
			f.Schedule(jobs.Func(func(*jobs.Task) {
				g := r.ReadBy(reads)
				defer g.enter(2, true)()
				for _, m := range g.Marks {
					total += m
				}
			}), reads)
			return nil
		}
		b.ok(GetOrCreate[Simulation](b.w).Add(count, double, sum))
		mark, want := int64(0), int64(0)
		for range 10 {
			b.ok(Update(b.w))
			mark = 2 * (mark + 1)
			want += int64(chunks) * mark
		}
		if met := r.Read().met.Load(); met != 0 || total != want {
			t.Errorf("total is %d, want %d; %d meetings", total, want, met)
		}
	})
}

// Jobs that read a resource run at the same time. Before the owner reads the resource, it waits for the
// job that writes the resource.
func TestResourceReadersAndOwner(t *testing.T) {
	pool := newPool(t, 2)
	b := newBench(t)
	b.w = ecs.NewWorld("", ecs.OnPool(pool))
	b.w.Spawn(alpha{}, beta{})
	b.w.Spawn(alpha{}, gamma{})
	p, in := b.add("")
	r := ResourceOf[field](b.w)
	if r != ResourceOf[field](b.w) {
		t.Error("asked for twice, it is not the same")
	}
	here := [2]chan bool{make(chan bool), make(chan bool)}
	p.update = func(f *Frame) error {
		for i, with := range []ecs.Term{ecs.With[beta](), ecs.With[gamma]()} {
			f.ParallelFor(f.Query(with, ecs.Read[Resource[field]]()), chunkFunc(func(c *ecs.Chunk) {
				_ = r.ReadIn(c).Total
				close(here[i])
				select {
				case <-here[1-i]:
				case <-time.After(2 * time.Minute):
					t.Error("the other reader does not come")
				}
			}))
		}
		f.ParallelFor(f.Query(ecs.Read[alpha](), ecs.With[beta](), ecs.Write[Resource[field]]()), chunkFunc(func(c *ecs.Chunk) {
			time.Sleep(time.Millisecond)
			r.WriteIn(c).Total = r.ReadIn(c).Total + 5
		}))
		if got := r.Read().Total; got != 5 {
			t.Errorf("the owner reads %d", got)
		}
		r.Write().Total++
		return f.Run(f.Query(ecs.With[beta](), ecs.Write[Resource[field]]()), chunkFunc(func(c *ecs.Chunk) { r.WriteIn(c).Total++ }))
	}
	b.ok(in.Update())
	b.ok(b.w.Sync())
	if got := r.Read().Total; got != 7 {
		t.Errorf("total is %d, want 7", got)
	}
	var seen atomic.Int64
	b.w.Query(ecs.With[beta](), ecs.Read[Resource[field]]()).ParallelFor(chunkFunc(func(c *ecs.Chunk) {
		time.Sleep(time.Millisecond)
		seen.Store(r.ReadIn(c).Total)
	}))
	if r.Write().Total = 8; seen.Load() != 7 {
		t.Errorf("the owner writes before the reader has read: %d", seen.Load())
	}
	b.ok(b.w.Sync())
}

// panicError returns the value with which f panics as an error.
func panicError(f func()) (err error) {
	defer func() { err, _ = recover().(error) }()
	f()
	return nil
}

// An undeclared use is refused with the name of the resource and the term to add.
func TestResourceUndeclared(t *testing.T) {
	eachPool(t, func(t *testing.T, pool *jobs.Pool) {
		b := newBench(t)
		b.w = ecs.NewWorld("home", ecs.OnPool(pool))
		b.w.Spawn(alpha{}, beta{})
		r, other := ResourceOf[field](b.w), ResourceOf[field](ecs.NewWorld("other"))
		_, in := b.add("")
		s := &in.frame.Setup
		none, reads := s.Access(ecs.Write[alpha]()), s.Access(ecs.Read[Resource[field]](), ecs.Write[Resource[word]]())
		plain := b.w.Query(ecs.Read[alpha]())
		reading := b.w.Query(ecs.Read[alpha](), ecs.Read[Resource[field]](), ecs.Write[Resource[word]]())
		const name = "Resource[system.field]"
		tests := []struct {
			q    *ecs.Query
			do   func(c *ecs.Chunk)
			want string // "" means no error
		}{
			{plain, func(c *ecs.Chunk) { r.ReadIn(c) }, name + ": ReadIn: the query does not declare it: add ecs.Read[system." + name + "]()"},
			{plain, func(c *ecs.Chunk) { r.WriteIn(c) }, name + ": WriteIn: the query does not declare it: add ecs.Write[system." + name + "]()"},
			{reading, func(c *ecs.Chunk) { r.WriteIn(c) }, name + ": WriteIn: the query only reads it: declare ecs.Write"},
			{reading, func(c *ecs.Chunk) { r.ReadIn(c); ResourceOf[word](b.w) }, ""},
			{reading, func(c *ecs.Chunk) { other.ReadIn(c) }, name + ": ReadIn: the query does not declare it"},
			{reading, func(*ecs.Chunk) { r.ReadBy(none) }, name + ": ReadBy: the access does not declare it"},
			{reading, func(*ecs.Chunk) { r.ReadBy(nil) }, name + ": ReadBy: the access does not declare it"},
			{reading, func(*ecs.Chunk) { r.WriteBy(nil) }, name + ": WriteBy: the access does not declare it"},
			{reading, func(*ecs.Chunk) { r.WriteBy(reads) }, name + ": WriteBy: the access only reads it"},
			{reading, func(*ecs.Chunk) { r.ReadBy(reads); new(Resource[word]).mustBeOpen("Read") }, "the resource is of no world"},
		}
		ResourceOf[word](b.w)
		for i, tt := range tests {
			var err error
			b.ok(tt.q.Run(chunkFunc(func(c *ecs.Chunk) { err = panicError(func() { tt.do(c) }) })))
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%d: %v, want %q", i, err, tt.want)
			}
		}
		for i, do := range []func(*ecs.Chunk){
			func(c *ecs.Chunk) { r.WriteIn(c) }, func(*ecs.Chunk) { r.Read() }, func(*ecs.Chunk) { r.Write() },
		} {
			reading.ParallelFor(chunkFunc(do))
			if err := b.w.Sync(); !errors.Is(err, ecs.ErrState) {
				t.Errorf("job %d: %v, want ErrState", i, err)
			}
		}
		reading.ParallelFor(chunkFunc(func(*ecs.Chunk) { ResourceOf[turnover](b.w) }))
		if err := b.w.Sync(); !errors.Is(err, ecs.ErrState) {
			t.Errorf("made in a job: %v, want ErrState", err)
		}
	})
}

// A resource is not a component, so among the terms of a query only Read and Write may name it.
func TestResourceIsNoComponent(t *testing.T) {
	type res = Resource[field]
	w := ecs.NewWorld("home")
	e := w.Spawn(alpha{})
	q := func(terms ...ecs.Term) func() { return func() { w.Query(terms...) } }
	for what, do := range map[string]func(){
		"With":         q(ecs.With[res]()),
		"Without":      q(ecs.Without[res]()),
		"Changed":      q(ecs.Read[res](), ecs.Changed[res]()),
		"ChangedAny":   q(ecs.ChangedAny(ecs.Read[res]())),
		"AnyOf":        q(ecs.AnyOf(ecs.Read[res](), ecs.Read[alpha]())),
		"AllOf":        q(ecs.AnyOf(ecs.AllOf(ecs.Read[res](), ecs.Read[alpha]()), ecs.Read[beta]())),
		"Optional":     q(ecs.Optional(ecs.Write[res]())),
		"Anywhere":     q(ecs.Anywhere(ecs.Write[res]())),
		"twice":        q(ecs.Read[res](), ecs.Read[res]()),
		"Lookup":       func() { ecs.NewLookup[res](w.Query(ecs.Write[res]())) },
		"Archetype":    func() { w.Archetype(ecs.Read[res]()) },
		"AddAccess":    func() { panic(w.Scheduler().AddAccess(new(access.Access), ecs.With[res]())) },
		"Spawn":        func() { w.Spawn(res{}) },
		"Add":          func() { panic(ecs.Add(w, e, res{})) },
		"Commands.Add": func() { panic(ecs.Add(w.NewCommands(), e, res{})) },
	} {
		if err := panicError(do); !errors.Is(err, ecs.ErrArgument) {
			t.Errorf("%s: %v, want ErrArgument", what, err)
		}
	}
	if err := panicError(q(ecs.Read[res](), ecs.Write[res]())); !errors.Is(err, ecs.ErrState) {
		t.Errorf("read and written: %v, want ErrState", err)
	}
	both := w.Query(ecs.Read[alpha](), ecs.Write[res]())
	if both != w.Query(ecs.Write[res](), ecs.Read[alpha]()) || both.Count() != 1 {
		t.Errorf("%v is made twice, or matches %d", both, both.Count())
	}
}

// ledger has a hash, and records that it was closed.
type ledger struct {
	sum uint64
	end func() error
}

func (l *ledger) Hash() uint64 { return l.sum }
func (l *ledger) Close() error { return l.end() }

// Each world has its own resource. If the value has a method Hash, it is part of the world's hash.
func TestResourceHash(t *testing.T) {
	one, two := ecs.NewWorld("one"), ecs.NewWorld("two")
	bare := one.Hash()
	ResourceOf[field](one).Write().Total = 9
	if ResourceOf[field](two).Read().Total != 0 {
		t.Error("two worlds share a resource")
	}
	if one.Hash() != bare {
		t.Error("a resource without a hash changes that of the world")
	}
	ResourceOf[ledger](one).Write().sum = 1
	*ResourceOf[*ledger](one).Write() = &ledger{sum: 2}
	*ResourceOf[*ledger](two).Write() = &ledger{sum: 2}
	ResourceOf[ledger](two)
	if one.Hash() == bare || one.Hash() == two.Hash() {
		t.Error("the hash does not see the resource")
	}
	ResourceOf[ledger](two).Write().sum = 1
	if one.Hash() != two.Hash() {
		t.Error("the order in which resources were made changes the hash")
	}
	(*ResourceOf[*ledger](two).Read()).sum = 3
	if one.Hash() == two.Hash() {
		t.Error("the hash does not see the resource behind a pointer")
	}
}

// When a world is closed, the resources are closed after the systems, in the reverse order of their
// creation. If one of them fails, the others are still closed.
func TestResourceClose(t *testing.T) {
	b := newBench(t)
	bad := errors.New("bad")
	p, _ := b.add("system")
	r, behind := ResourceOf[ledger](b.w), ResourceOf[*ledger](b.w)
	r.Write().end = func() error { b.log = append(b.log, "first"); return bad }
	*behind.Write() = &ledger{end: func() error { b.log = append(b.log, "second"); panic("ouch") }}
	_ = p
	err := b.w.Close()
	var panicking *PanicError
	if !errors.Is(err, bad) || !errors.As(err, &panicking) || !strings.Contains(err.Error(), "system: Resource[system.ledger]: Close: bad") {
		t.Errorf("got %v", err)
	}
	b.want("system create, system destroy, second, first")
	for what, do := range map[string]func(){"Read": func() { r.Read() }, "ResourceOf": func() { ResourceOf[ledger](b.w) }, "new": func() { ResourceOf[field](b.w) }} {
		if err := panicError(do); !errors.Is(err, ecs.ErrDisposed) {
			t.Errorf("%s: %v, want ErrDisposed", what, err)
		}
	}
	if err := panicError(func() { ResourceOf[ledger](nil) }); !errors.Is(err, ecs.ErrArgument) {
		t.Errorf("no world: %v, want ErrArgument", err)
	}
}

// fielding writes the field in a job over a query, and reads the field in a job that is not over a
// query.
type fielding struct {
	q     *ecs.Query
	r     *Resource[field]
	reads *access.Access
}

func (s *fielding) Create(u *Setup) error {
	s.q = u.Query(ecs.Read[alpha](), ecs.Write[Resource[field]]())
	s.reads = u.Access(ecs.Read[Resource[field]]())
	s.r = ResourceOf[field](u.World())
	s.r.Write().Marks = make([]int64, 1000)
	return nil
}

func (s *fielding) Update(f *Frame) error {
	f.ParallelFor(s.q, s)
	f.Schedule(s, s.reads)
	s.r.Write().Total++
	return nil
}

func (s *fielding) Chunk(c *ecs.Chunk) { s.r.WriteIn(c).Marks[c.Index()]++ }

func (s *fielding) Run(*jobs.Task) {
	if m := s.r.ReadBy(s.reads).Marks; m[0] == 0 || m[1] != m[0] {
		panic(fmt.Sprint("the reader is early: ", m[:2]))
	}
}

func TestResourceAllocatesNothing(t *testing.T) {
	eachPool(t, func(t *testing.T, pool *jobs.Pool) {
		w := newWorld(t, Only(Of[fielding]()), OnPool(pool))
		spawnAlphas(w, 20_000)
		frame := func() { must(t, Update(w)) }
		for range 50 {
			frame()
		}
		e := Explain(w)
		if !strings.Contains(fmt.Sprint(e.Order), "Resource[") {
			t.Errorf("Explain does not name the resource: %v", e.Order)
		}
		if guard || raceEnabled {
			return // these builds allocate for their checks
		}
		n := testing.AllocsPerRun(100, frame)
		for round := 0; n != 0 && round < 10; round++ {
			n = testing.AllocsPerRun(100, frame)
		}
		if n != 0 {
			t.Errorf("%v allocations a frame", n)
		}
	})
}
