package kernels

import (
	"slices"
	"testing"
)

// TestAnnounce checks that Announce accepts operands that share exactly the same rows and refuses
// operands that overlap by some rows.
func TestAnnounce(t *testing.T) {
	x, y := make([]float32, 9), make([]float32, 9)
	var seen []string
	defer func(was func(span, bool)) { observe = was }(observe)
	observe = func(s span, write bool) {
		kind := "read "
		if write {
			kind = "write "
		}
		seen = append(seen, kind+s.name)
	}
	Announce("own: F", Writes("x", x), Reads("y", y), Reads("x", x)) // the same rows may be shared
	if want := []string{"write x", "read y", "read x"}; !slices.Equal(seen, want) {
		t.Errorf("announced %v, want %v", seen, want)
	}
	for _, c := range []struct {
		want string
		uses []Touch
	}{
		{"own: F: a and b overlap: b starts 4 bytes after a, each row has 4: give b memory of its own", []Touch{Writes("a", x[:8]), Reads("b", x[1:])}},
		{"own: F: b and a overlap: a starts 8 bytes before b, each row has 4: give a memory of its own", []Touch{Reads("a", x[:8]), Writes("b", x[2:])}},
	} {
		func() {
			defer func() {
				if got := recover(); got != c.want {
					t.Errorf("got %v\nwant %s", got, c.want)
				}
			}()
			Announce("own: F", c.uses...)
		}()
	}
	Announce("own: F", Reads("a", x[:8]), Reads("b", x[1:])) // two reads may overlap
}

func TestOverlapOfTwo(t *testing.T) {
	x := make([]float32, 9)
	for _, c := range []struct {
		a, b []float32
		want bool
	}{{x, x, true}, {x[:5], x[4:], true}, {x[:4], x[4:], false}, {x[:0], x, false}, {nil, x, false}, {x, make([]float32, 9), false}} {
		if got := Overlap(c.a, c.b); got != c.want {
			t.Errorf("Overlap of %d and %d rows: %v", len(c.a), len(c.b), got)
		}
	}
}

// TestVector checks the vector width of each path.
func TestVector(t *testing.T) {
	defer func(was pathID) { path = was }(path)
	for id, want := range map[pathID]int{generic: 0, avx2: 32, avx512: 64, neon: 16, simd: 16} {
		path = id
		if got := VectorBytes(); got != want {
			t.Errorf("%s: %d bytes, want %d", Path(), got, want)
		}
	}
}
