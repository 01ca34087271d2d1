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
