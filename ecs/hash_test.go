package ecs

import (
	"math"
	"reflect"
	"testing"

	"github.com/lanewise/lanewise/ecs/internal/fold"
)

// mixed is a component with numbers of all widths and padding between them.
type mixed struct {
	B  bool
	In struct {
		I8  int8
		F64 float64
		_   int16
		U16 uint16
		C   complex64
	}
	F32  float32
	I64  int64
	List [3]struct {
		A uint8
		B float32
	}
}

// worldOfEverything returns a fixed world with every kind of component.
func worldOfEverything(t testing.TB) *World {
	w := newWorld(t, 1)
	var list []Entity
	for i := range int32(100) {
		m := mixed{B: i%2 == 0, F32: -float32(i) / 3, I64: int64(i) << 40}
		m.In.I8, m.In.F64, m.In.U16, m.In.C = int8(-i), 1/float64(i+1), uint16(i*600), complex(float32(i), -1)
		m.List[1].A, m.List[2].B = uint8(i), float32(i)*0.1
		e := w.Spawn(m, Position{float32(i), 0.5, -1}, Ref{i, Entity{}}, BufferOf(elems(make([]int32, i%20)...)...), Sh{Value: i % 3})
		list = append(list, e)
	}
	for i, e := range list {
		switch i % 7 {
		case 0:
			must(t, w.Destroy(e))
		case 1:
			must(t, Set(w, e, Ref{1, list[i-1]}))
		case 2:
			must(t, Add(w, e, Tag{}))
		case 3:
			must(t, Add(w, e, label{text: "label", depth: int(i)}))
		case 4:
			b, err := GetBuffer[Elem](w, e)
			must(t, err)
			b.Append(elems(1, 2, 3)...)
		case 5:
			must(t, Add(w, e, Cl{Value: 5}))
			must(t, w.Destroy(e))
		}
	}
	return w
}

// label is a shared value with a string and an int.
type label struct {
	Shared
	text  string
	depth int
}

// goldenHash is the hash of worldOfEverything, on every machine. goldenHash changes only with
// HashVersion; goldenHashV1 is the hash of version 1.
const (
	goldenHash   = 0xab756b838db8d267
	goldenHashV1 = 0x98a5a463a5cf2515
)

func TestHashGolden(t *testing.T) {
	w := worldOfEverything(t)
	if got := w.Hash(); got != goldenHash {
		t.Errorf("got %#x, want %#x", got, uint64(goldenHash))
	}
	if got := w.hashV1(); got != goldenHashV1 {
		t.Errorf("version 1: got %#x, want %#x", got, uint64(goldenHashV1))
	}
}

// TestHashSees checks that every part of the contents of a world has an effect on its hash.
func TestHashSees(t *testing.T) {
	seen := map[uint64]string{}
	for name, change := range map[string]func(w *World, e Entity){
		"nothing":            func(*World, Entity) {},
		"a value":            func(w *World, e Entity) { Set(w, e, Position{X: 1}) },
		"the last lane":      func(w *World, e Entity) { Set(w, e, Position{Z: 1}) },
		"negative zero":      func(w *World, e Entity) { Set(w, e, Position{X: float32(math.Copysign(0, -1))}) },
		"a NaN":              func(w *World, e Entity) { Set(w, e, Position{X: float32(math.NaN())}) },
		"a buffer":           func(w *World, e Entity) { Set(w, e, BufferOf(Elem{})) },
		"a buffer's element": func(w *World, e Entity) { Set(w, e, BufferOf(Elem{1})) },
		"a shared value":     func(w *World, e Entity) { Set(w, e, Sh{Value: 1}) },
		"a type":             func(w *World, e Entity) { Add(w, e, Tag{}) },
		"another type":       func(w *World, e Entity) { Add(w, e, Tag2{}) },
		"an entity":          func(w *World, e Entity) { w.Spawn() },
		"a version":          func(w *World, e Entity) { w.Destroy(w.Spawn()); w.Spawn() },
		"a free slot":        func(w *World, e Entity) { w.Destroy(w.Spawn()) },
		"the order of free slots": func(w *World, e Entity) {
			a, b := w.Spawn(), w.Spawn()
			w.Destroy(a)
			w.Destroy(b)
		},
		"the other order of free slots": func(w *World, e Entity) {
			a, b := w.Spawn(), w.Spawn()
			w.Destroy(b)
			w.Destroy(a)
		},
		"a byte of a mixed value": func(w *World, e Entity) {
			Set(w, e, mixed{List: [3]struct {
				A uint8
				B float32
			}{2: {A: 1}}})
		},
		"a nested number": func(w *World, e Entity) { m := mixed{}; m.In.U16 = 1; Set(w, e, m) },
	} {
		w := newWorld(t, 1)
		e := w.Spawn(Position{}, mixed{}, Buf{}, Sh{})
		change(w, e)
		h := w.Hash()
		if other, ok := seen[h]; ok {
			t.Errorf("%s and %s have the same hash", name, other)
		}
		seen[h] = name
	}
}

// TestHashDoesNotSee checks that some data does not affect the hash, for example capacities of
// buffers.
func TestHashDoesNotSee(t *testing.T) {
	base := func() (*World, []Entity) {
		w := newWorld(t, 1)
		list := make([]Entity, 40)
		must(t, w.CreateInto(w.Archetype(With[Position](), With[mixed](), With[Buf](), With[Sh]()), list))
		must(t, Set(w, list[0], Position{X: float32(math.NaN()), Y: 1}))
		return w, list
	}
	w, _ := base()
	want := w.Hash()
	if w.Hash() != want {
		t.Fatal("hashing changes the world")
	}
	for name, change := range map[string]func(w *World, list []Entity){
		"change versions": func(w *World, list []Entity) {
			setVersion(w, 99)
			must(t, Set(w, list[3], mixed{}))
		},
		"payload of a NaN": func(w *World, list []Entity) {
			must(t, Set(w, list[0], Position{X: math.Float32frombits(0xffc12345), Y: 1}))
		},
		"a signalling NaN": func(w *World, list []Entity) {
			must(t, Set(w, list[0], Position{X: math.Float32frombits(0x7f800001), Y: 1}))
		},
		"capacity": func(w *World, list []Entity) {
			b, err := GetBuffer[Elem](w, list[5])
			must(t, err)
			b.SetCap(100)
		},
		"blank fields": func(w *World, list []Entity) {
			r := w.tables.chunks[0]
			in := reflect.TypeFor[mixed]().Field(1).Type
			l := r.arch.columns[r.arch.findColumn(keyOf[mixed]())].lanes[1]
			r.Bytes(l, 0, 1)[in.Field(2).Offset] ^= 0xff // In._
			r.Bytes(l, 0, 1)[2] ^= 0xff                  // padding after In.I8
		},
		"scratch rows": func(w *World, list []Entity) {
			for c := range w.Query(Write[Position]()).Chunks() {
				x := ColumnPadded[Position](c).X
				x[len(x)-1] = 7
			}
		},
		"archetypes without entities": func(w *World, list []Entity) {
			w.Archetype(With[D]())
			must(t, Add(w, list[39], Tag{}))
			_, err := Remove[Tag](w, list[39])
			must(t, err)
		},
		"an interned value that is not used": func(w *World, list []Entity) { w.Query(WithShared(Sh{Value: 77})) },
	} {
		w, list := base()
		change(w, list)
		if got := w.Hash(); got != want {
			t.Errorf("%s: got %#x, want %#x", name, got, want)
		}
	}
}

func TestHashOfEmptyWorlds(t *testing.T) {
	a, b := newWorld(t, 1), newWorld(t, 3)
	if a.Hash() != b.Hash() || a.Hash() == 0 {
		t.Error("empty worlds differ")
	}
	must(t, a.Close())
	wantPanic(t, ErrDisposed, func() { a.Hash() })
}

// TestHashOnWorkers checks a world of many chunks, archetypes and free slots: its hash is the same on one
// worker and on many workers. It checks the same for its image.
func TestHashOnWorkers(t *testing.T) {
	var want uint64
	for _, workers := range []int{1, 2, 3, 8, 64} {
		w := newWorld(t, workers)
		list := make([]Entity, 20_000)
		must(t, w.CreateInto(w.Archetype(With[Position](), With[Sh](), With[En]()), list))
		for i, e := range list {
			switch {
			case i%2 == 0:
				must(t, w.Destroy(e))
			case i%31 == 0:
				must(t, Add(w, e, label{text: "many", depth: i % 5}))
			case i%3 == 0:
				must(t, Set(w, e, Position{X: float32(i), Y: float32(math.Inf(1 - i%2*2)), Z: float32(math.NaN())}))
				must(t, SetEnabled[En](w, e, i%9 != 0))
			}
		}
		got := w.Hash()
		if workers == 1 {
			want = got
		}
		if got != want || mustCapture(t, w, nil).Hash() != want {
			t.Errorf("%d workers: got %#x, want %#x", workers, got, want)
		}
	}
}

// TestHashKey hashes words that are zero, or equal to the key of the hash. Such a word must
// not erase the effect of the words before it.
func TestHashKey(t *testing.T) {
	seen := map[uint64]bool{}
	for i := range uint64(1000) {
		d := newDigest()
		d.addUint64s(i, 0, 0, 0, 0, 0, 0, 0)
		d.addUint64s(0, fold.Key)
		d.addUint64s(make([]uint64, 3000)...)
		seen[d.sum()] = true
	}
	if len(seen) != 1000 {
		t.Errorf("%d hashes of 1000 lists", len(seen))
	}
}

// TestHashFloats compares the fast loop for floats with the loop that replaces NaNs.
func TestHashFloats(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 7, 8, 9, 31, 100, 1023} {
		b := make([]byte, 8*n)
		for i := range b {
			b[i] = byte(i * 73)
			if i%32 > 20 {
				b[i] = 0xff // NaNs
			}
		}
		for _, width := range []int{4, 8} {
			p := numberRun{count: 1, width: width, floatWidth: width}
			fast := newDigest()
			fast.addRows(b, []numberRun{p})
			var out []byte
			for at := 0; at < len(b); at += width {
				out = p.appendNumber(out, b[at:])
			}
			plain := newDigest()
			plain.addBytes(out)
			if fast.sum() != plain.sum() {
				t.Errorf("%d bytes of float%d: %#x, want %#x", len(b), 8*width, fast.sum(), plain.sum())
			}
		}
	}
}

// blankLane is a component with a lane that contains no number.
type blankLane struct{ A struct{ _ int32 } }

func TestHashOfBlankLane(t *testing.T) {
	hash := func() uint64 {
		w := newWorld(t, 1)
		w.Spawn(blankLane{}, onlyTrack{}, A{1})
		return w.Hash()
	}
	if a, b := hash(), hash(); a != b {
		t.Errorf("%x and %x", a, b)
	}
}
