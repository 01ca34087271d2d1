package arrow

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

type (
	Position struct{ X, Y, Z float32 }
	Velocity struct{ X, Y, Z float64 }
	Health   int16
	Body     struct {
		Alive bool
		Spin  struct {
			Axis int8
			Rate float64
		}
		Key    [6]byte
		Matrix [2][3]float32
		Legs   [2]struct{ Length, Angle uint16 }
		Bits   [3]bool
	}
	Target  struct{ Entity ecs.Entity }
	Burning struct {
		ecs.Enableable
		Heat float32
	}
	Team struct {
		ecs.Shared
		Name  string
		Color uint8
		Left  bool
		Score int
		Share float32
	}
	Frozen struct{}
	Notes  struct {
		ecs.Managed
		Text string
	}
)

func (Position) Column() (c kernels.Vec3s[float32]) { return }
func (Velocity) Column() (c kernels.Vec3s[float64]) { return }

func newWorld(t testing.TB) *ecs.World {
	w := ecs.NewWorld(t.Name())
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// newMovingWorld makes a world with n moving entities.
func newMovingWorld(t testing.TB, n int) *ecs.World {
	w := newWorld(t)
	k := 0
	for c := range w.Create(w.Archetype(ecs.With[Position](), ecs.With[Velocity]()), n).Chunks() {
		p, v := ecs.Column[Position](c), ecs.Column[Velocity](c)
		for i := range p.X {
			p.X[i], p.Y[i], p.Z[i] = float32(k), float32(k%7), -1
			v.X[i], v.Z[i] = float64(k)/2, float64(-k)
			k++
		}
	}
	return w
}

var moving = []ecs.Term{ecs.Read[Position](), ecs.Read[Velocity]()}

func newOf(t testing.TB, w *ecs.World, terms ...ecs.Term) *Source {
	t.Helper()
	s, err := New(w, terms...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAddress checks that the arrays of a view have the addresses of the chunk, so that no copy was
// made.
// Conformance: 535
func TestAddress(t *testing.T) {
	w := newMovingWorld(t, 5000) // fills several chunks
	s := newOf(t, w, moving...)
	views, err := s.Views()
	if err != nil {
		t.Fatal(err)
	}
	var at []*float32
	for c := range s.Query().Chunks() {
		at = append(at, &ecs.ReadColumn[Position](c).Y[0])
	}
	if len(at) < 3 {
		t.Fatalf("%d chunks: too few for a test", len(at))
	}
	for range 2 { // first created, then reused
		k, rows := 0, int64(0)
		for v := range views {
			b, err := v.Batch()
			if err != nil {
				t.Fatal(err)
			}
			if got := &b.Column(2).(*array.Float32).Float32Values()[0]; got != at[k] {
				t.Fatalf("chunk %d: Position.Y lies at %p, the column at %p", k, got, at[k])
			}
			if id := EntityOf(b.Column(0).(*array.Int64).Value(0)); !w.Exists(id) {
				t.Fatalf("chunk %d: no entity %v", k, id)
			}
			rows += b.NumRows()
			k++
		}
		if k != len(at) || rows != 5000 {
			t.Errorf("%d views of %d rows", k, rows)
		}
	}
}

// TestViewsFollow checks that views show the current rows after chunks were moved, filled and emptied.
func TestViewsFollow(t *testing.T) {
	w := newMovingWorld(t, 2000)
	s := newOf(t, w, moving...)
	views, _ := s.Views()
	look := func() (sum float64, rows int64) {
		for v := range views {
			b, _ := v.Batch()
			for _, x := range b.Column(1).(*array.Float32).Float32Values() {
				sum += float64(x)
			}
			rows += b.NumRows()
		}
		return sum, rows
	}
	for step := range 8 {
		var want float64
		chunks := 0
		for c := range s.Query().Chunks() {
			chunks++
			for _, x := range ecs.ReadColumn[Position](c).X {
				want += float64(x)
			}
		}
		if sum, rows := look(); sum != want || rows != int64(s.Query().Count()) {
			t.Fatalf("step %d: sum %v of %d rows, want %v of %d", step, sum, rows, want, s.Query().Count())
		}
		kept := 0
		for _, v := range s.views {
			if v != nil {
				kept++
			}
		}
		if kept != chunks || cap(s.views) > 0 && slices.ContainsFunc(s.views[len(s.views):cap(s.views)], func(v *shown) bool { return v != nil }) {
			t.Fatalf("step %d: the source keeps the views of %d chunks, there are %d", step, kept, chunks)
		}
		ids := slices.Collect(w.Entities())
		switch step {
		case 0:
			_ = ecs.DestroyAll(w, ecs.Entities(ids[100:700]))
		case 1:
			w.Spawn(Position{X: 1000}, Velocity{})
		case 2:
			_ = ecs.Compact(w)
		case 3:
			w.Spawn(Position{X: 2000}, Velocity{}, Health(1)) // adds an archetype
		case 4:
			_ = ecs.AddAll(w, ecs.Entities(ids[:50]), Health(3))
		case 5:
			_ = ecs.DestroyAll(w, ecs.Entities(ids[10:]))
		case 6:
			_ = ecs.DestroyAll(w, ecs.Entities(ids))
		}
	}
}

// TestViewIsOver checks that a view refuses access after its iteration, also after a structural
// change, and that a copy remains valid.
func TestViewIsOver(t *testing.T) {
	w := newMovingWorld(t, 1500)
	s := newOf(t, w, moving...)
	views, _ := s.Views()
	var kept []View
	var copied []arrow.RecordBatch
	for v := range views {
		if len(kept) > 0 {
			if _, err := kept[len(kept)-1].Batch(); !errors.Is(err, ErrOver) {
				t.Fatalf("the view of the turn before: %v", err)
			}
		}
		c, err := v.Copy()
		if err != nil {
			t.Fatal(err)
		}
		kept, copied = append(kept, v), append(copied, c)
	}
	check := func() {
		t.Helper()
		row := 0
		for i, v := range kept {
			if _, err := v.Batch(); !errors.Is(err, ErrOver) || !strings.Contains(err.Error(), "Gathered") {
				t.Errorf("view %d after the loop: %v", i, err)
			}
			if _, err := v.Copy(); !errors.Is(err, ErrOver) {
				t.Errorf("a copy of view %d after the loop: %v", i, err)
			}
			for _, x := range copied[i].Column(1).(*array.Float32).Float32Values() {
				if x != float32(row) {
					t.Fatalf("the copy of view %d has %v in row %d", i, x, row)
				}
				row++
			}
		}
		if row != 1500 {
			t.Errorf("copies of %d rows", row)
		}
	}
	check()
	if err := ecs.DestroyAll(w, ecs.Matching(s.Query())); err != nil { // poisons the memory in the guard build
		t.Fatal(err)
	}
	w.Spawn(Position{X: -1}, Velocity{})
	check()
	for _, c := range copied {
		c.Release()
	}
	if _, err := (View{}).Batch(); !errors.Is(err, ErrOver) {
		t.Errorf("no view at all: %v", err)
	}
}

// TestStructure checks that both loops refuse structural changes while their batches are in use.
func TestStructure(t *testing.T) {
	w := newMovingWorld(t, 100)
	s := newOf(t, w, moving...)
	refused := func() (p any) {
		defer func() { p = recover() }()
		w.Spawn(Position{})
		return nil
	}
	views, _ := s.Views()
	for range views {
		if refused() == nil {
			t.Error("Spawn in a loop over views")
		}
	}
	for range s.Gathered(10) {
		if refused() == nil {
			t.Error("Spawn in a loop over batches")
		}
	}
	func() { // a user's panic ends the loop, and the source remains usable
		defer func() { _ = recover() }()
		for range views {
			panic("mine")
		}
	}()
	n := int64(0)
	for v := range views {
		b, _ := v.Batch()
		n += b.NumRows()
	}
	if w.Spawn(Position{}, Velocity{}); n != 100 {
		t.Errorf("%d rows after a panic", n)
	}
}

// TestGatheredKept checks that a retained batch does not change and that the memory of a released
// batch is reused.
func TestGatheredKept(t *testing.T) {
	w := newMovingWorld(t, 10_000)
	s := newOf(t, w, moving...)
	var kept []arrow.RecordBatch
	for b := range s.Gathered(1000) {
		b.Retain()
		kept = append(kept, b)
	}
	for i, b := range kept {
		if got := b.Column(1).(*array.Float32).Value(999); b.NumRows() != 1000 || got != float32(1000*i+999) {
			t.Fatalf("batch %d of %d rows ends with %v", i, b.NumRows(), got)
		}
	}
	before := map[*float32]bool{}
	for _, b := range kept {
		for i := range 3 {
			before[unsafe.SliceData(b.Column(1+i).(*array.Float32).Float32Values())] = true
		}
		b.Release()
	}
	again := false
	for b := range s.Gathered(1000) {
		again = again || before[unsafe.SliceData(b.Column(1).(*array.Float32).Float32Values())]
	}
	if !again {
		t.Error("the memory of released batches is not used again")
	}
	for range s.Gathered(1 << 30) { // more rows than there are
		break
	}
}

// TestKinds checks that every kind of value is exported unchanged, from several archetypes, and
// imported again.
func TestKinds(t *testing.T) {
	w := zoo(t, 700, false)
	s := newOf(t, w, zooTerms...)
	var names []string
	for _, f := range s.Schema().Fields() {
		names = append(names, f.Name+" "+f.Type.String())
	}
	want := []string{
		"entity int64", "Health int16", "Body.Alive bool", "Body.Spin.Axis int8", "Body.Spin.Rate float64",
		"Body.Key fixed_size_binary[6]", "Body.Matrix fixed_size_list<item: fixed_size_list<item: float32>[3]>[2]",
		"Body.Legs.Length fixed_size_list<item: uint16>[2]", "Body.Legs.Angle fixed_size_list<item: uint16>[2]",
		"Body.Bits fixed_size_list<item: bool>[3]", "Target.Entity int64", "Burning.enabled bool", "Burning.Heat float32",
		"Frozen bool", "Team.Name utf8", "Team.Color uint8", "Team.Left bool", "Team.Score int64", "Team.Share float32",
	}
	got := strings.ReplaceAll(strings.Join(names, "\n"), " not null", "")
	got = strings.ReplaceAll(got, ", nullable", "")
	if got := strings.Split(got, "\n"); !slices.Equal(got, want) {
		t.Fatalf("columns\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	rows := 0
	for b := range s.Gathered(256) {
		for i := range int(b.NumRows()) {
			e := EntityOf(b.Column(0).(*array.Int64).Value(i))
			checkRow(t, w, e, b, i)
			rows++
		}
	}
	if rows != s.Query().Count() || rows != 4*700 {
		t.Errorf("%d rows, the query has %d", rows, s.Query().Count())
	}
	var all string
	for _, c := range []int{1, 7, 64, 1 << 16} { // the rows are the same in batches of any size
		var text strings.Builder
		for b := range s.Gathered(c) {
			for _, col := range b.Columns() {
				must(col.Len() == int(b.NumRows()), "%d rows", col.Len())
			}
			part, err := b.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			text.WriteString(strings.NewReplacer("[{", "{", "}\n]", "}\n", "}\n,", "}\n").Replace(string(part)))
		}
		got := strings.Join(strings.Fields(strings.NewReplacer("{", "\n{", ",{", "\n{", "}]", "}").Replace(text.String())), "")
		if all == "" {
			all = got
		} else if len(got) != len(all) && strings.ReplaceAll(got, ",", "") != strings.ReplaceAll(all, ",", "") {
			t.Errorf("batches of %d have other rows than batches of 1", c)
		}
	}
}

// TestRefused checks that components without columns are refused with their names.
func TestRefused(t *testing.T) {
	w := newWorld(t)
	type Items = ecs.Buffer[Health]
	for _, c := range []struct {
		terms []ecs.Term
		want  string
	}{
		{[]ecs.Term{ecs.Read[Notes]()}, "arrow.Notes has no numbers in rows"},
		{[]ecs.Term{ecs.Read[Items]()}, "leave it out"},
		{[]ecs.Term{ecs.With[Named]()}, "Named.List of the shared arrow.Named"},
		{[]ecs.Term{ecs.With[Empty]()}, "has no value"},
	} {
		if _, err := New(w, c.terms...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.terms, err, c.want)
		}
	}
	for _, c := range []struct {
		terms []ecs.Term
		want  string
	}{
		{[]ecs.Term{ecs.Read[Burning]()}, "Burning.enabled: the column does not lie"},
		{[]ecs.Term{ecs.Read[Position](), ecs.With[Team]()}, "Team.Name"},
		{[]ecs.Term{ecs.Read[Position](), ecs.Optional(ecs.Read[Velocity]())}, "Velocity.X: the column does not lie in chunks as Arrow wants it: some entities have none"},
		{[]ecs.Term{ecs.Read[Body]()}, "Body.Alive"},
		{[]ecs.Term{ecs.Read[Legs]()}, "other numbers stand between"},
	} {
		if _, err := newOf(t, w, c.terms...).Views(); !errors.Is(err, ErrInPlace) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("views of %v: %v, want %q", c.terms, err, c.want)
		}
	}
	defer func() {
		if p := recover(); p == nil || !strings.Contains(p.(string), "rows is 0") {
			t.Errorf("Gathered(0): %v", p)
		}
	}()
	newOf(t, w, moving...).Gathered(0)
}

type (
	Named struct {
		ecs.Shared
		List [2]int32
	}
	Empty struct{ ecs.Shared }
	Legs  struct{ Pair struct{ A, B int32 } }
)
