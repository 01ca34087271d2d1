// Package stat stands for gonum's.
package stat

import "math"

func inexact(x []float64) float64 { return math.Sin(x[0]) }

func Mean(x, weights []float64) float64 { return inexact(x) }

func MeanStdDev(x, weights []float64) (mean, std float64) { return inexact(x), 0 }

// Covariance returns a product.
func Covariance(x, y, weights []float64) float64 { return inexact(x) * y[0] }
