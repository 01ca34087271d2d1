package ecs

import (
	"math/rand/v2"
	"slices"
	"testing"
)

type (
	En struct {
		Enableable
		Value int32
	}
	En2 struct {
		Enableable
		Value int32
	}
	EnTag  struct{ Enableable }
	ElemEn struct {
		Enableable
		Value int32
	}
)

func (En) Column() (c []En) { return }

// enabled reports whether a component is on. It fails the test if the component is missing.
func enabled[T any](t testing.TB, w *World, e Entity) bool {
	t.Helper()
	on, err := Enabled[T](w, e)
	must(t, err)
	return on
}

// Conformance: 117.
func TestEnabledAtFirst(t *testing.T) {
	w := newWorld(t, 1)
	made := w.Spawn(En{Value: 1}, EnTag{})
	added := w.Spawn(A{1})
	must(t, Add(w, added, En{Value: 2}))
	later := w.Spawn(A{2})
	cmd := w.NewCommands()
	must(t, Add(cmd, later, EnTag{}))
	must(t, cmd.Playback(w))
	if !enabled[En](t, w, made) || !enabled[EnTag](t, w, made) || !enabled[En](t, w, added) || !enabled[EnTag](t, w, later) {
		t.Error("a new component is off")
	}
}

// Conformance: 118.
func TestDisabledInQueries(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(En{Value: 5}, A{1})
	plain := w.Spawn(A{2})
	must(t, SetEnabled[En](w, e, false))
	if !Has[En](w, e) || get[En](t, w, e).Value != 5 || enabled[En](t, w, e) {
		t.Error("a component that is off is not there")
	}
	must(t, Set(w, e, En{Value: 6}))
	if get[En](t, w, e).Value != 6 {
		t.Error("a component that is off cannot be written")
	}
	for _, c := range []struct {
		terms []Term
		want  []Entity
	}{
		{[]Term{With[En]()}, nil},
		{[]Term{Read[En]()}, nil},
		{[]Term{Disabled[En]()}, []Entity{e}},
		{[]Term{Disabled[En](), Optional(Write[En]())}, []Entity{e}},
		{[]Term{With[A](), Without[En]()}, []Entity{e, plain}},
		{[]Term{Present[En]()}, []Entity{e}},
		{[]Term{With[A](), Absent[En]()}, []Entity{plain}},
		{[]Term{AnyOf(Read[En](), With[A]())}, []Entity{e, plain}},
		{[]Term{AnyOf(Read[En](), With[B]())}, nil},
		{[]Term{With[A](), Optional(Read[En]())}, []Entity{e, plain}},
	} {
		q := w.Query(c.terms...)
		if got := q.AppendEntities(nil); !slices.Equal(got, c.want) || q.Count() != len(c.want) || q.Empty() != (len(c.want) == 0) {
			t.Errorf("%v matches %v, want %v", q, got, c.want)
		}
		for _, id := range []Entity{e, plain} {
			if q.Matches(id) != slices.Contains(c.want, id) {
				t.Errorf("%v matches %v: %v", q, id, q.Matches(id))
			}
		}
	}
}

// Conformance: 121.
func TestNotEnableable(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1}, En{})
	bare := w.Spawn(A{1})
	wantCategory(t, ErrArgument, SetEnabled[A](w, e, true))
	_, err := Enabled[A](w, e)
	wantCategory(t, ErrArgument, err)
	wantCategory(t, ErrArgument, SetEnabled[En](w, bare, true))
	wantCategory(t, ErrArgument, SetEnabled[En](w, Entity{}, true))
	wantCategory(t, ErrArgument, SetEnabled[int32](w, e, true))
	_, err = Enabled[int32](w, e)
	wantCategory(t, ErrArgument, err)
	wantCategory(t, ErrArgument, SetEnabledAll[A](w, Matching(w.Query(With[A]())), true))
	wantCategory(t, ErrArgument, SetEnabledAll[En](w, Matching(w.Query(With[A]())), true))
	wantCategory(t, ErrArgument, SetEnabledAll[int32](w, Matching(w.Query(With[A]())), true))
	wantCategory(t, ErrArgument, SetEnabledAll[En](w, Matching(nil), true))
	for c := range w.Query(Write[A](), Read[En]()).Chunks() {
		wantPanic(t, ErrArgument, func() { SetEnabledAt[A](c, 0, false) })
		wantPanic(t, ErrArgument, func() { EnabledAt[A](c, 0) })
		wantPanic(t, ErrState, func() { SetEnabledAt[En](c, 0, false) })
		wantPanic(t, ErrRange, func() { EnabledAt[En](c, 1) })
		wantPanic(t, ErrState, func() { EnabledAt[EnTag](c, 0) })
	}
	wantPanic(t, ErrArgument, func() { NewWorldLookup[A](w).SetEnabled(e, false) })
	wantPanic(t, ErrArgument, func() { NewWorldLookup[A](w).Enabled(e) })
	cmd := w.NewCommands()
	must(t, SetEnabled[A](cmd, e, false))
	wantCategory(t, ErrArgument, cmd.Playback(w))
	wantCategory(t, ErrState, SetEnabled[En](cmd, e, false))
	wantCategory(t, ErrArgument, SetEnabled[int32](w.NewCommands(), e, false))
}

// Conformance: 122.
func TestDisabledOfPlain(t *testing.T) {
	w := newWorld(t, 1)
	wantPanic(t, ErrState, func() { w.Query(Disabled[A]()) })
}

// Conformance: 124.
func TestCountHeedsSwitches(t *testing.T) {
	w := newWorld(t, 1)
	ids := make([]Entity, 1000)
	must(t, w.CreateInto(w.Archetype(With[En]()), ids))
	for i := 0; i < len(ids); i += 100 {
		must(t, SetEnabled[En](w, ids[i], false))
	}
	q := w.Query(Read[En]())
	if got, all := q.Count(), q.CountUnfiltered(); got != 990 || all != 1000 {
		t.Errorf("counts are %d and %d, want 990 and 1000", got, all)
	}
	must(t, SetEnabledAll[En](w, Matching(q), false))
	if q.Count() != 0 || q.ChunkCount() != 0 || !q.Empty() || q.EmptyUnfiltered() {
		t.Error("everything is off, and matches")
	}
	must(t, SetEnabledAll[En](w, Matching(q), true))
	if q.Count() != 1000 {
		t.Error("everything is on, and does not match")
	}
}

// Conformance: 126.
func TestIgnoreEnabled(t *testing.T) {
	w := newWorld(t, 1)
	off := w.Spawn(En{}, A{})
	must(t, SetEnabled[En](w, off, false))
	on := w.Spawn(En{}, A{})
	w.Spawn(A{})
	tagged := w.Spawn(En{}, A{}, Tag{})
	q := w.Query(Read[En](), Without[Tag](), IgnoreEnabled())
	if got := q.AppendEntities(nil); !slices.Equal(got, []Entity{off, on}) || q.Matches(tagged) {
		t.Errorf("got %v", got)
	}
	if got := w.Query(With[A](), Without[En](), IgnoreEnabled()).Count(); got != 4 {
		t.Errorf("bits of Without are heeded: %d match, want 4", got)
	}
}

// Together with other components, these are nine enableable components, which is one more than a
// query may name.
type (
	en3 struct{ Enableable }
	en4 struct{ Enableable }
	en5 struct{ Enableable }
	en6 struct{ Enableable }
	en7 struct{ Enableable }
	en8 struct{ Enableable }
	en9 struct{ Enableable }
)

// Conformance: 127.
func TestTooManyEnableable(t *testing.T) {
	w := newWorld(t, 1)
	eight := []Term{With[En](), Without[en3](), With[en4](), AnyOf(With[en5](), With[en6]()), Disabled[en7](), With[en8](), Read[EnTag]()}
	w.Query(eight...)
	wantPanic(t, ErrArgument, func() { w.Query(append(eight, With[en9]())...) })
	w.Query(append(eight, Present[en9]())...)
}

// Conformance: 69.
func TestSwitchMarksAsChanged(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(En{}, A{})
	for name, change := range map[string]func(){
		"entity":  func() { must(t, SetEnabled[En](w, e, false)) },
		"query":   func() { must(t, SetEnabledAll[En](w, Matching(w.Query(With[A](), Present[En]())), true)) },
		"look-up": func() { NewWorldLookup[En](w).SetEnabled(e, true) },
		"chunk": func() {
			for c := range w.Query(Present[En](), Optional(Write[En]())).Chunks() {
				SetEnabledAt[En](c, 0, false)
			}
		},
		"commands": func() {
			cmd := w.NewCommands()
			must(t, SetEnabled[En](cmd, e, true))
			must(t, cmd.Playback(w))
		},
	} {
		bump(w)
		before, order := ChangeVersion[A](w, e), orderVersion(w, e)
		change()
		if got := ChangeVersion[En](w, e); got != w.Version() || ChangeVersion[A](w, e) != before || orderVersion(w, e) != order {
			t.Errorf("by %s: version %d, want %d", name, got, w.Version())
		}
	}
}

// SetEnabledAll(Matching) must wait for jobs on which the query's filters depend. With only one worker,
// jobs run only when the owner waits for them.
func TestSetEnabledAllWaits(t *testing.T) {
	for _, changed := range []Term{Changed[A](), ChangedAny(With[A]())} {
		w := newWorld(t, 1)
		e, other := w.Spawn(A{}, En{}), w.Spawn(A{}, En{}, Tag{})
		q := w.Query(With[A](), Present[En](), changed)
		q.SetSince(w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("")))
		w.Query(Write[A](), Without[Tag]()).ParallelFor(chunkFunc(func(c *Chunk) {
			Column[A](c)
			wantCategory(t, ErrState, SetEnabledAll[En](w, Matching(q), true))
		}))
		must(t, SetEnabledAll[En](w, Matching(q), false))
		if enabled[En](t, w, e) || !enabled[En](t, w, other) {
			t.Errorf("%v: the chunk that a job has changed was not found, or the other one was", changed)
		}
		must(t, w.Sync())
	}
}

// An archetype without chunks must not affect SetEnabledAll(Matching).
func TestSetEnabledAllEmpty(t *testing.T) {
	w := newWorld(t, 1)
	e, gone := w.Spawn(A{}, En{}), w.Spawn(A{})
	q := w.Query(With[A]())
	wantCategory(t, ErrArgument, SetEnabledAll[En](w, Matching(q), false))
	must(t, w.Destroy(gone))
	must(t, SetEnabledAll[En](w, Matching(q), false))
	if enabled[En](t, w, e) {
		t.Error("it is on")
	}
}

// TestMasks checks that Rows, Runs, Mask and Matching agree, for many patterns of enabled rows. Chunks
// without a matching row must be skipped.
func TestMasks(t *testing.T) {
	w := newWorld(t, 1)
	a := w.Archetype(With[En]())
	rng := rand.New(rand.NewPCG(3, 4))
	ids := make([]Entity, 3*a.Capacity()-7)
	must(t, w.CreateInto(a, ids))
	q := w.Query(Write[En]())
	for round := range 40 {
		want := map[Entity]bool{}
		for i, on := 0, false; i < len(ids); {
			n := 1 + rng.IntN(1+round*round)
			for ; n > 0 && i < len(ids); i, n = i+1, n-1 {
				must(t, SetEnabled[En](w, ids[i], on))
				want[ids[i]] = on
			}
			on = !on
		}
		seen := 0
		for c := range q.Chunks() {
			rows := slices.Collect(c.Rows())
			var fromRuns, fromMask []int
			last := -1
			for lo, hi := range c.Runs() {
				if lo <= last || hi <= lo {
					t.Fatalf("run [%d, %d) after %d", lo, hi, last)
				}
				for last = hi; lo < hi; lo++ {
					fromRuns = append(fromRuns, lo)
				}
			}
			mask, own := c.Mask(), enabledBits[En](c)
			for i := range 64 * len(mask) {
				if mask[i>>6]>>(i&63)&1 != 0 {
					fromMask = append(fromMask, i)
				}
			}
			if !slices.Equal(rows, fromRuns) || !slices.Equal(rows, fromMask) || !slices.Equal(mask, own) || c.MatchCount() != len(rows) || c.AllMatch() != (len(rows) == c.Len()) || len(rows) == 0 {
				t.Fatalf("round %d, chunk %d: %d rows, %d in runs, %d in the mask", round, c.Index(), len(rows), len(fromRuns), len(fromMask))
			}
			for _, i := range rows {
				if !want[c.Entities()[i]] || !EnabledAt[En](c, i) {
					t.Fatalf("round %d: row %d is off", round, i)
				}
			}
			for range c.Rows() {
				break
			}
			for range c.Runs() {
				break
			}
			seen += len(rows)
		}
		for _, on := range want {
			if on {
				seen--
			}
		}
		if seen != 0 || integrity(w) != nil {
			t.Fatalf("round %d: %d rows too many, integrity %v", round, seen, integrity(w))
		}
	}
}

// switchOff turns off every third row of its chunk, and visits the others.
type switchOff struct{ rows []int32 }

func (s *switchOff) Chunk(c *Chunk) {
	for i := range c.Rows() {
		if i%3 == 0 {
			SetEnabledAt[En](c, i, false)
		}
		s.rows[c.Index()]++
	}
}

// TestSwitchesInJobs checks that if a job turns rows off, a later job does not see these rows.
// Several workers switch rows of the same chunk through a lookup.
func TestSwitchesInJobs(t *testing.T) {
	for _, workers := range []int{1, 3} {
		w := newWorld(t, workers)
		a := w.Archetype(With[En](), With[Ref]())
		n := 4 * a.Capacity()
		ids := make([]Entity, n)
		must(t, w.CreateInto(a, ids))
		q := w.Query(Write[En]())
		first, second := &switchOff{make([]int32, 4)}, &switchOff{make([]int32, 4)}
		q.ParallelFor(first)
		q.ParallelFor(second)
		if got := w.Query(Disabled[En]()).Count(); got == 0 {
			t.Error("counting does not wait for the jobs")
		}
		must(t, w.Sync())
		third := (a.Capacity() + 2) / 3
		for i := range 4 {
			if first.rows[i] != int32(a.Capacity()) || second.rows[i] != int32(a.Capacity()-third) {
				t.Errorf("%d workers, chunk %d: %d and %d rows", workers, i, first.rows[i], second.rows[i])
			}
		}
		reach := w.Query(With[Ref](), IgnoreEnabled(), Anywhere(Write[En]()))
		reach.ParallelFor(&switchFar{NewLookup[En](reach), ids})
		must(t, w.Sync())
		if got := q.Count(); got != n {
			t.Errorf("%d workers: %d rows are on, want %d", workers, got, n)
		}
		must(t, integrity(w))
	}
}

// switchFar is a job that turns on entities in all chunks: those whose index modulo 4 equals the
// index of the job's chunk.
type switchFar struct {
	look *Lookup[En]
	ids  []Entity
}

func (s *switchFar) Chunk(c *Chunk) {
	for i := c.Index(); i < len(s.ids); i += 4 {
		if !s.look.SetEnabled(s.ids[i], true) || !s.look.Enabled(s.ids[i]) {
			panic("not turned on")
		}
	}
}

// TestSwitchesFollowRows checks that bits move with their row.
func TestSwitchesFollowRows(t *testing.T) {
	w := newWorld(t, 1)
	ids := make([]Entity, 1000)
	must(t, w.CreateInto(w.Archetype(With[En](), With[EnTag]()), ids))
	off := func(i int) bool { return i%3 == 0 }
	for i, e := range ids {
		must(t, SetEnabled[En](w, e, !off(i)))
		must(t, SetEnabled[EnTag](w, e, off(i)))
	}
	check := func(what string) {
		t.Helper()
		for i, e := range ids {
			if w.Exists(e) && (enabled[En](t, w, e) == off(i) || Has[EnTag](w, e) && enabled[EnTag](t, w, e) != off(i)) {
				t.Fatalf("%s: %d is wrong", what, i)
			}
		}
		must(t, integrity(w))
	}
	must(t, AddTypes(w, Matching(w.Query(Present[En]())), With[Tag]())) // relabels the chunks
	check("relabel")
	must(t, AddTypes(w, Matching(w.Query(Disabled[En]())), With[A]())) // moves some rows
	if got := w.Query(With[A]()).Count(); got != 334 {
		t.Errorf("%d rows were moved, want 334", got)
	}
	check("move")
	must(t, AddAll(w, Matching(w.Query(With[En]())), Sh{Value: 2}))
	if got := w.Query(With[Sh]()).Count(); got != 666 {
		t.Errorf("%d rows have the shared value, want 666", got)
	}
	check("share")
	must(t, RemoveTypes(w, Matching(w.Query(Present[En]())), With[EnTag]()))
	check("remove")
	copies, err := w.Instantiate(ids[3], 5)
	must(t, err)
	for _, e := range copies {
		if enabled[En](t, w, e) {
			t.Error("the copy of what is off is on")
		}
	}
	must(t, DestroyAll(w, Matching(w.Query(With[En]()))))
	if w.Len() != 334+5 {
		t.Errorf("%d entities are left", w.Len())
	}
	check("destroy")
	for c := range w.Create(w.Archetype(With[En](), With[A](), With[Tag]()), 3).Chunks() {
		if c.firstRow == 0 || !EnabledAt[En](c, 2) || enabledBits[En](c)[0] != 7 || c.Mask()[0] != 7 || c.MatchCount() != 3 {
			t.Error("new rows are off")
		}
	}
	if w.Query(Read[Buffer[ElemEn]]()).Count() != 0 {
		t.Error("no buffers yet")
	}
	e := w.Spawn(BufferOf(ElemEn{Value: 1}))
	must(t, SetEnabled[Buffer[ElemEn]](w, e, false))
	if w.Query(Read[Buffer[ElemEn]]()).Count() != 0 || w.Query(Disabled[Buffer[ElemEn]]()).Count() != 1 {
		t.Error("a buffer that is off matches")
	}
}

// TestHashSeesSwitches checks that enabled bits have an effect on the hash.
func TestHashSeesSwitches(t *testing.T) {
	a, b := newWorld(t, 1), newWorld(t, 1)
	ea, eb := a.Spawn(En{}, EnTag{}), b.Spawn(En{}, EnTag{})
	must(t, SetEnabled[EnTag](a, ea, false))
	if a.Hash() == b.Hash() {
		t.Error("the hash does not see a tag that is off")
	}
	must(t, SetEnabled[EnTag](b, eb, false))
	if a.Hash() != b.Hash() {
		t.Error("the same switches give different hashes")
	}
}

// TestSwitchBits compares operations on enabled bits with the same operations on slices of bools.
func TestSwitchBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	a := enabledBitset{words: make([]uint64, 8)}
	b := enabledBitset{words: make([]uint64, 8)}
	x, y := make([]bool, 512), make([]bool, 512)
	for step := range 3000 {
		at, from, n := rng.IntN(512), rng.IntN(512), 1+rng.IntN(200)
		n = min(n, 512-at, 512-from)
		switch step % 4 {
		case 0:
			a.turnOn(at, n)
			for i := range n {
				x[at+i] = true
			}
		case 1:
			b.turnOff(at, n)
			clear(y[at : at+n])
		case 2:
			b.copyBits(at, &a, from, n)
			copy(y[at:at+n], x[from:])
		case 3:
			on := n%2 == 0
			a.set(at, on)
			x[at] = on
		}
		for i := range 512 {
			if a.isOn(i) != x[i] || b.isOn(i) != y[i] {
				t.Fatalf("step %d: bit %d is wrong", step, i)
			}
		}
	}
}
