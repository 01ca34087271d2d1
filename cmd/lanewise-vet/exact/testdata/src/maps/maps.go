// Package maps goes over maps.
package maps

import (
	"fmt"
	"sort"
	"sync"

	_ "github.com/lanewise/lanewise/ecs"
)

type world struct{ mass map[string]float64 }

func total(w *world) (sum float64) {
	for _, m := range w.mass { // want `a loop over a map takes another order each time: go by sorted keys`
		sum += m
	}
	return sum
}

func print(m map[int]string) {
	for id, name := range m {
		fmt.Println(id, name)
	} // want `a loop over a map`
	for id := range m { // want `a loop over a map`
		fmt.Println(id)
	}
}

type point struct{ x, y int }

func unordered(m map[point]int) (first int) {
	for _, v := range m { // want `a loop over a map takes another order each time$`
		return v
	}
	return 0
}

func any(m map[string]int, other map[string]int) (n int, keys []string) {
	for range m {
		n++
	}
	for k, v := range m {
		if v > 3 {
			n += v
			delete(m, k)
			continue
		}
		other[k] = v * 2
	}
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return n, keys
}

func unsorted(m map[string]int) (keys []string) {
	for k := range m { // want `a loop over a map`
		keys = append(keys, k)
	}
	return keys
}

func synced(m *sync.Map) {
	m.Range(func(k, v any1) bool { return true }) // want `sync.Map.Range`
}

type any1 = interface{}
