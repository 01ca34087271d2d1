package main

import (
	"slices"
	"time"

	"github.com/lanewise/lanewise/kernels"
)

// A side is one implementation: it makes a number of calls and returns the
// nanoseconds of each.
type side struct {
	name string
	time func(times int) (ns float64, err error)
}

// calls returns a side in Go. If path is not empty, the kernels use that path.
// As in kernels.c, one additional call at the beginning is not timed, because
// the previous side has filled the caches with other memory.
func calls(name, path string, f func()) side {
	return side{name, func(times int) (float64, error) {
		if path != "" {
			if err := kernels.Use(path); err != nil {
				return 0, err
			}
		}
		f()
		start := time.Now()
		for range times {
			f()
		}
		return float64(time.Since(start)) / float64(times), nil
	}}
}

// ourSides returns a side for each path of this CPU except the generic one, and the
// plain loop.
func ourSides(kernel, plain func()) []side {
	var sides []side
	for _, path := range kernels.Paths()[1:] {
		sides = append(sides, calls(path, path, kernel))
	}
	return append(sides, calls("Go", "", plain))
}

const sample = 200 * time.Microsecond

// measure runs the sides in turns. The results are the median times of the sides, in
// nanoseconds per row.
func measure(sides []side, n, rounds int) (map[string]float64, error) {
	times := make([]int, len(sides))
	for i, s := range sides {
		times[i] = 1
		for {
			ns, err := s.time(times[i])
			if err != nil {
				return nil, err
			}
			if ns*float64(times[i]) > float64(sample)/2 {
				times[i] = max(1, int(float64(sample)/ns))
				break
			}
			times[i] *= 2
		}
	}
	samples := make([][]float64, len(sides))
	for range rounds {
		for i, s := range sides {
			ns, err := s.time(times[i])
			if err != nil {
				return nil, err
			}
			samples[i] = append(samples[i], ns/float64(n))
		}
	}
	row := map[string]float64{}
	for i, s := range sides {
		slices.Sort(samples[i])
		row[s.name] = samples[i][rounds/2]
	}
	return row, nil
}
