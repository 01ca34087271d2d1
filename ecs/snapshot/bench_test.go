package snapshot

import (
	"bytes"
	"encoding/gob"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
)

// Pace is the second component in the benchmark's rows, which have 24 bytes.
type Pace struct{ X, Y, Z float32 }

// gobRow is a row in the form in which the benchmark passes it to package gob.
type gobRow struct {
	ID    ecs.Entity
	Place Place
	Pace  Pace
}

// BenchmarkBytes measures the time of a million rows of 24 bytes and an id, relative to a plain
// copy of the same number of bytes. The benchmark runs each operation and a copy in turn, round
// after round, and reports the medians of their ratios. For comparison, package gob encodes a
// tenth of the same rows, from a slice.
func BenchmarkBytes(b *testing.B) {
	const rows = 1_000_000
	w, used := ecs.NewWorld("bench"), ecs.NewWorld("used")
	defer w.Close()
	defer used.Close()
	list := make([]ecs.Entity, rows)
	must(b, w.CreateInto(w.Archetype(ecs.With[Place](), ecs.With[Pace]()), list))
	m := imageOf(b, w)
	var out bytes.Buffer
	if _, err := Write(&out, m); err != nil {
		b.Fatal(err)
	}
	file := slices.Clone(out.Bytes())
	from, to := make([]byte, len(file)), make([]byte, len(file))
	plain := make([]gobRow, rows/10)
	for i := range plain {
		plain[i] = gobRow{list[i], Place{1, 2, float32(i)}, Pace{0.5, 1, float32(i)}}
	}
	ops := []struct {
		name string
		do   func() error
	}{
		{"encode", func() error { out.Reset(); _, err := Write(&out, m); return err }},
		{"stream", func() error { out.Reset(); _, err := Write(struct{ io.Writer }{&out}, m); return err }},
		{"decode", func() error {
			read, err := Read(bytes.NewReader(file))
			if err == nil {
				err = errors.Join(ecs.Restore(used, read), read.Release())
			}
			return err
		}},
		{"load", func() error { return LoadFrom(used, bytes.NewReader(file)) }},
		{"read", func() error {
			read, err := Read(bytes.NewReader(file))
			if err == nil {
				err = read.Release()
			}
			return err
		}},
		{"tenth-by-gob", func() error { return gob.NewEncoder(&bytes.Buffer{}).Encode(plain) }},
	}
	ratios := make([][]float64, len(ops))
	for b.Loop() {
		for i := range ops {
			t := time.Now()
			copy(to, from)
			base := time.Since(t)
			t = time.Now()
			if err := ops[i].do(); err != nil {
				b.Fatal(err)
			}
			ratios[i] = append(ratios[i], float64(time.Since(t))/float64(base))
		}
	}
	for i := range ops {
		slices.Sort(ratios[i])
		b.ReportMetric(ratios[i][len(ratios[i])/2], ops[i].name+"/memcpy")
	}
}
