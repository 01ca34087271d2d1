package doctor

import "github.com/lanewise/lanewise/kernels/ints"

// integers returns the kernels on lanes of integers. uint64 is missing, because
// the doctor treats a lane of uint64 as a mask. Most kernels of uint64 are the
// kernels of int64; the tests of package ints check all kernels.
func integers[T int32 | uint32 | int64]() []function {
	return []function{
		{"ints.Add", ints.Add[T]},
		{"ints.Sub", ints.Sub[T]},
		{"ints.Mul", ints.Mul[T]},
		{"ints.AddScalar", ints.AddScalar[T]},
		{"ints.Scale", ints.Scale[T]},
		{"ints.Neg", ints.Neg[T]},
		{"ints.Abs", ints.Abs[T]},
		{"ints.Minimum", ints.Minimum[T]},
		{"ints.Maximum", ints.Maximum[T]},
		{"ints.Clamp", ints.Clamp[T]},
		{"ints.And", ints.And[T]},
		{"ints.Or", ints.Or[T]},
		{"ints.Xor", ints.Xor[T]},
		{"ints.AndNot", ints.AndNot[T]},
		{"ints.Not", ints.Not[T]},
		{"ints.ShiftLeft", func(dst, x []T) { ints.ShiftLeft(dst, x, 5) }},
		{"ints.ShiftRight", func(dst, x []T) { ints.ShiftRight(dst, x, 5) }},
		{"ints.Less", ints.Less[T]},
		{"ints.LessEqual", ints.LessEqual[T]},
		{"ints.Equal", ints.Equal[T]},
		{"ints.Below", ints.Below[T]},
		{"ints.AtMost", ints.AtMost[T]},
		{"ints.Above", ints.Above[T]},
		{"ints.AtLeast", ints.AtLeast[T]},
		{"ints.EqualTo", ints.EqualTo[T]},
		{"ints.Select", ints.Select[T]},
		{"ints.Compress", ints.Compress[T]},
		{"ints.Sum", ints.Sum[T]},
		{"ints.Min", ints.Min[T]},
		{"ints.Max", ints.Max[T]},
		{"ints.PrefixSum", ints.PrefixSum[T]},
		{"ints.Histogram", ints.Histogram[T]},
	}
}
