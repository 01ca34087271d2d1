package arrow

import (
	"bytes"
	"io"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// Speed makes rows of 32 bytes, together with Position and the id.
type Speed struct{ X, Y, Z float32 }

func (Speed) Column() (c kernels.Vec3s[float32]) { return }

const benchRows = 1 << 20

var benchTerms = []ecs.Term{ecs.Read[Position](), ecs.Read[Speed]()}

func benchWorld(b *testing.B) *Source {
	w := newWorld(b)
	for c := range w.Create(w.Archetype(ecs.With[Position](), ecs.With[Speed]()), benchRows).Chunks() {
		ecs.Column[Position](c).X[0] = 1
	}
	b.SetBytes(benchRows * 32)
	b.ReportAllocs()
	return newOf(b, w, benchTerms...)
}

// BenchmarkCopy measures a plain copy, so that the other benchmarks can be compared with it.
// It copies the columns, chunk by chunk, into existing memory.
func BenchmarkCopy(b *testing.B) {
	s := benchWorld(b)
	to := make([]byte, benchRows*32)
	b.Run("into=old", func(b *testing.B) {
		b.SetBytes(benchRows * 32)
		for b.Loop() {
			copyAll(s, to)
		}
	})
	b.Run("into=fresh", func(b *testing.B) {
		b.SetBytes(benchRows * 32)
		for b.Loop() {
			copyAll(s, make([]byte, benchRows*32))
		}
	})
}

func copyAll(s *Source, to []byte) {
	for c := range s.query.Chunks() {
		for i := range s.columns {
			to = to[copy(to, c.LaneBytes(s.columns[i].typ, s.columns[i].lane)):]
		}
	}
}

func BenchmarkStream(b *testing.B) {
	s := benchWorld(b)
	for b.Loop() {
		if err := s.WriteStream(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkViews(b *testing.B) {
	s := benchWorld(b)
	views, err := s.Views()
	if err != nil {
		b.Fatal(err)
	}
	n, chunks := int64(0), 0
	for b.Loop() {
		for v := range views {
			r, _ := v.Batch()
			n += r.NumRows()
			chunks++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(chunks), "ns/chunk")
}

// addAll adds batches to an importer and closes it.
func addAll(b *testing.B, im *Importer, list []arrow.RecordBatch) {
	for _, batch := range list {
		if err := im.Add(batch); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := im.Close(); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkImport(b *testing.B) {
	s := benchWorld(b)
	var out bytes.Buffer
	if err := s.WriteStream(&out); err != nil {
		b.Fatal(err)
	}
	r, err := ipc.NewReader(bytes.NewReader(out.Bytes()))
	if err != nil {
		b.Fatal(err)
	}
	var list []arrow.RecordBatch
	for r.Next() {
		r.RecordBatch().Retain()
		list = append(list, r.RecordBatch())
	}
	for b.Loop() {
		w := ecs.NewWorld("b")
		im, _ := NewImporter(w, benchTerms...)
		addAll(b, im, list)
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAgainstCopy measures four operations in turns: a copy of the columns into existing
// memory, the gathered stream, a copy into new memory, and the import. The figures are medians of
// the ratios.
func BenchmarkAgainstCopy(b *testing.B) {
	s := benchWorld(b)
	to := make([]byte, benchRows*32)
	var out bytes.Buffer
	if err := s.WriteStream(&out); err != nil {
		b.Fatal(err)
	}
	r, err := ipc.NewReader(bytes.NewReader(out.Bytes()))
	if err != nil {
		b.Fatal(err)
	}
	var list []arrow.RecordBatch
	for r.Next() {
		r.RecordBatch().Retain()
		list = append(list, r.RecordBatch())
	}
	took := func(f func()) float64 {
		runtime.GC() // collects the garbage of the previous measurement
		start := time.Now()
		f()
		return float64(time.Since(start))
	}
	var stream, in []float64
	for b.Loop() {
		old := took(func() { copyAll(s, to) })
		stream = append(stream, took(func() { _ = s.WriteStream(io.Discard) })/old)
		fresh := took(func() { copyAll(s, make([]byte, benchRows*32)) })
		w := ecs.NewWorld("b")
		in = append(in, took(func() {
			im, _ := NewImporter(w, benchTerms...)
			addAll(b, im, list)
		})/fresh)
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
	slices.Sort(stream)
	slices.Sort(in)
	b.ReportMetric(stream[len(stream)/2], "stream/copy")
	b.ReportMetric(in[len(in)/2], "import/fresh-copy")
}

// TestViewsAllocateNothing checks that loops over views allocate nothing from the second loop on.
func TestViewsAllocateNothing(t *testing.T) {
	s := newOf(t, newMovingWorld(t, 10_000), moving...)
	views, err := s.Views()
	if err != nil {
		t.Fatal(err)
	}
	rows := int64(0)
	look := func() {
		for v := range views {
			b, _ := v.Batch()
			rows += b.NumRows()
		}
	}
	look()
	if n := testing.AllocsPerRun(20, look); n > 4 { // the loop itself allocates, for any number of chunks
		t.Errorf("%v allocations a loop over %d chunks", n, s.Query().ChunkCount())
	}
}
