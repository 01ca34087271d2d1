package ecs

import "testing"

// These component types have different shapes, because single rows are read and written in a
// different way for each shape.
type (
	oneWord   struct{ V float32 }
	fourBytes struct{ V [4]uint8 }
	oneWide   struct{ V [3]float64 }
	bare      float64
	twoWords  struct {
		A float32
		B int32
	}
	fiveWords   struct{ A, B, C, D, E float32 }
	twoFloats   struct{ A, B float32 }
	threeFloats struct{ A, B, C float32 }
	threeWords  struct {
		A, B int32
		C    uint32
	}
	twoDoubles struct{ A, B float64 }
	twoLongs   struct {
		A int64
		B float64
	}
	threeLongs struct {
		A    int64
		B, C uint64
	}
	fourLongs struct {
		A    int64
		B    float64
		C, D uint64
	}
	gapped struct {
		A int32
		_ int32
		B int32
	}
	longs  struct{ A, B, C float64 }
	widths struct {
		A float64
		B int32
		C bool
	}
	trailed struct {
		A int32
		B uint16
	}
)

// TestWays uses all functions that read or write single rows, for each shape, at the ends of chunks.
func TestWays(t *testing.T) {
	testWay(t, layoutOneLane, func(i int) oneWord { return oneWord{float32(i)} })
	testWay(t, layoutOneLane, func(i int) fourBytes { return fourBytes{[4]uint8{1, uint8(i), uint8(i >> 8), 2}} })
	testWay(t, layoutOneLane, func(i int) oneWide { return oneWide{[3]float64{float64(i), 1, -float64(i)}} })
	testWay(t, layoutOneLane, func(i int) bare { return bare(i) })
	testWay(t, layoutWords, func(i int) twoWords { return twoWords{float32(i), int32(-i)} })
	testWay(t, layoutWords, func(i int) fiveWords { return fiveWords{float32(i), 1, 2, 3, float32(-i)} })
	testWay(t, layoutLanes, func(i int) gapped { return gapped{A: int32(i), B: int32(-i)} })
	testWay(t, layoutWords, func(i int) threeFloats { return threeFloats{float32(i), 1, float32(-i)} })
	testWay(t, layoutWords, func(i int) twoFloats { return twoFloats{float32(i), float32(-i)} })
	testWay(t, layoutWords, func(i int) threeWords { return threeWords{int32(i), 1, uint32(i)} })
	testWay(t, layoutLongWords, func(i int) twoDoubles { return twoDoubles{float64(i), float64(-i)} })
	testWay(t, layoutLongWords, func(i int) twoLongs { return twoLongs{int64(i), float64(-i)} })
	testWay(t, layoutLongWords, func(i int) threeLongs { return threeLongs{int64(i), uint64(i), 7} })
	testWay(t, layoutLongWords, func(i int) fourLongs { return fourLongs{int64(i), float64(-i), 3, 4} })
	testWay(t, layoutLongWords, func(i int) longs { return longs{float64(i), 0.5, float64(-i)} })
	testWay(t, layoutLanes, func(i int) widths { return widths{float64(i), int32(-i), i%2 == 0} })
	testWay(t, layoutLanes, func(i int) trailed { return trailed{int32(i), uint16(i)} })
}

func testWay[T comparable](t *testing.T, want uint8, value func(i int) T) {
	w := newWorld(t, 1)
	c, err := componentIn[T](w, "test")
	if err != nil {
		t.Fatal(err)
	}
	a := w.Archetype(Term{mode: modeWith, typ: c.typ}, With[Velocity]()) // lanes before and after it
	n := a.Capacity() + 3
	ids := make([]Entity, n)
	must(t, w.CreateInto(a, ids))
	if got := a.arch.columns[a.arch.findColumn(c.key)].layoutKind; got != want {
		t.Errorf("%v: way %d, want %d", c.typ, got, want)
	}
	for i, e := range ids {
		must(t, Set(w, e, Velocity{float32(i), 7, -float32(i)}))
	}
	l := NewWorldLookup[T](w)
	for i, e := range ids {
		if i%2 == 0 {
			must(t, Set(w, e, value(i)))
		} else if !l.Set(e, value(i)) {
			t.Fatalf("%v: no value to set", c.typ)
		}
	}
	check := func(when string, back bool) {
		t.Helper()
		for i, e := range ids {
			v := value(i)
			if got, err := Get[T](w, e); err != nil || got != v {
				t.Fatalf("%v: %s: row %d of %d: Get %v, %v, want %v", c.typ, when, i, n, got, err, v)
			}
			if got, _ := Get[Velocity](w, e); got != (Velocity{float32(i), 7, -float32(i)}) {
				t.Fatalf("%v: %s: row %d of %d: its neighbour is %v", c.typ, when, i, n, got)
			}
			if back {
				if got, ok := l.Get(e); !ok || got != v {
					t.Fatalf("%v: %s: row %d of %d: Lookup.Get %v, %v, want %v", c.typ, when, i, n, got, ok, v)
				}
			}
		}
	}
	check("set", true)
	batch := make([]T, n)
	if got := l.Gather(batch, ids); got != n {
		t.Fatalf("%v: Gather found %d of %d", c.typ, got, n)
	}
	for i := range batch {
		if batch[i] != value(i) {
			t.Fatalf("%v: row %d of %d: Gather %v, want %v", c.typ, i, n, batch[i], value(i))
		}
		batch[i] = value(n - i)
	}
	if got := l.Scatter(ids, batch); got != n {
		t.Fatalf("%v: Scatter found %d of %d", c.typ, got, n)
	}
	for i, e := range ids {
		if got, ok := l.Get(e); !ok || got != batch[i] {
			t.Fatalf("%v: row %d of %d: Lookup.Get %v, %v after Scatter of %v", c.typ, i, n, got, ok, batch[i])
		}
		batch[i] = value(i)
	}
	l.Scatter(ids, batch)
	check("scattered", true)
	for i, e := range ids { // single rows move, and fill gaps
		if i%3 == 0 {
			must(t, Add(w, e, Spin{}))
		}
	}
	check("moved", false)
	for _, e := range ids {
		if _, err := Remove[Spin](w, e); err != nil {
			t.Fatal(err)
		}
	}
	must(t, l.Refresh())
	check("moved back", true)
	if err := integrity(w); err != nil {
		t.Fatal(err)
	}
}
