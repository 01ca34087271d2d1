// Package seq has iterators, and functions that call their arguments.
package seq

import "iter"

func Squares(x []float64) iter.Seq[float64] {
	return func(yield func(float64) bool) {
		for _, v := range x {
			if !yield(v * v) {
				return
			}
		}
	}
}

func Rounded(x []float64) iter.Seq[float64] {
	return func(yield func(float64) bool) {
		for _, v := range x {
			if !yield(float64(v * v)) {
				return
			}
		}
	}
}

type List struct{ x []float64 }

func (l *List) All() iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for i, v := range l.x {
			if !yield(i, v*3) {
				return
			}
		}
	}
}

func (l *List) Again() iter.Seq[float64] { return Squares(l.x) }

func Each(x []float64, f func(int, float64)) {
	for i, v := range x {
		f(i, v*2.5)
	}
}

func Reduce(x []float64, f func(float64) float64) (sum float64) {
	for _, v := range x {
		sum += f(v)
	}
	return sum
}

func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Keys returns the keys in another order each time.
func Keys[M ~map[K]V, K comparable, V any](m M) (keys []K) {
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}
