package kernels

import "slices"

// sliceTable returns the kernels on plain slices that use masks or produce one result for all rows.
func sliceTable[T Float]() []sliceKernel[T] {
	x, xy := []kind{laneKind}, []kind{laneKind, laneKind}
	mask, other, one, at := []kind{maskKind}, []kind{otherKind}, []kind{resultKind}, []kind{indexKind}
	return []sliceKernel[T]{
		{"Less", mask, xy, nil, func(a *args[T]) { Less(a.outMask(0), a.in(0), a.in(1)) }},
		{"LessEqual", mask, xy, nil, func(a *args[T]) { LessEqual(a.outMask(0), a.in(0), a.in(1)) }},
		{"Equal", mask, xy, nil, func(a *args[T]) { Equal(a.outMask(0), a.in(0), a.in(1)) }},
		{"Below", mask, x, nil, func(a *args[T]) { Below(a.outMask(0), a.in(0), a.pick()) }},
		{"AtMost", mask, x, nil, func(a *args[T]) { AtMost(a.outMask(0), a.in(0), a.pick()) }},
		{"Above", mask, x, nil, func(a *args[T]) { Above(a.outMask(0), a.in(0), a.pick()) }},
		{"AtLeast", mask, x, nil, func(a *args[T]) { AtLeast(a.outMask(0), a.in(0), a.pick()) }},
		{"EqualTo", mask, x, nil, func(a *args[T]) { EqualTo(a.outMask(0), a.in(0), a.pick()) }},

		{"Select", x, []kind{maskKind, laneKind, laneKind}, []int{1, 2}, func(a *args[T]) {
			Select(a.out(0), a.inMask(0), a.in(1), a.in(2))
		}},
		{"Compress", []kind{laneKind, indexKind}, []kind{laneKind, maskKind}, []int{0}, func(a *args[T]) {
			a.putPlace(1, Compress(a.out(0), a.in(0), a.inMask(1)))
		}},
		{"Convert", other, x, nil, func(a *args[T]) {
			if single[T]() {
				Convert(castLane[float64](a.dst[0]), a.in(0))
			} else {
				Convert(castLane[float32](a.dst[0]), a.in(0))
			}
		}},

		{"Boxes.InPlanes", mask, boxesAnd(planesKind), nil, func(a *args[T]) {
			a.boxes(0).InPlanes(a.outMask(0), a.planes(6))
		}},
		{"Spheres.InPlanes", mask, []kind{laneKind, laneKind, laneKind, laneKind, planesKind}, nil, func(a *args[T]) {
			a.spheres(0).InPlanes(a.outMask(0), a.planes(4))
		}},
		{"Boxes.Union", slices.Repeat(one, 6), boxesAnd(maskKind), nil, func(a *args[T]) {
			a.putBox(a.boxes(0).Union(a.inMask(6)))
		}},
		{"Boxes.Union/mask=nil", slices.Repeat(one, 6), boxesAnd(), nil, func(a *args[T]) {
			a.putBox(a.boxes(0).Union(nil))
		}},

		{"Sum", one, x, nil, func(a *args[T]) { a.put(0, Sum(a.in(0))) }},
		{"Dot", one, xy, nil, func(a *args[T]) { a.put(0, Dot(a.in(0), a.in(1))) }},
		{"Norm", one, x, nil, func(a *args[T]) { a.put(0, Norm(a.in(0))) }},
		{"Norm1", one, x, nil, func(a *args[T]) { a.put(0, Norm1(a.in(0))) }},
		{"NormInf", one, x, nil, func(a *args[T]) { a.put(0, NormInf(a.in(0))) }},
		{"NormScaled", one, x, nil, func(a *args[T]) { a.put(0, NormScaled(a.in(0))) }},
		{"Distance", one, xy, nil, func(a *args[T]) { a.put(0, Distance(a.in(0), a.in(1))) }},
		{"Distance1", one, xy, nil, func(a *args[T]) { a.put(0, Distance1(a.in(0), a.in(1))) }},
		{"DistanceInf", one, xy, nil, func(a *args[T]) { a.put(0, DistanceInf(a.in(0), a.in(1))) }},
		{"Mean", one, x, nil, func(a *args[T]) { a.put(0, Mean(a.in(0))) }},
		{"Variance", one, x, nil, func(a *args[T]) { a.put(0, Variance(a.in(0))) }},
		{"StdDev", one, x, nil, func(a *args[T]) { a.put(0, StdDev(a.in(0))) }},
		{"MeanStdDev", []kind{resultKind, resultKind}, x, nil, func(a *args[T]) {
			mean, std := MeanStdDev(a.in(0))
			a.put(0, mean)
			a.put(1, std)
		}},
		{"Covariance", one, xy, nil, func(a *args[T]) { a.put(0, Covariance(a.in(0), a.in(1))) }},
		{"Correlation", one, xy, nil, func(a *args[T]) { a.put(0, Correlation(a.in(0), a.in(1))) }},
		{"DotExact", one, xy, nil, func(a *args[T]) { a.put(0, DotExact(a.in(0), a.in(1))) }},
		{"NormExact", one, x, nil, func(a *args[T]) { a.put(0, NormExact(a.in(0))) }},
		{"Norm1Exact", one, x, nil, func(a *args[T]) { a.put(0, Norm1Exact(a.in(0))) }},
		{"DistanceExact", one, xy, nil, func(a *args[T]) { a.put(0, DistanceExact(a.in(0), a.in(1))) }},
		{"MeanExact", one, x, nil, func(a *args[T]) { a.put(0, MeanExact(a.in(0))) }},
		{"MeanStdDevExact", []kind{resultKind, resultKind}, x, nil, func(a *args[T]) {
			mean, std := MeanStdDevExact(a.in(0))
			a.put(0, mean)
			a.put(1, std)
		}},
		{"CovarianceExact", one, xy, nil, func(a *args[T]) { a.put(0, CovarianceExact(a.in(0), a.in(1))) }},
		{"CorrelationExact", one, xy, nil, func(a *args[T]) { a.put(0, CorrelationExact(a.in(0), a.in(1))) }},
		{"Min", one, x, nil, func(a *args[T]) { a.put(0, Min(a.in(0))) }},
		{"Max", one, x, nil, func(a *args[T]) { a.put(0, Max(a.in(0))) }},
		{"ArgMin", at, x, nil, func(a *args[T]) { a.putPlace(0, ArgMin(a.in(0))) }},
		{"AllFinite", at, x, nil, func(a *args[T]) {
			place := 0
			if AllFinite(a.in(0)) {
				place = 1
			}
			a.putPlace(0, place)
		}},
		{"ArgMax", at, x, nil, func(a *args[T]) { a.putPlace(0, ArgMax(a.in(0))) }},
	}
}

// boxesAnd returns the kinds of operands of a kernel on boxes: six lanes for the boxes, followed by
// the given others.
func boxesAnd(others ...kind) []kind { return append(slices.Repeat([]kind{laneKind}, 6), others...) }
