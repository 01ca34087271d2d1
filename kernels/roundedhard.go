package kernels

import "math"

// A hardCases lists the hard arguments of a correctly rounded function with their right results, both as bits. For a hard
// argument, the float64 function of this package, rounded to float32, returns the wrong one of two neighbors. Its exact
// result is within about 2^-53 of the midpoint between two float32. The following command computes all results, and prints
// the arguments that are missing here:
//
//	go run ./internal/accuracy -rounded
type hardCases [][2]uint32

// round returns the right float32 for the argument x, where y is the result of the float64
// function.
func (h hardCases) round(x float32, y float64) float32 {
	for _, c := range h {
		if c[0] == math.Float32bits(x) {
			return math.Float32frombits(c[1])
		}
	}
	return float32(y)
}

var (
	hardExp  = hardCases{}
	hardExp2 = hardCases{
		{0x3b429d37, 0x3f804385}, {0xbcf3a937, 0x3f7ac6b1},
	}
	hardExpm1 = hardCases{}
	hardLog   = hardCases{
		{0x3c413d3a, 0xc08e158f}, {0x41178feb, 0x400fe5e7}, {0x4c5d65a5, 0x418f034b}, {0x65d890d3, 0x4254d1f9},
		{0x6f31a8ec, 0x42845a89},
	}
	hardLog1p = hardCases{
		{0x35400003, 0x353fffff}, {0x3710001b, 0x370ffff3}, {0x3efd81ad, 0x3ecdeee1}, {0x41078feb, 0x400fe5e7},
		{0x65d890d3, 0x4254d1f9}, {0x6f31a8ec, 0x42845a89}, {0xb53ffffd, 0xb5400001}, {0xb70fffe5, 0xb710000d},
		{0xbb0ec8c4, 0xbb0ef0a5},
	}
	hardLog2  = hardCases{}
	hardLog10 = hardCases{
		{0x0efeee7a, 0xc1e99d23},
	}
	hardRsqrt = hardCases{}
	hardSin   = hardCases{
		{0x46199998, 0xbeb1fa5d}, {0xc6199998, 0x3eb1fa5d},
	}
	hardCos = hardCases{
		{0x5f18b878, 0x3f7f14bb}, {0x6115cb11, 0x3f78142f}, {0xdf18b878, 0x3f7f14bb}, {0xe115cb11, 0x3f78142f},
	}
	hardTan  = hardCases{}
	hardAsin = hardCases{}
	hardAcos = hardCases{
		{0x328885a3, 0x3fc90fdb}, {0x39826222, 0x3fc907b5},
	}
	hardAtan = hardCases{
		{0x3d8d6b23, 0x3d8d31c3}, {0xbd8d6b23, 0xbd8d31c3},
	}
	hardSinh = hardCases{
		{0x3a1285ff, 0x3a1285ff}, {0xba1285ff, 0xba1285ff},
	}
	hardCosh = hardCases{}
	hardTanh = hardCases{}
	hardCbrt = hardCases{}
	hardErf  = hardCases{}
	hardErfc = hardCases{
		{0xb76c9f62, 0x3f800085},
	}
)
