package random

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// TestMessages checks the messages about wrong arguments. A wrong call must change nothing.
func TestMessages(t *testing.T) {
	lane, three, two := []float32{9, 9}, []float32{9, 9, 9}, key.IDs(make([]uint64, 2))
	var said strings.Builder
	for _, c := range []struct {
		name string
		call func()
	}{
		{"key by index", func() { Key{Stream: MaxStream + 1}.Rows(0) }},
		{"key by id", func() { Key{Stream: 1 << 24}.IDs(nil) }},
		{"key of a row", func() { Key{Stream: 1 << 31}.Row(0) }},
		{"key of an id", func() { Key{Stream: 1 << 24}.ID(0) }},
		{"ids", func() { Uniform(three, two) }},
		{"no ids", func() { Normal(lane, key.IDs(nil), 0, 1) }},
		{"ids of waits", func() { Exponential(three, two, 1) }},
		{"lanes of four", func() { Uniform4(lane, lane, three, lane, two) }},
		{"ids of four", func() { Uniform4(three, three, three, three, two) }},
		{"empty range", func() { Range(lane, two, 1, 1) }},
		{"range without size", func() { RangeOf[float32](key.Row(0), -3e38, 3e38) }},
		{"range of NaN", func() { RangeOf(key.Row(0), 0, nan) }},
		{"ids of a range", func() { Range(three, two, 0, 1) }},
		{"none below", func() { Below([]int32{9}, key.Rows(0), 0) }},
		{"below a negative", func() { BelowOf[int64](key.Row(0), -5) }},
		{"ids of integers", func() { Below([]int32{9}, two, 1) }},
		{"short mask", func() { Bernoulli(make([]uint64, 1), 65, key.Rows(0), 0.5) }},
		{"negative rows", func() { Bernoulli(nil, -1, key.Rows(0), 0.5) }},
		{"ids of a mask", func() { Bernoulli(make([]uint64, 1), 3, two, 0.5) }},
		{"no probability", func() { Bernoulli(make([]uint64, 1), 2, two, 1.5) }},
		{"a probability of NaN", func() { BernoulliOf(key.Row(0), nan) }},
		{"flat directions", func() { Directions2(&kernels.Vec2s[float32]{X: lane, Y: three}, two) }},
		{"ids of flat directions", func() { Directions2(&kernels.Vec2s[float32]{X: three, Y: three}, two) }},
		{"directions", func() { Directions3(&kernels.Vec3s[float32]{X: lane, Y: lane, Z: three}, two) }},
		{"ids of directions", func() { Directions3(&kernels.Vec3s[float32]{X: three, Y: three, Z: three}, two) }},
		{"key of a permutation", func() { Permutation(nil, Key{Stream: 1 << 24}) }},
		{"flat noise", func() { Noise2(lane, lane, three, 0) }},
		{"noise", func() { Noise3(lane, lane, lane, three, 0) }},
	} {
		func() {
			defer func() { fmt.Fprintf(&said, "%s: %v\n", c.name, recover()) }()
			c.call()
		}()
	}
	const file = "testdata/messages.golden"
	if *update {
		if err := os.WriteFile(file, []byte(said.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if said.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", said.String(), want)
	}
	for _, v := range append(lane, three...) {
		if v != 9 {
			t.Error("a lane was written before the arguments were checked")
		}
	}
}
