// Package callbacks sums what iterators yield and what functions of any type return.
package callbacks

import (
	"iter"

	_ "github.com/lanewise/lanewise/jobs"
	"seq"
)

func squares(x []float64) iter.Seq[float64] {
	return func(yield func(float64) bool) {
		for _, v := range x {
			if !yield(v * v) { // want `v \* v meets the sum in line 22`
				return
			}
		}
	}
}
func total(x []float64) (sum float64) {
	for e := range squares(x) {
		sum += e
	}
	return sum
}
func last(x []float64) float64 {
	e := 0.0
	for e = range thirds(x) {
	}
	return e + 1
}
func thirds(x []float64) iter.Seq[float64] {
	return func(yield func(float64) bool) {
		for _, v := range x {
			if !yield(v * 3) { // want `v \* 3 meets the sum in line 30`
				return
			}
		}
	}
}
func abroad(x []float64, l *seq.List) (sum float64) {
	for e := range seq.Squares(x) { // want `a value from seq.Squares\(x\) is a product, or has one in it \(seq/seq.go:9\)`
		sum += e
	}
	for e := range seq.Rounded(x) {
		sum += e
	}
	for _, e := range l.All() { // want `a value from l.All\(\) is a product, or has one in it \(seq/seq.go:31\)`
		sum -= e
	}
	for e := range l.Again() { // want `a value from l.Again\(\) is a product`
		sum += e
	}
	for _, e := range l.All() {
		kept(e, 0)
	}
	seq.Each(x, func(_ int, v float64) { sum += v })                     // want `a value from seq.Each .*seq.go:42`
	sum += seq.Reduce(x, func(v float64) float64 { return v * v })       // want `v \* v meets the sum in line 58`
	return sum + seq.Reduce(x, func(v float64) float64 { return v + 1 }) //
}

func kept(e, f float64) float64 { return e }

func apply(x, y float64, f func(float64) float64) float64 { return f(x * y) } // want `x \* y meets the sum in line 64`
func plus1(x float64) float64                             { return x + 1 }
func literal(x, y, z float64) float64                     { return apply(x, y, func(a float64) float64 { return a + z }) }
func named(x, y float64) float64                          { return apply(x, y, plus1) }
func only(x, y float64) float64                           { return pass(x, y, func(a float64) float64 { return a }) }
func pass(x, y float64, f func(float64) float64) float64  { return f(x * y) }

type one struct{}

func (one) add(x float64) float64        { return x + 1 }
func methodValue(x, y float64) float64   { f := one{}.add; return f(x * y) } // want `x \* y meets the sum`
func area(x, y float64) (float64, error) { return x * y, nil }               // want `x \* y meets the sum in line 76`
func must(x, y, z float64) float64       { return seq.Must(area(x, y)) + z }
func fine(x, y float64) float64          { return seq.Must(area(x, y)) }

func or[V any](ok bool, a, b V) V {
	if ok {
		return a
	}
	return b
}
func either(x, y, z float64) float64 { return or(z != 0, x*y, y) + z } // want `x \* y meets the sum in line 85`

type pair[A, B any] struct {
	a A
	b B
}

func mk[A, B any](a A, b B) pair[A, B] { return pair[A, B]{a, b} }
func (p *pair[A, B]) set(a A)          { p.a = a }
func (p pair[A, B]) left() A           { return p.a }
func halves(x, y, z float64) float64   { p := mk(x*y, z); return p.a + p.b }                // want `x \* y meets the sum in line 95`
func lefts(x, y, z float64) float64    { p := mk(z, 1); p.set(x * y); return p.left() + z } // want `x \* y meets the sum in line 96`
func right(x, y, z float64) float64    { p := mk(x*y, z); return p.b + 1 }
func list(x, y, z float64) float64     { l := append([]float64(nil), x*y); return l[0] + z } // want `x \* y meets the sum in line 98`
func first[S ~[]E, E any](s S) E       { return s[0] }
func firsts(x, y, z float64) float64   { return first([]float64{x * y}) + z } // want `x \* y meets the sum in line 100`
func box(v float64) any                { return v }
func boxed(x, y, z float64) float64    { return box(x*y).(float64) + z } // want `x \* y meets the sum in line 102`
func twice(x, y, z float64) float64    { return 2*(x*y) + z + (x*y)/0.5 }
func four(x, z float64) float64        { return 4*x + z }     // want `4 \* x meets the sum`
func keys(m map[string]int) []string   { return seq.Keys(m) } // want `seq.Keys is not exact: seq/seq.go:62: a loop over a map`
