// Package adds has loops whose fixes add different imports.
package adds

import _ "github.com/lanewise/lanewise/ecs"

type point struct{ x, y int }

func sums(m map[int]float64, p map[point]float64) (sum float64) {
	for _, v := range m { // want `go by sorted keys`
		sum += v
	}
	for _, v := range p { // want `go by sorted keys`
		sum += v
	}
	for _, v := range m { // want `go by sorted keys`
		sum -= v
	}
	return sum
}
