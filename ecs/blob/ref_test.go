package blob

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"
	"testing"
)

// The tests use these types: arrays of structs with arrays, strings, and pointers to the root and
// to the next element.
type (
	circuit struct {
		Name   String
		Length float64
		Rings  Array[ring]
		Best   Ptr[point]
		Self   Ptr[circuit]
		First  Ptr[stop]
		Flags  [3]bool
		Spare  Array[int64]
	}
	ring struct {
		Id     int16
		Open   bool
		Points Array[point]
		Tags   Array[String]
	}
	point struct{ X, Y float32 }
	stop  struct {
		At   point
		Next Ptr[stop]
		_    struct{}
	}
)

// wantCategory checks that err is of a category.
func wantCategory(t *testing.T, category, err error) {
	t.Helper()
	if !errors.Is(err, category) {
		t.Errorf("got error %v, want one of category %q", err, category)
	}
}

// wantPanic checks that f panics with an error of a category.
func wantPanic(t *testing.T, category error, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		v := recover()
		if err, _ := v.(error); !errors.Is(err, category) {
			t.Errorf("got panic %v, want one of category %q", v, category)
		}
	}()
	f()
}

// must checks that there is no error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newTrack creates a blob with every kind of content. Its numbers depend on n.
func newTrack(n int) Ref[circuit] {
	return New(func(b *Builder, t *circuit) {
		t.Name.Set(b, fmt.Sprint("circuit ", n))
		t.Length = float64(n) + 0.25
		t.Flags = [3]bool{true, false, n%2 == 1}
		rings := t.Rings.Make(b, n%5+1)
		for i := range rings {
			r := &rings[i]
			r.Id, r.Open = int16(i), i%2 == 1
			points := r.Points.Make(b, i*3) // none for the first
			for j := range points {
				points[j] = point{float32(n), float32(i*100 + j)}
			}
			tags := r.Tags.Make(b, i)
			for j := range tags {
				tags[j].Set(b, fmt.Sprint("tag ", n, i, j)[:j+3])
			}
			if i == 1 {
				t.Best.Set(b, &points[2])
			}
		}
		t.Self.Set(b, t)
		first := t.First.Make(b)
		first.At = point{1, float32(n)}
		first.Next.Set(b, first) // a cycle
	})
}

// checkTrack checks the contents of a blob from newTrack.
func checkTrack(t testing.TB, ref Ref[circuit], n int) {
	t.Helper()
	got := ref.Get()
	if addressOf(got)%alignment != 0 {
		t.Errorf("the blob is at %#x", addressOf(got))
	}
	if s := got.Name.String(); s != fmt.Sprint("circuit ", n) || got.Name.Len() != len(s) {
		t.Errorf("name %q", s)
	}
	if got.Length != float64(n)+0.25 || got.Flags != [3]bool{true, false, n%2 == 1} || got.Rings.Len() != n%5+1 {
		t.Errorf("circuit %d: %v %v, %d rings", n, got.Length, got.Flags, got.Rings.Len())
	}
	if got.Spare.Len() != 0 || len(got.Spare.Slice()) != 0 {
		t.Error("an array that was not made has elements")
	}
	for i := range got.Rings.Len() {
		r := got.Rings.At(i)
		if r.Id != int16(i) || r.Open != (i%2 == 1) || r.Points.Len() != i*3 || r.Tags.Len() != i {
			t.Errorf("circuit %d, ring %d: %d %v, %d points, %d tags", n, i, r.Id, r.Open, r.Points.Len(), r.Tags.Len())
		}
		points := r.Points.Slice()
		if i > 0 && addressOf(&points[0])%alignment != 0 {
			t.Errorf("an array is at %#x", addressOf(&points[0]))
		}
		for j, p := range points {
			if p != (point{float32(n), float32(i*100 + j)}) {
				t.Errorf("circuit %d, ring %d, point %d: %v", n, i, j, p)
			}
		}
		for j := range i {
			if s := r.Tags.Slice()[j].String(); s != fmt.Sprint("tag ", n, i, j)[:j+3] {
				t.Errorf("circuit %d, ring %d, tag %d: %q", n, i, j, s)
			}
		}
	}
	if best := got.Best.Get(); got.Rings.Len() > 1 && best != &got.Rings.At(1).Points.Slice()[2] || got.Rings.Len() == 1 && best != nil {
		t.Errorf("circuit %d: best at %p", n, best)
	}
	if first := got.First.Get(); got.Self.Get() != got || first.At.Y != float32(n) || first.Next.Get() != first {
		t.Error("pointers to what contains them lead elsewhere")
	}
}

func TestRef(t *testing.T) {
	before := Count()
	var refs []Ref[circuit]
	for n := range 40 {
		refs = append(refs, newTrack(n))
	}
	if got := Count(); got != before+40 {
		t.Errorf("%d blobs, want %d", got, before+40)
	}
	for n, ref := range refs {
		checkTrack(t, ref, n)
	}
	if refs[1] == refs[2] || refs[1] == newTrackLike(t, refs[1]) || refs[1] != slices.Clone(refs)[1] || !refs[1].Exists() {
		t.Error("references are equal just if they are to the same blob")
	}
	for _, ref := range refs {
		must(t, ref.Dispose())
	}
	if got := Count(); got != before {
		t.Errorf("%d blobs at the end, want %d", got, before)
	}
}

// newTrackLike creates a blob with the same bytes as another blob. The new blob exists until
// the test ends.
func newTrackLike(t testing.TB, of Ref[circuit]) Ref[circuit] {
	data, err := of.Bytes()
	must(t, err)
	ref, err := Load[circuit](data)
	must(t, err)
	defer ref.Dispose()
	return ref
}

func TestReferenceIsEightBytes(t *testing.T) {
	if size := reflect.TypeFor[Ref[circuit]]().Size(); size != 8 {
		t.Errorf("%d bytes", size)
	}
	if reflect.TypeFor[Ref[circuit]]().ConvertibleTo(reflect.TypeFor[Ref[ring]]()) ||
		reflect.TypeFor[Array[ring]]().ConvertibleTo(reflect.TypeFor[Array[point]]()) ||
		reflect.TypeFor[Ptr[ring]]().ConvertibleTo(reflect.TypeFor[Ptr[point]]()) {
		t.Error("references to different types convert")
	}
}

// TestOfPlainTypes creates blobs whose roots are not structs.
func TestOfPlainTypes(t *testing.T) {
	number := New(func(_ *Builder, v *float64) { *v = 1.5 })
	words := New(func(b *Builder, list *Array[String]) {
		list.Make(b, 2)[1].Set(b, "two")
	})
	bytes := New(func(b *Builder, list *Array[byte]) { list.Set(b, 1, 2, 3) })
	nested := New(func(_ *Builder, ref *[2]Ref[float64]) { ref[1] = number })
	defer number.Dispose()
	defer words.Dispose()
	defer bytes.Dispose()
	defer nested.Dispose()
	if *number.Get() != 1.5 || words.Get().Len() != 2 || words.Get().At(0).String() != "" || words.Get().At(1).String() != "two" ||
		!slices.Equal(bytes.Get().Slice(), []byte{1, 2, 3}) || *nested.Get()[1].Get() != 1.5 {
		t.Error("something else is inside")
	}
}

// TestShares copies arrays and strings inside of a blob that is being built.
func TestShares(t *testing.T) {
	ref := New(func(b *Builder, t *circuit) {
		rings := t.Rings.Make(b, 2)
		rings[0].Points.Set(b, point{1, 2}, point{3, 4})
		rings[0].Tags.Make(b, 1)[0].Set(b, "both")
		rings[1] = rings[0]
		t.Best.Set(b, &rings[0].Points.pieceForTest(b)[1])
		t.Name = b.stringForTest(rings[0])
	})
	defer ref.Dispose()
	v := ref.Get()
	if a, b := v.Rings.At(0), v.Rings.At(1); &a.Points.Slice()[0] != &b.Points.Slice()[0] || v.Best.Get() != b.Points.At(1) ||
		b.Tags.At(0).String() != "both" || v.Name.String() != "both" {
		t.Error("what was copied is not shared")
	}
}

// pieceForTest returns the result of Make.
func (a *Array[E]) pieceForTest(b *Builder) []E {
	return elementsAt[E](b.pieceMemory[a.ref.offset], 0, a.ref.count)
}

// stringForTest returns the first tag of a ring that is being built.
func (b *Builder) stringForTest(r ring) String { return r.Tags.pieceForTest(b)[0] }

func TestDisposed(t *testing.T) {
	ref := newTrack(3)
	v, name := ref.Get(), ref.Get().Name.String()
	must(t, ref.Dispose())
	gone := func() {
		t.Helper()
		if ref.Exists() {
			t.Error("it is there still")
		}
		wantCategory(t, ErrDisposed, ref.Dispose())
		_, err := ref.Bytes()
		wantCategory(t, ErrDisposed, err)
		for _, use := range []func(){
			func() { ref.Get() }, func() { v.Rings.Slice() }, func() { v.Rings.Len() }, func() { v.Rings.At(0) }, func() { _ = v.Name.String() },
			func() { v.Name.Len() }, func() { v.Best.Get() }, func() { v.Spare.Slice() },
		} {
			wantPanic(t, ErrDisposed, use)
		}
	}
	gone()
	next := newTrack(4) // in the same slot
	if next.id.index != ref.id.index || next == ref {
		t.Errorf("slots %v and %v", next.id, ref.id)
	}
	gone()
	checkTrack(t, next, 4)
	must(t, next.Dispose())
	if name != "circuit 3" || v.Length != 3.25 {
		t.Error("memory that is in use was written")
	}
}

func TestNone(t *testing.T) {
	var none Ref[circuit]
	if none.Exists() {
		t.Error("the zero reference is to something")
	}
	wantCategory(t, ErrArgument, none.Dispose())
	_, err := none.Bytes()
	wantCategory(t, ErrArgument, err)
	wantPanic(t, ErrArgument, func() { none.Get() })
	wantPanic(t, ErrArgument, func() { (Ref[ring]{id: none.id}).Get() })
}

// TestCopies uses fields that were copied out of a blob, or into another blob.
func TestCopies(t *testing.T) {
	ref, other := newTrack(3), newTrack(4)
	defer ref.Dispose()
	defer other.Dispose()
	v := *ref.Get()
	into := other.Get()
	heap := &ring{Points: ref.Get().Rings.At(2).Points}
	for _, r := range ref.Get().Rings.Slice() { // a copy of each
		wantPanic(t, ErrState, func() { r.Points.Slice() })
	}
	for _, use := range []func(){
		func() { v.Rings.Slice() }, func() { v.Rings.At(0) }, func() { v.Rings.Len() }, func() { _ = v.Name.String() },
		func() { v.Best.Get() }, func() { v.Spare.Len() }, func() { heap.Points.Slice() },
		func() { new(Array[ring]).Slice() }, func() { new(String).Len() }, func() { new(Ptr[ring]).Get() },
		func() {
			old := into.Rings
			defer func() { into.Rings = old }()
			into.Rings = ref.Get().Rings // not allowed, but must not damage memory
			into.Rings.Slice()
		},
	} {
		wantPanic(t, ErrState, use)
	}
	checkTrack(t, ref, 3)
	checkTrack(t, other, 4)
}

func TestMisuse(t *testing.T) {
	before := Count()
	ref := newTrack(3)
	defer ref.Dispose()
	var kept *Builder
	var foreign point
	for name, c := range map[string]struct {
		category error
		build    func(b *Builder, v *circuit)
	}{
		"an array for a copy":     {ErrState, func(b *Builder, v *circuit) { r := v.Rings; r.Make(b, 1) }},
		"a string made again":     {ErrState, func(b *Builder, v *circuit) { v.Name.Set(b, "a"); v.Name.Set(b, "b") }},
		"fields of another blob":  {ErrState, func(_ *Builder, v *circuit) { *v = *ref.Get() }},
		"a foreign target":        {ErrState, func(b *Builder, v *circuit) { v.Best.Set(b, &foreign) }},
		"a foreign field":         {ErrArgument, func(b *Builder, _ *circuit) { new(Array[uint16]).Make(b, 1) }},
		"less than none":          {ErrArgument, func(b *Builder, v *circuit) { v.Rings.Make(b, -1) }},
		"too many":                {ErrArgument, func(b *Builder, v *circuit) { v.Rings.Make(b, 1<<28) }},
		"no target":               {ErrArgument, func(b *Builder, v *circuit) { v.Best.Set(b, nil) }},
		"no builder":              {ErrState, func(_ *Builder, v *circuit) { v.Rings.Make(nil, 1) }},
		"a zero builder":          {ErrState, func(_ *Builder, v *circuit) { v.Best.Make(&Builder{}) }},
		"an array that is built":  {ErrState, func(b *Builder, v *circuit) { v.Rings.Make(b, 1); v.Rings.Slice() }},
		"writing a complete blob": {ErrState, func(b *Builder, _ *circuit) { ref.Get().Rings.Make(b, 1) }},
		"a string of a blob":      {ErrState, func(b *Builder, _ *circuit) { ref.Get().Name.Set(b, "") }},
		"a pointer of a blob":     {ErrState, func(b *Builder, v *circuit) { ref.Get().Self.Set(b, v) }},
		"fields of another builder": {ErrState, func(_ *Builder, v *circuit) {
			New(func(b *Builder, o *circuit) { o.Name.Set(b, "a"); *v = *o }).Dispose()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			wantPanic(t, c.category, func() { New(func(b *Builder, v *circuit) { kept = b; c.build(b, v) }) })
		})
	}
	must(t, New(func(b *Builder, _ *circuit) { kept = b }).Dispose())
	wantPanic(t, ErrState, func() { ref.Get().Name.Set(kept, "late") })
	checkTrack(t, ref, 3)
	if got := Count(); got != before+1 {
		t.Errorf("%d blobs, want %d: misuse has made some", got, before+1)
	}
}

// TestLastVersion uses a slot until it has no further version.
func TestLastVersion(t *testing.T) {
	table := &idTable{}
	id := table.reserveID()
	table.versions[id.index] = math.MaxUint32
	id.version = math.MaxUint32
	table.publish(&blob{id: id})
	if table.lookup(id) == nil || !table.removeBlob(id) || table.removeBlob(id) {
		t.Error("it was not there, or is still")
	}
	for range 100 {
		if next := table.reserveID(); next.index == id.index || next.index == 0 {
			t.Errorf("slot %d is used again", next.index)
		}
	}
}

// TestSerialsBeginAnew creates blobs while the serial numbers of builders
// overflow and begin again.
func TestSerialsBeginAnew(t *testing.T) {
	old := serials.Swap(math.MaxUint32 - 1)
	defer serials.Store(old)
	for n := range 4 {
		ref := newTrack(n)
		checkTrack(t, ref, n)
		must(t, ref.Dispose())
	}
}

// TestConcurrently reads blobs in some goroutines while other goroutines create
// and dispose blobs.
func TestConcurrently(t *testing.T) {
	const blobs, rounds = 8, 40
	var refs [blobs]Ref[circuit]
	for n := range refs {
		refs[n] = newTrack(n)
	}
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			for i := range rounds {
				checkTrack(t, refs[(g+i)%blobs], (g+i)%blobs)
			}
		})
		group.Go(func() {
			for i := range rounds {
				ref := newTrack(i)
				checkTrack(t, ref, i)
				if err := ref.Dispose(); err != nil || ref.Exists() {
					t.Errorf("disposed: %v", err)
				}
			}
		})
	}
	shared, ends := newTrack(9), make([]error, 4) // all dispose it, and one succeeds
	for i := range ends {
		group.Go(func() { ends[i] = shared.Dispose() })
	}
	group.Wait()
	if ended := slices.DeleteFunc(ends, func(err error) bool { return err != nil }); len(ended) != 1 {
		t.Errorf("%d have disposed it", len(ended))
	}
	for n, ref := range refs {
		checkTrack(t, ref, n)
		must(t, ref.Dispose())
	}
}

func TestReadsAllocateNothing(t *testing.T) {
	ref := newTrack(8)
	defer ref.Dispose()
	sum, letters := float32(0), 0
	if n := testing.AllocsPerRun(100, func() {
		v := ref.Get()
		letters += len(v.Name.String())
		for i := range v.Rings.Len() {
			for _, p := range v.Rings.At(i).Points.Slice() {
				sum += p.Y
			}
		}
		sum += v.Best.Get().X
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if sum == 0 || letters == 0 {
		t.Error("nothing was read")
	}
}

func BenchmarkRef(b *testing.B) {
	ref := newTrack(8)
	defer ref.Dispose()
	b.Run("get", func(b *testing.B) {
		for b.Loop() {
			ref.Get()
		}
	})
	v := ref.Get()
	b.Run("slice", func(b *testing.B) {
		for b.Loop() {
			v.Rings.Slice()
		}
	})
	b.Run("string", func(b *testing.B) {
		for b.Loop() {
			_ = v.Name.String()
		}
	})
}
