package kernels

// This file holds every constant of the kernels once, as one hexadecimal float,
// because Go folds constant expressions exactly and assembly cannot. A 32 or 64
// in a name is the type to which the constant is rounded.

// The following constants are for quarter turns. halfPi32A to halfPi32D are the Cody-Waite parts of
// π/2: their sum is π/2. The product of any part but the last and a number of quarter turns is
// exact if the number is below 2^13 for float32, or 2^15 for float64.
const (
	twoOverPi32 float32 = 0x1.45f306p-1
	roundInt32  float32 = 0x1.8p+23 // x + roundInt - roundInt is x rounded to an integer, ties to even
	halfPi32A   float32 = 0x1.92p+0
	halfPi32B   float32 = 0x1.fb4p-12
	halfPi32C   float32 = 0x1.444p-24
	halfPi32D   float32 = 0x1.68c234p-39
	ordinary32  float32 = 12800 // beyond it, angles are reduced by reduceLarge

	twoOverPi64 float64 = 0x1.45f306dc9c883p-1
	roundInt64  float64 = 0x1.8p+52
	halfPi64A   float64 = 0x1.921fb54440000p+0
	halfPi64B   float64 = 0x1.68c234c4c0000p-39
	halfPi64C   float64 = 0x1.98a2e03707345p-77
	ordinary64  float64 = 51200
)

// These polynomials in z = r² are for |r| ≤ π/4. They come from Remez exchange on the
// relative error. Each coefficient was rounded before the next ones were fitted:
//
//	sin r ≈ r + r·z·(sin1 + z·(sin2 + …))           2^-27.8, 2^-57.9
//	cos r ≈ 1 - z/2 + z²·(cos1 + z·(cos2 + …))      2^-32.9, 2^-63.8
const (
	sin32A float32 = -0x1.555544p-3
	sin32B float32 = 0x1.1106c6p-7
	sin32C float32 = -0x1.991c28p-13
	cos32A float32 = 0x1.55554ap-5
	cos32B float32 = -0x1.6c0c26p-10
	cos32C float32 = 0x1.99e714p-16

	sin64A float64 = -0x1.5555555555548p-3
	sin64B float64 = 0x1.111111110f730p-7
	sin64C float64 = -0x1.a01a019be9216p-13
	sin64D float64 = 0x1.71de35552b277p-19
	sin64E float64 = -0x1.ae5e4b83a119ap-26
	sin64F float64 = 0x1.5d8b55747c738p-33
	cos64A float64 = 0x1.555555555554ap-5
	cos64B float64 = -0x1.6c16c16c14e00p-10
	cos64C float64 = 0x1.a01a019c5c396p-16
	cos64D float64 = -0x1.27e4f7cd31ec0p-22
	cos64E float64 = 0x1.1ee9c335d594cp-29
	cos64F float64 = -0x1.8f99cbbc1e8edp-37
)

// twoOverPi holds 64 zero bits and then the first 1216 bits of 2/π.
var twoOverPi = [...]uint64{
	0,
	0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
	0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
	0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
	0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
	0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
}

// halfPiHigh·2^-63 + halfPiLow·2^-127 is π/2, and so is the sum of the two float64.
const (
	halfPiHigh uint64  = 0xc90fdaa22168c234
	halfPiLow  uint64  = 0xc4c6628b80dc1cd1
	halfPi     float64 = 0x1.921fb54442d18p+0
	halfPiRest float64 = 0x1.1a62633145c07p-54
)

// The following constants are for whole turns. The Cody-Waite parts of 2π are four times those of
// π/2.
const (
	invTwoPi32 float32 = 0x1.45f306p-3 // 1/(2π)
	twoPi32A   float32 = 0x1.92p+2
	twoPi32B   float32 = 0x1.fb4p-10
	twoPi32C   float32 = 0x1.444p-22
	twoPi32D   float32 = 0x1.68c234p-37

	invTwoPi64 float64 = 0x1.45f306dc9c883p-3
	twoPi64A   float64 = 0x1.921fb54440000p+2
	twoPi64B   float64 = 0x1.68c234c4c0000p-37
	twoPi64C   float64 = 0x1.98a2e03707345p-75
)

// keplerTable holds the constants of Kepler's scheme for one type.
type keplerTable[T Float] struct {
	pi    T
	alpha [3]T // 3π², 1.6π, π²-6: Markley (1995), equation 20
	near  T    // below this E - sin E is summed as a series
	sixth T
	// series holds 1/((k-1)k) for the terms after the first, with the last term first.
	series []T
	// normal is the smallest normal number; up scales subnormal numbers to
	// normal numbers, and down is 1/up.
	normal, up, down T
}

var (
	kepler32 = keplerTable[float32]{
		pi:     0x1.921fb6p+1,
		alpha:  [3]float32{0x1.d9bdb2p+4, 0x1.41b2f8p+2, 0x1.ef4f32p+1},
		near:   0x1.99999ap+0,
		sixth:  0x1.555556p-3,
		series: []float32{0x1.29e412p-7, 0x1.c71c72p-7, 0x1.861862p-6, 0x1.99999ap-5},
		normal: 0x1p-126, up: 0x1p64, down: 0x1p-64,
	}
	kepler64 = keplerTable[float64]{
		pi:    0x1.921fb54442d18p+1,
		alpha: [3]float64{0x1.d9bdb2e9d68cep+4, 0x1.41b2f769cf0e0p+2, 0x1.ef4f326f91779p+1},
		near:  0x1.999999999999ap+0,
		sixth: 0x1.5555555555555p-3,
		series: []float64{
			0x1.7f405fd017f40p-9, 0x1.e1e1e1e1e1e1ep-9, 0x1.3813813813814p-8, 0x1.a41a41a41a41ap-8,
			0x1.29e4129e4129ep-7, 0x1.c71c71c71c71cp-7, 0x1.8618618618618p-6, 0x1.999999999999ap-5,
		},
		normal: 0x1p-1022, up: 0x1p200, down: 0x1p-200,
	}
)

// To get the first guess of a cube root, divide the bits of the number by three, and add this
// constant.
const (
	cubeRoot32 uint32 = 0x2a5137a0
	cubeRoot64 uint64 = 0x2a9f7893782da1ce
)

// The following constants are for logarithms. A and B add up to one constant. A has so few bits
// that its product with any exponent, or with a number of 21 bits, is exact.
const (
	ln2       float64 = 0x1.62e42fefa39efp-1
	ln2Rest   float64 = 0x1.abc9e3b39803fp-56
	ln2A      float64 = 0x1.62e42fee00000p-1
	ln2B      float64 = 0x1.a39ef35793c76p-33
	log2E     float64 = 0x1.71547652b82fep+0
	log2EA    float64 = 0x1.7154765000000p+0
	log2EB    float64 = 0x1.5c17f0bbbe880p-31
	log10E    float64 = 0x1.bcb7b1526e50ep-2
	log10EA   float64 = 0x1.bcb7b15000000p-2
	log10EB   float64 = 0x1.37287195355bbp-33
	log2By10  float64 = 0x1.34413509f79ffp-2 // the logarithm of 2 to the base 10
	log2By10A float64 = 0x1.3441350800000p-2
	log2By10B float64 = 0x1.f79fef311f12bp-34

	ln2High            float64 = 0x1.62e42f8000000p-1 // of 26 bits
	ln2Low             float64 = 0x1.be8e7bcd5e4f2p-27
	twoThirdsLog2E     float64 = 0x1.ec709dc3a03fdp-1
	twoThirdsLog2EHigh float64 = 0x1.ec709d8000000p-1
	twoThirdsLog2ELow  float64 = 0x1.0e80ff5d27f05p-27

	ln232        float32 = 0x1.62e430p-1
	ln2A32       float32 = 0x1.62e400p-1
	ln2B32       float32 = 0x1.7f7d1cp-20
	log2E32      float32 = 0x1.715476p+0
	log2EA32     float32 = 0x1.714000p+0
	log2EB32     float32 = 0x1.47652cp-12
	log10EA32    float32 = 0x1.bca000p-2
	log10EB32    float32 = 0x1.7b1526p-14
	log2By10A32  float32 = 0x1.344000p-2
	log2By10B32  float32 = 0x1.3509f8p-18
	roundPower32 float32 = 0x1.8001fcp+23 // roundInt32, and twice the bias of exponents
	roundPower64 float64 = 0x1.80000000007fep+52

	oneBits32      uint32 = 0x3f800000
	rootHalfBits32 uint32 = 0x3f3504f3

	oneBits      uint64 = 0x3ff0000000000000
	rootHalfBits uint64 = 0x3fe6a09e667f3bcd // √½
)

// The following constants are for angles. A number and its Rest together have more digits than one
// float. A part with the suffix A and its part B are such a pair too. The product of A and an
// integer of up to 20 bits is exact.
const (
	ordinaryHalf float64 = 0x1p20               // beyond it, angles of float32 are reduced by reduceLarge
	halfTurns    float64 = 0x1.45f306dc9c883p-2 // 1/π
	piA          float64 = 0x1.921fb54400000p+1
	piB          float64 = 0x1.0b4611a626331p-33
	piB33        float64 = 0x1.0b4611a600000p-33 // piB33 and piC are two parts of what piA lacks
	piC          float64 = 0x1.3198a2e037073p-68
	halfPiA      float64 = 0x1.921fb54400000p+0
	halfPiB      float64 = 0x1.0b4611a626331p-34

	pi32           float32 = 0x1.921fb6p+1
	piRest32       float32 = -0x1.777a5cp-24
	halfPiHigh32   float32 = 0x1.921fb6p+0
	halfPiRest32   float32 = -0x1.777a5cp-25
	atanHalf32     float32 = 0x1.dac670p-2 // the arc tangent of ½
	atanHalfRest32 float32 = 0x1.586ed4p-28

	pi            float64 = 0x1.921fb54442d18p+1
	piRest        float64 = 0x1.1a62633145c07p-53
	quarterPi     float64 = 0x1.921fb54442d18p-1
	quarterPiRest float64 = 0x1.1a62633145c07p-55
	atanHalf      float64 = 0x1.dac670561bb4fp-2 // the arc tangent of ½
	atanHalfRest  float64 = 0x1.a2b7f222f65e2p-56
)

const (
	third           float64 = 0x1.5555555555555p-2
	twoThirds       float64 = 0x1.5555555555555p-1
	fiveNinths      float64 = 0x1.1c71c71c71c72p-1
	cubeRootHalf    float64 = 0x1.965fea53d6e3dp-1
	cubeRootQuarter float64 = 0x1.428a2f98d728bp-1
	rootHalf        float64 = 0x1.6a09e667f3bcdp-1 // √½
	rootHalfRest    float64 = -0x1.bdd3413b26456p-55
	rootTwoPi       float64 = 0x1.40d931ff62706p+1 // √(2π)
	rootTwoPiRest   float64 = -0x1.a6a0d6f814637p-53
	twoOverRootPi   float64 = 0x1.20dd750429b6dp+0 // 2/√π
	invRootPi       float64 = 0x1.20dd750429b4p-1  // 1/√π, rounded to a multiple of 2^-47

	minusSquarePiOverSix     float64 = -0x1.a51a6625307d3p+0 // -π²/6
	minusSquarePiOverSixRest float64 = -0x1.1873d8912200cp-55

	invRootTwoPi     float64 = 0x1.9884533d43651p-2 // √(1/2π)
	invRootTwoPiRest float64 = -0x1.cbc0d30ebfd15p-56
	halfLogTwoPi     float64 = 0x1.d67f1c864beb5p-1 // ½·log 2π
	halfLogTwoPiRest float64 = -0x1.65b5a1b7ff5dfp-55
)
