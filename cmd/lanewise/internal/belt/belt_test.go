package belt

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/catalogue"
)

func fingerprint(minors []catalogue.Minor) uint64 {
	h := fnv.New64a()
	for _, m := range minors {
		h.Write([]byte(m.Name))
		if err := binary.Write(h, binary.LittleEndian, m.Elements); err != nil {
			panic(err) // Elements has a fixed size
		}
	}
	return h.Sum64()
}

// TestSameEverywhere checks that the belt has the same bits on every machine. The hash of the
// orrery's world includes the belt, so a change of these bits needs a new golden hash.
func TestSameEverywhere(t *testing.T) {
	const golden = 0xdc820e93c841846e
	if got := fingerprint(New(20000, 1)); got != uint64(golden) {
		t.Errorf("fingerprint is %#x, want %#x", got, uint64(golden))
	}
	if fingerprint(New(100, 1)) == fingerprint(New(100, 2)) {
		t.Error("two seeds give one belt")
	}
}

func TestElements(t *testing.T) {
	minors := New(100000, 1)
	if len(minors) != 100000 {
		t.Fatalf("%d minor planets, want 100000", len(minors))
	}
	far := 0
	for _, m := range minors {
		e := m.Elements
		if !(e.Ecc >= 0 && e.Ecc < 0.9 && e.Incl >= 0 && e.Incl <= 60 && e.Axis > 1.6 && e.Axis < 81 && e.Mean >= 0 && e.Mean < 360.00001) {
			t.Fatalf("%s: %+v", m.Name, e)
		}
		if q := e.Axis * (1 - e.Ecc); q < 1.5 {
			t.Errorf("%s comes to %.3f AU", m.Name, q)
		}
		// Kepler's third law must hold to the printed decimals.
		if k := e.Motion * math.Sqrt(e.Axis*e.Axis*e.Axis); math.Abs(k-degreesPerDay) > 1e-6*math.Sqrt(e.Axis*e.Axis*e.Axis) {
			t.Errorf("%s: n²a³ is not that of the Sun: %+v", m.Name, e)
		}
		if e.Axis*(1+e.Ecc) > 6.5 {
			far++
		}
	}
	if far > len(minors)/100 {
		t.Errorf("%d are beyond the inner picture, want at most a hundredth of %d", far, len(minors))
	}
}

// TestGaps checks that Kirkwood's gaps exist. The bin at each of the three deep gaps must have
// less than a tenth of the asteroids of a bin beside the gap.
func TestGaps(t *testing.T) {
	count := func(minors []catalogue.Minor, axis float64) (n int) {
		for _, m := range minors {
			if math.Abs(m.Axis-axis) < 0.005 {
				n++
			}
		}
		return n
	}
	minors := New(100000, 1)
	for _, gap := range []float64{2.502, 2.825, 2.958} {
		here, below, above := count(minors, gap), count(minors, gap-0.04), count(minors, gap+0.04)
		if 10*here > below || 10*here > above {
			t.Errorf("at %.3f AU there are %d, beside it %d and %d", gap, here, below, above)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		New(100000, 1)
	}
}
