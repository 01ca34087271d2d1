package ecs

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/lanewise/lanewise/jobs"
)

// BenchmarkImages measures each operation on images, for several amounts of writes.
func BenchmarkImages(b *testing.B) {
	for _, rows := range []int{10_000, 1_000_000} {
		w := NewWorld("bench")
		w.Create(w.Archetype(With[Position](), With[Velocity]()), rows)
		q := w.Query(Write[Position](), Write[Velocity]())
		bytes := int64(rows) * 32
		from, to := make([]byte, bytes), make([]byte, bytes)
		write := func(percent int) {
			i := 0
			for c := range q.Chunks() {
				if i%100 < percent {
					Column[Position](c).X[0]++
					Column[Velocity](c).X[0]++
				}
				i++
			}
		}
		b.Run(fmt.Sprintf("op=memcpy/rows=%d", rows), func(b *testing.B) {
			b.SetBytes(bytes)
			for b.Loop() {
				copy(to, from)
			}
		})
		b.Run(fmt.Sprintf("op=captureAll/rows=%d", rows), func(b *testing.B) {
			b.SetBytes(bytes)
			for b.Loop() {
				m, _ := Capture(w, nil)
				m.Release()
			}
		})
		for _, percent := range []int{1, 10, 100} {
			b.Run(fmt.Sprintf("op=capture/written=%d/rows=%d", percent, rows), func(b *testing.B) {
				last, _ := Capture(w, nil)
				for b.Loop() {
					b.StopTimer()
					write(percent)
					b.StartTimer()
					m, _ := Capture(w, last)
					last.Release()
					last = m
				}
			})
			b.Run(fmt.Sprintf("op=restore/written=%d/rows=%d", percent, rows), func(b *testing.B) {
				m, _ := Capture(w, nil)
				for b.Loop() {
					b.StopTimer()
					write(percent)
					b.StartTimer()
					Restore(w, m)
				}
			})
		}
		b.Run(fmt.Sprintf("op=fork/rows=%d", rows), func(b *testing.B) {
			m, _ := Capture(w, nil)
			for b.Loop() {
				fork, _ := Fork(m, "fork")
				fork.Close()
			}
		})
		w.Close()
	}
}

// BenchmarkImageRatios compares the time of each operation on images to the time of copying the rows
// and ids of the world. In each round, it runs every operation and a plain copy, one after the other;
// it reports the medians of the ratios.
func BenchmarkImageRatios(b *testing.B) {
	for _, rows := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) { imageRatios(b, rows) })
	}
}

// imageWorld is a world with rows of 24 bytes. Its query writes to some of the chunks.
type imageWorld struct {
	w      *World
	q      *Query
	offset int
}

func newImageWorld(rows int, opts ...Option) *imageWorld {
	w := NewWorld("bench", opts...)
	w.Create(w.Archetype(With[Position](), With[Velocity]()), rows)
	return &imageWorld{w: w, q: w.Query(Write[Position](), Write[Velocity]())}
}

// write writes to the given percentage of its chunks.
func (g *imageWorld) write(percent int) {
	i := g.offset
	for c := range g.q.Chunks() {
		if i%100 < percent {
			Column[Position](c).X[0]++
			Column[Velocity](c).X[0]++
		}
		i++
	}
	g.offset++
}

func imageRatios(b *testing.B, rows int) {
	g := newImageWorld(rows)
	defer g.w.Close()
	from, to := make([]uint64, rows*4), make([]uint64, rows*4)
	for i := range from {
		from[i], to[i] = uint64(i), uint64(i)
	}
	last, _ := Capture(g.w, nil)
	var released time.Duration // time of the last Release
	capture := func(percent int, before *Image) time.Duration {
		g.write(percent)
		t := time.Now()
		m, err := Capture(g.w, before)
		if err != nil {
			b.Fatal(err)
		}
		took := time.Since(t)
		t = time.Now()
		_ = last.Release()
		last, released = m, time.Since(t)
		return took
	}
	restore := func(percent int) time.Duration {
		g.write(percent)
		t := time.Now()
		if err := Restore(g.w, last); err != nil {
			b.Fatal(err)
		}
		return time.Since(t)
	}
	const piece, column = 2048, 512 * 12
	used, _ := Fork(last, "used")
	defer used.Close()
	ops := []struct {
		name string
		do   func() time.Duration
	}{
		{"capture", func() time.Duration { return capture(100, nil) }},
		{"capture100", func() time.Duration { return capture(100, last) }},
		{"release100", func() time.Duration { return released }},
		{"capture10", func() time.Duration { return capture(10, last) }},
		{"capture1", func() time.Duration { return capture(1, last) }},
		{"release1", func() time.Duration { return released }},
		{"capture0", func() time.Duration { return capture(0, last) }},
		{"restore100", func() time.Duration { return restore(100) }},
		{"restore10", func() time.Duration { return restore(10) }},
		{"restore1", func() time.Duration { return restore(1) }},
		{"fork", func() time.Duration {
			t := time.Now()
			w, err := Fork(last, "fork")
			d := time.Since(t)
			if err != nil {
				b.Fatal(err)
			}
			_ = w.Close()
			runtime.GC() // later benchmarks do not pay for the memory of this world
			return d
		}},
		{"forkUsed", func() time.Duration {
			t := time.Now()
			if err := Restore(used, last); err != nil {
				b.Fatal(err)
			}
			return time.Since(t)
		}},
		{"read", func() time.Duration {
			t := time.Now()
			sum := hashEach(jobs.Default(), len(from)/piece, func(_ *digest, i int) uint64 { return addAll(from[i*piece:][:piece]) })
			if len(sum) == 1 {
				b.Fatal(sum)
			}
			return time.Since(t)
		}},
		{"scattered1", func() time.Duration { // the bytes of a Capture of 1 %: two columns of each of these chunks, and nothing else
			t := time.Now()
			bytes, into := sliceBytes(from), sliceBytes(to)
			for at := 0; at+2*column <= len(bytes); at += 100 * 512 * 32 {
				copy(into[at:][:2*column], bytes[at:])
			}
			return time.Since(t)
		}},
		{"pieces", func() time.Duration { // the bytes of a Capture of everything in the necessary pieces: column by column
			t := time.Now()
			pool, bytes, into := jobs.Default(), sliceBytes(from), sliceBytes(to)
			parallelRanges(pool, len(bytes)/column, 8, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					copy(into[i*column:][:column], bytes[i*column:])
				}
			})
			return time.Since(t)
		}},
		{"hash", func() time.Duration { t := time.Now(); g.w.Hash(); return time.Since(t) }},
	}
	ratios := make([][]float64, len(ops))
	var plain []float64
	for b.Loop() {
		for range max(1, 1_000_000/rows/4) {
			t := time.Now()
			copy(to, from)
			base := time.Since(t)
			plain = append(plain, float64(base.Microseconds()))
			for i := range ops {
				t := time.Now()
				copy(to, from)
				base := time.Since(t)
				ratios[i] = append(ratios[i], float64(ops[i].do())/float64(base))
			}
		}
	}
	slices.Sort(plain)
	b.ReportMetric(plain[len(plain)/2], "memcpy-µs")
	for i := range ops {
		slices.Sort(ratios[i])
		b.ReportMetric(ratios[i][len(ratios[i])/2], ops[i].name+"/memcpy")
	}
}

// addAll adds up words as fast as they can be read from memory.
func addAll(list []uint64) (sum uint64) {
	var a, b, c, d uint64
	for ; len(list) >= 8; list = list[8:] {
		a += list[0] + list[4]
		b += list[1] + list[5]
		c += list[2] + list[6]
		d += list[3] + list[7]
	}
	return a + b + c + d
}

// BenchmarkColdPieces copies as many bytes as a Capture does if 1 % of a million rows have changed.
// It first copies 32 MB to empty the caches. These bytes are 120 pieces of 2 KB. It copies the pieces
// without prefetching, or prefetches the next piece, or prefetches all pieces first.
func BenchmarkColdPieces(b *testing.B) {
	const chunk, line = 16 << 10, 64 / 8
	from, to, into := make([]uint64, 4<<20), make([]uint64, 4<<20), make([]uint64, 20*chunk/8)
	for i := range from {
		from[i] = uint64(i) // gives them their physical pages
	}
	type pair struct{ to, from []uint64 }
	var pieces []pair
	for c := range 20 {
		for column := range 6 {
			at := column * 320
			pieces = append(pieces, pair{into[c*chunk/8+at:][:256], from[c*100*chunk/8+at:][:256]})
		}
	}
	sum := uint64(0)
	touch := func(p pair) {
		for i := 0; i < 256; i += line {
			sum += p.from[i] + p.to[i]
		}
	}
	for _, way := range []struct {
		name    string
		prepare func(i int) // called before piece i is copied
	}{
		{"plain", func(int) {}},
		{"next", func(i int) { touch(pieces[min(i+1, len(pieces)-1)]) }},
		{"all", func(i int) {
			if i == 0 {
				for _, p := range pieces {
					touch(p)
				}
			}
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			var ratios []float64
			for b.Loop() {
				t := time.Now()
				copy(to, from)
				base := time.Since(t)
				t = time.Now()
				for i, p := range pieces {
					way.prepare(i)
					copy(p.to, p.from)
				}
				ratios = append(ratios, float64(time.Since(t))/float64(base))
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "memcpy")
		})
	}
	if sum == 1 {
		b.Fatal(sum)
	}
}
