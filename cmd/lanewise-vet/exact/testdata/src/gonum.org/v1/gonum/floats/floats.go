// Package floats stands for gonum's. The functions whose bits differ have no Go body there.
package floats

import "math"

func inexact(x []float64) float64 { return math.Sin(x[0]) }

func Sum(x []float64) float64 { return inexact(x) }

func Dot(x, y []float64) float64 { return inexact(x) }

func Norm(x []float64, l float64) float64 { return inexact(x) }

func Distance(x, y []float64, l float64) float64 { return inexact(x) }

func CumSum(dst, x []float64) []float64 { inexact(x); return dst }

func Add(dst, x []float64) { inexact(x) }

func AddTo(dst, x, y []float64) []float64 { inexact(x); return dst }

func SubTo(dst, x, y []float64) []float64 { inexact(x); return dst }

func AddConst(c float64, dst []float64) { inexact(dst) }

func AddScaled(dst []float64, c float64, x []float64) { inexact(x) }

func AddScaledTo(dst, y []float64, c float64, x []float64) []float64 { inexact(x); return dst }

func Scale(c float64, dst []float64) { inexact(dst) }

// MaxIdx has the same bits everywhere.
func MaxIdx(x []float64) int { return 0 }
