package adds

import (
	"math"
)

func squares(m map[[2]int]float64, p map[point]float64) (sum float64) {
	for _, v := range m { // want `go by sorted keys`
		sum += math.Abs(v)
	}
	for _, v := range p { // want `go by sorted keys`
		sum += math.Abs(v)
	}
	return sum
}
