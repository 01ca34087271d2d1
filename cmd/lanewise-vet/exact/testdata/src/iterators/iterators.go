// Package iterators uses package maps.
package iterators

import (
	"maps"
	"slices"

	_ "github.com/lanewise/lanewise/ecs"
)

func keys(m map[int]int) []int {
	a := slices.Sorted(maps.Keys(m))
	for k := range maps.Keys(m) { // want `maps.Keys yields another order each time`
		a = append(a, k)
	}
	return append(a, slices.Collect(maps.Values(m))...) // want `maps.Values yields`
}

func collected(m map[int]int, b []int) []int {
	a := slices.Collect(maps.Keys(m))
	slices.Sort(a)
	f := maps.Values[map[int]int] // want `maps.Values yields`
	b = slices.AppendSeq(b, f(m))
	b = slices.AppendSeq(b, maps.Keys(m)) // want `maps.Keys yields`
	maps.All(m)(func(k, v int) bool {     // want `maps.All yields`
		b = append(b, v)
		return true
	})
	return append(a, b...)
}
