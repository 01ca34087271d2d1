package pack_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/pack"
)

type Speed struct{ X, Y, Z float32 }

// flock creates a world of 20,000 entities, and returns n ids of entities in random order.
func flock(b testing.TB, n int, rich bool) (*ecs.World, []ecs.Entity) {
	w := newWorld(b, 1)
	rng := rand.New(rand.NewPCG(1, 1))
	var ids []ecs.Entity
	for i := range 20_000 {
		e := w.Spawn(GlobalID{uint64(i) + 1}, Position{X: float32(i)}, Speed{Y: 1})
		if rich {
			for _, v := range []any{On{N: 1}, Team{Name: fmt.Sprint(i % 3)}, Ref{}, ecs.BufferOf(make([]Item, i%4)...), Flag{}} {
				must(b, addAny(w, e, v))
			}
		}
		ids = append(ids, e)
	}
	if rich {
		for i, e := range ids {
			must(b, ecs.Set(w, e, Ref{To: ids[(i+1)%len(ids)]}))
		}
	}
	rng.Shuffle(len(ids), func(i, k int) { ids[i], ids[k] = ids[k], ids[i] })
	return w, ids[:n]
}

func addAny(w *ecs.World, e ecs.Entity, v any) error {
	return w.Untyped().Add(e, reflect.TypeOf(v), valueOf(v))
}

// valueOf returns a value in the form for Untyped.Add: a slice for a buffer.
func valueOf(v any) any {
	if b, is := v.(ecs.Buffer[Item]); is {
		return b.Slice()
	}
	return v
}

// BenchmarkMigrate moves entities to another world and back, which is two moves.
func BenchmarkMigrate(b *testing.B) {
	for _, rich := range []bool{false, true} {
		for _, n := range []int{10, 100, 1000} {
			b.Run(fmt.Sprintf("rich=%v/rows=%d", rich, n), func(b *testing.B) { benchMigrate(b, n, rich) })
		}
	}
}

func benchMigrate(b *testing.B, n int, rich bool) {
	w, ids := flock(b, n, rich)
	other, _ := flock(b, n, rich)
	there, back := pack.New(other), pack.New(w)
	var m []byte
	ids = slices.Clone(ids)
	b.ReportAllocs()
	for b.Loop() {
		m, ids = migrate(b, back, there, m[:0], ids)
		m, ids = migrate(b, there, back, m[:0], ids)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(2*n), "ns/row")
	b.ReportMetric(float64(len(m))/float64(n), "B/row")
}

func migrate(b *testing.B, from, to *pack.Packer, m []byte, ids []ecs.Entity) ([]byte, []ecs.Entity) {
	m, err := from.Take(m, ids)
	must(b, err)
	ids, err = to.Unpack(m)
	must(b, err)
	return m, ids
}

// BenchmarkHalo copies two columns of scattered rows from one world to the same number of
// ghosts in another world. For comparison it copies the same rows with look-ups.
func BenchmarkHalo(b *testing.B) {
	const n = 2000
	w, ids := flock(b, n, false)
	other, ghosts := flock(b, n, false)
	types := []reflect.Type{reflect.TypeFor[Position](), reflect.TypeFor[Speed]()}
	from, err := ecs.NewRowSet(w, types...)
	must(b, err)
	to, err := ecs.NewRowSet(other, types...)
	must(b, err)
	b.Run("ecs.RowSet", func(b *testing.B) {
		var values []byte
		b.ReportAllocs()
		for b.Loop() {
			values = halo(b, from, to, values[:0], ids, ghosts)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
	})
	b.Run("Lookup", func(b *testing.B) {
		places, speeds := make([]Position, n), make([]Speed, n)
		fp, fs, tp, ts := ecs.NewWorldLookup[Position](w), ecs.NewWorldLookup[Speed](w), ecs.NewWorldLookup[Position](other), ecs.NewWorldLookup[Speed](other)
		b.ReportAllocs()
		for b.Loop() {
			fp.Gather(places, ids)
			fs.Gather(speeds, ids)
			tp.Scatter(ghosts, places)
			ts.Scatter(ghosts, speeds)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
	})
	b.Run("loop", func(b *testing.B) { benchLoop(b, w, other, ids, ghosts) })
}

func halo(b *testing.B, from, to *ecs.RowSet, values []byte, ids, ghosts []ecs.Entity) []byte {
	values, err := from.Gather(values, ids)
	must(b, err)
	must(b, to.Scatter(ghosts, values))
	return values
}

// row says where an entity's row is, as a hand-written loop would store it.
type row struct{ chunk, row int32 }

// benchLoop copies the same rows with a hand-written loop, which has stored where the rows are.
func benchLoop(b *testing.B, w, other *ecs.World, ids, ghosts []ecs.Entity) {
	type chunk struct{ place, speed struct{ X, Y, Z []float32 } }
	lay := func(w *ecs.World, ids []ecs.Entity) (chunks []chunk, rows []row) {
		at := map[ecs.Entity]row{}
		for c := range w.Query(ecs.Write[Position](), ecs.Write[Speed]()).Chunks() {
			for i, e := range c.Entities() {
				at[e] = row{int32(len(chunks)), int32(i)}
			}
			chunks = append(chunks, chunk{*ecs.Column[Position](c), *ecs.Column[Speed](c)})
		}
		for _, e := range ids {
			rows = append(rows, at[e])
		}
		return chunks, rows
	}
	src, from := lay(w, ids)
	dst, to := lay(other, ghosts)
	values := make([]float32, 6*len(ids))
	for b.Loop() {
		for i, r := range from {
			c, v := &src[r.chunk], values[6*i:6*i+6]
			v[0], v[1], v[2] = c.place.X[r.row], c.place.Y[r.row], c.place.Z[r.row]
			v[3], v[4], v[5] = c.speed.X[r.row], c.speed.Y[r.row], c.speed.Z[r.row]
		}
		for i, r := range to {
			c, v := &dst[r.chunk], values[6*i:6*i+6]
			c.place.X[r.row], c.place.Y[r.row], c.place.Z[r.row] = v[0], v[1], v[2]
			c.speed.X[r.row], c.speed.Y[r.row], c.speed.Z[r.row] = v[3], v[4], v[5]
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(ids)), "ns/row")
}

// BenchmarkHash hashes a world by ecs.Query.HashRows and, for comparison, by World.Hash.
func BenchmarkHash(b *testing.B) {
	for _, rich := range []bool{false, true} {
		w, _ := flock(b, 0, rich)
		q := w.Query(ecs.With[GlobalID]())
		b.Run(fmt.Sprintf("rich=%v/ecs.Query.HashRows", rich), func(b *testing.B) {
			for b.Loop() {
				_, err := q.HashRows(reflect.TypeFor[GlobalID]())
				must(b, err)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/20_000, "ns/row")
		})
		b.Run(fmt.Sprintf("rich=%v/World.Hash", rich), func(b *testing.B) {
			for b.Loop() {
				w.Hash()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/20_000, "ns/row")
		})
	}
}
