package goals

import (
	"math/rand/v2"
	"slices"

	"github.com/lanewise/lanewise/order"
)

// sortGoals returns the goals of package order. Keys have random bits, except for
// floats, which have a normal distribution.
func sortGoals() []Goal {
	return []Goal{
		sorted("order.Sort/u32", rand.Uint32),
		sorted("order.Sort/u64", rand.Uint64),
		sorted("order.Sort/f32", func() float32 { return float32(bell()) }),
		sorted("order.Sort/f64", bell),
	}
}

// bell draws from an approximately normal distribution. It uses only sums,
// because sums have the same bits on every CPU.
func bell() float64 { return rand.Float64() + rand.Float64() - rand.Float64() - rand.Float64() }

func sorted[K order.Key](name string, key func() K) Goal {
	return Goal{Name: name, What: "times as fast as slices.Sort", Aim: 4, More: true, From: "a ratio", measure: func(o *Options) (float64, string) {
		drawn, keys := make([]K, o.Keys), make([]K, o.Keys)
		for i := range drawn {
			drawn[i] = key()
		}
		var s order.Sorter[K, int32]
		ours := o.timeEach(1, func() { copy(keys, drawn); s.Sort(keys) })
		return o.timeEach(1, func() { copy(keys, drawn); slices.Sort(keys) }) / ours, ""
	}}
}
