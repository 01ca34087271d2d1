package main

import "strings"

// A kernel is one row of the table. The names of its functions derive from its name.
// For example, for add, the generic body is addGeneric, the functions that choose a
// body are add32 and add64, and the functions in assembly are addF32AVX2, addF64NEON
// and so on.
type kernel struct {
	name   string
	by     author
	wide   string // the types that have AVX-512 bodies: "32 64" or one of them; for others AVX-512 is not faster than AVX2
	choose string // name of the functions that choose, if it is not name; "-" if they are hand-written
	sig    string // signature of the assembly, if it differs from that of the body
	body   string // name of the generic body, if it does not derive from the kernel's; # stands for 32 or 64
	done   string // number of rows of the body: the assembly returns the number of rows that it has done, and may stop at rows that it leaves to Go
	when   string // condition for using the assembly
	cut    string // of a kernel on slices: its exported name; the function that checks operands and divides them is generated
	method string // of a kernel on views: the generated method, with its type: Quats.Mul
	second bool   // hand-written, and compared with lanec's code for the body in internal/lanec/opinion
	rare   bool   // compiled by lanec, and the assembly stops at rows that it leaves to Go: the function that chooses continues after them
	except string // an architecture for which the choice is hand-written
	op     string // constant by which the family's functions select it
	few    int    // on amd64, the number of rows from which on assembly is faster than the Go body; see rows
	wasm   author // how the vectors for WebAssembly are written, if not like the assembly: byLanec or byGo

	simd map[string]string // the bodies for WebAssembly, by the name of the element: the function vectors fills it in
}

// rows returns the smallest number of rows for which a body is chosen on amd64, if few is not 0. With fewer than few rows,
// the Go body runs. With rows for at most one vector of AVX2, the body for AVX2 runs on both paths, because the body for
// AVX-512 would store these rows under a mask, and a CPU must wait before it loads a number that it has just stored under a
// mask. For example, Slerp of eight rows of float32 takes 32 ns with AVX2 and 74 ns with AVX-512. The command "make few"
// measures few. For kernels without such limits, few is 0. We cannot measure arm64.
func (k *kernel) rows(b body, e element) int {
	if strings.HasSuffix(b.name, "AVX512") {
		return 32/e.bytes + 1
	}
	return k.few
}

// An author says who writes the assembly of a kernel: a generator or a person.
type author int

const (
	byHand    author = iota // people: docs/performance/kernels.md says why
	byLanec                 // internal/lanec compiles it from the generic body
	byCompare               // compare.go here
	byGo                    // people, in Go: *_wasm.go of package kernels
)

const both = "32 64"

// A family is a group of kernels whose generated files have a common name.
type family struct {
	name    string
	kernels []kernel
	ops     *ops
}

// An ops is a pair of functions that select kernels by a constant.
type ops struct {
	name string // for example vectors: vectors32 and vectors64 choose, vectorsF32AVX2 and so on take an op
	sig  string
	few  int // of all its kernels
}

// families lists the kernels in the order of the files.
var families = []family{
	{name: "slices", kernels: []kernel{
		{name: "fill", by: byLanec, wide: both, few: 1},
		{name: "add", by: byLanec, wide: both, cut: "Add", few: 2},
		{name: "addConst", by: byLanec, wide: both, cut: "AddConst", few: 2},
		{name: "sub", by: byLanec, wide: both, cut: "Sub", few: 2},
		{name: "mul", by: byLanec, wide: both, cut: "Mul", few: 2},
		{name: "div", by: byLanec, cut: "Div", few: 4},
		{name: "scale", by: byLanec, wide: both, cut: "Scale", few: 2},
		{name: "mulAdd", by: byLanec, wide: both, cut: "MulAdd", few: 4},
		{name: "addScaled", by: byLanec, wide: both, cut: "AddScaled", few: 3},
		{name: "lerp", by: byLanec, wide: both, cut: "Lerp", few: 3},
		{name: "minimum", by: byLanec, wide: both, cut: "Minimum", few: 2},
		{name: "maximum", by: byLanec, wide: both, cut: "Maximum", few: 2},
		{name: "clamp", by: byLanec, wide: both, cut: "Clamp", few: 2},
		{name: "abs", by: byLanec, wide: both, cut: "Abs", few: 2},
		{name: "neg", by: byLanec, wide: both, cut: "Neg", few: 2},
		{name: "sqrt", by: byLanec, cut: "Sqrt", few: 4},
	}},
	{name: "masks", kernels: []kernel{
		{name: "less", by: byCompare, wide: both, cut: "Less"},
		{name: "lessEqual", by: byCompare, wide: both, cut: "LessEqual"},
		{name: "equal", by: byCompare, wide: both, cut: "Equal"},
		{name: "below", by: byCompare, wide: both, cut: "Below"},
		{name: "atMost", by: byCompare, wide: both, cut: "AtMost"},
		{name: "above", by: byCompare, wide: both, cut: "Above"},
		{name: "atLeast", by: byCompare, wide: both, cut: "AtLeast"},
		{name: "equalTo", by: byCompare, wide: both, cut: "EqualTo"},
		{name: "select", wide: both, few: 2},
	}},
	{name: "reductions", kernels: []kernel{
		{name: "sum", wide: both, except: "arm64", wasm: byGo},
		{name: "dotLanes", wide: both, except: "arm64", wasm: byGo},
		{name: "min", wide: both},
		{name: "max", wide: both},
		{name: "prefixSum", wide: both},
	}},
	{name: "norms", kernels: []kernel{
		{name: "sumAbs", wide: both, except: "arm64"},
		{name: "sumAbsDiff", wide: both, except: "arm64"},
		{name: "sumSquareDiff", wide: both, except: "arm64"},
	}},
	{name: "moments", kernels: []kernel{
		{name: "deviations", except: "arm64"},
		{name: "codeviations", except: "arm64"},
		{name: "allDeviations", except: "arm64"},
	}},
	{name: "finite", kernels: []kernel{
		{name: "finite", wide: both, few: 2},
	}},
	{name: "exact", kernels: []kernel{
		{name: "extract", by: byLanec, wide: both},
		{name: "spread", by: byLanec, wide: both},
	}},
	{name: "functions", kernels: []kernel{
		{name: "sincos", by: byLanec, wide: both, choose: "sincosRows", done: "len(sin)", few: 1},
		{name: "kepler", wide: both, wasm: byLanec, choose: "keplerRows", done: "len(E)", few: 2},
	}},
	{name: "rounding", kernels: []kernel{
		{name: "floor", by: byLanec, wide: both, cut: "Floor", few: 3},
		{name: "ceil", by: byLanec, wide: both, cut: "Ceil", few: 3},
		{name: "trunc", by: byLanec, wide: both, cut: "Trunc", few: 3},
		{name: "round", by: byLanec, wide: both, cut: "Round", few: 3},
		{name: "fract", by: byLanec, wide: both, cut: "Fract", few: 2},
		{name: "copySign", by: byLanec, wide: both, cut: "CopySign", few: 1},
		{name: "mod", by: byLanec, wide: both, cut: "Mod", rare: true, few: 2},
		{name: "rsqrt", by: byLanec, wide: both, cut: "Rsqrt", few: 3},
		{name: "hypot", by: byLanec, wide: both, cut: "Hypot", few: 2},
	}},
	{name: "powers", kernels: []kernel{
		{name: "exp", by: byLanec, wide: both, cut: "Exp", few: 2},
		{name: "exp2", by: byLanec, wide: both, cut: "Exp2", few: 2},
		{name: "expm1", by: byLanec, wide: both, cut: "Expm1", few: 2},
		{name: "pow", by: byLanec, wide: both, cut: "Pow", few: 2},
	}},
	{name: "logarithms", kernels: []kernel{
		{name: "log", by: byLanec, wide: both, cut: "Log", few: 2},
		{name: "log1p", by: byLanec, wide: both, cut: "Log1p", few: 2},
		{name: "log2", by: byLanec, wide: both, cut: "Log2", few: 2},
		{name: "log10", by: byLanec, wide: both, cut: "Log10", few: 2},
	}},
	{name: "angles", kernels: []kernel{
		{name: "sin", by: byLanec, wide: both, cut: "Sin", rare: true, few: 2},
		{name: "cos", by: byLanec, wide: both, cut: "Cos", rare: true, few: 2},
		{name: "tan", by: byLanec, wide: both, cut: "Tan", rare: true, few: 2},
	}},
	{name: "arcs", kernels: []kernel{
		{name: "atan", by: byLanec, wide: both, cut: "Atan", few: 2},
		{name: "atan2", by: byLanec, wide: both, cut: "Atan2", few: 2},
		{name: "asin", by: byLanec, wide: both, cut: "Asin", few: 1},
		{name: "acos", by: byLanec, wide: both, cut: "Acos", few: 1},
	}},
	{name: "hyperbolics", kernels: []kernel{
		{name: "sinh", by: byLanec, wide: both, cut: "Sinh", few: 1},
		{name: "cosh", by: byLanec, wide: both, cut: "Cosh", few: 1},
		{name: "tanh", by: byLanec, wide: both, cut: "Tanh", few: 2},
	}},
	{name: "cubes", kernels: []kernel{
		{name: "cbrt", by: byLanec, wide: both, cut: "Cbrt", few: 2},
	}},
	{name: "erfs", kernels: []kernel{
		{name: "erf", by: byLanec, wide: both, cut: "Erf", few: 1},
		{name: "erfc", by: byLanec, wide: both, cut: "Erfc", few: 1},
	}},
	{name: "rounded", kernels: []kernel{
		{name: "expRounded", by: byLanec, wide: both, cut: "ExpRounded", rare: true, few: 1},
		{name: "exp2Rounded", by: byLanec, wide: both, cut: "Exp2Rounded", rare: true, few: 1},
		{name: "expm1Rounded", by: byLanec, wide: both, cut: "Expm1Rounded", rare: true, few: 2},
		{name: "logRounded", by: byLanec, wide: both, cut: "LogRounded", rare: true, few: 2},
		{name: "log1pRounded", by: byLanec, wide: both, cut: "Log1pRounded", rare: true, few: 1},
		{name: "log2Rounded", by: byLanec, wide: both, cut: "Log2Rounded", rare: true, few: 2},
		{name: "log10Rounded", by: byLanec, wide: both, cut: "Log10Rounded", rare: true, few: 2},
		{name: "rsqrtRounded", by: byLanec, wide: both, cut: "RsqrtRounded", rare: true, few: 1},
		{name: "sinRounded", by: byLanec, wide: both, cut: "SinRounded", rare: true, few: 2},
		{name: "cosRounded", by: byLanec, wide: both, cut: "CosRounded", rare: true, few: 1},
		{name: "tanRounded", by: byLanec, wide: both, cut: "TanRounded", rare: true, few: 1},
		{name: "asinRounded", by: byLanec, wide: both, cut: "AsinRounded", rare: true, few: 1},
		{name: "acosRounded", by: byLanec, wide: both, cut: "AcosRounded", rare: true, few: 1},
		{name: "atanRounded", by: byLanec, wide: both, cut: "AtanRounded", rare: true, few: 1},
		{name: "sinhRounded", by: byLanec, wide: both, cut: "SinhRounded", rare: true, few: 1},
		{name: "coshRounded", by: byLanec, wide: both, cut: "CoshRounded", rare: true, few: 1},
		{name: "tanhRounded", by: byLanec, wide: both, cut: "TanhRounded", rare: true, few: 1},
		{name: "cbrtRounded", by: byLanec, wide: both, cut: "CbrtRounded", rare: true, few: 1},
		{name: "erfRounded", by: byLanec, wide: both, cut: "ErfRounded", rare: true, few: 2},
		{name: "erfcRounded", by: byLanec, wide: both, cut: "ErfcRounded", rare: true, few: 1},
		{name: "atan2Rounded", by: byLanec, wide: both, cut: "Atan2Rounded", rare: true, few: 1},
		{name: "hypotRounded", by: byLanec, wide: both, cut: "HypotRounded", rare: true, few: 2},
		{name: "powRounded", by: byLanec, wide: both, cut: "PowRounded", rare: true, few: 2},
	}},
	{name: "normals", kernels: []kernel{
		{name: "normalCDF", by: byLanec, wide: both, cut: "NormalCDF", few: 1},
		{name: "normalQuantile", by: byLanec, wide: both, cut: "NormalQuantile", few: 2},
	}},
	{name: "sincs", kernels: []kernel{
		{name: "sinc", by: byLanec, wide: both, cut: "Sinc", few: 2},
	}},
	{name: "bessels", kernels: []kernel{
		{name: "besselJ0", by: byLanec, wide: both, cut: "J0", rare: true, few: 2},
		{name: "besselJ1", by: byLanec, wide: both, cut: "J1", rare: true, few: 2},
	}},
	{name: "gammas", kernels: []kernel{
		{name: "lgamma", by: byLanec, wide: both, cut: "Lgamma", rare: true, few: 2},
	}},
	{name: "vectors", kernels: []kernel{
		{name: "vec3AddScaled", by: byLanec, wide: both, method: "Vec3s.AddScaled", few: 2},
		{name: "vec3Scale", by: byLanec, wide: both, few: 2},
		{name: "vec3Lerp", by: byLanec, wide: both, few: 2},
		{name: "vec3DistanceSquared", by: byLanec, wide: both, few: 1},
		{name: "vec3Rotate", wide: both, second: true, method: "Vec3s.Rotate", few: 2},
		{name: "vec3RotateBy", wide: both, second: true, method: "Vec3s.RotateBy", few: 2},
		{name: "vec3Transform"}, // four rows at a time fill 128 or 256 bits; wider vectors are not used
		{name: "vec3TransformBy", wide: both, few: 2},
		{name: "vec3TransformAffine", wide: both, wasm: byLanec, few: 1},
		{name: "vec4Transform"}, // wider vectors are not faster, because loads take the time
		{name: "vec4TransformBy", wide: both, few: 1},
		{name: "lanesAdd", wide: both, op: "opAdd"},
		{name: "lanesSub", wide: both, op: "opSub"},
		{name: "lanesScale", wide: both, op: "opScale"},
		{name: "lanesAddScaled", wide: both, op: "opAddScaled"},
		{name: "lanesLerp", wide: both, op: "opLerp"},
		{name: "vecDot", wide: both, op: "opDot"},
		{name: "vecLength", op: "opLength"},
		{name: "vecDistance", wide: "32", op: "opDistance"},
		{name: "vecNormalize", op: "opNormalize"},
		{name: "vecReflect", wide: both, op: "opReflect"},
		{name: "vecCross", wide: both, op: "opCross"},
	}, ops: &ops{"vectors", "(op vecOp, v, x, y [][]T, s T)", 1}},
	{name: "quaternions", kernels: []kernel{
		{name: "quatMul", wide: both, second: true, method: "Quats.Mul", few: 1},
		{name: "quatNormalize", by: byLanec, method: "Quats.Normalize", few: 3}, // wider vectors are as fast: docs/performance/kernels.md
		{name: "quatIntegrate", by: byLanec, wide: both, few: 2},
		{name: "quatConjugate", by: byLanec, wide: both, method: "Quats.Conjugate", few: 1},
		{name: "quatNlerp", by: byLanec, wide: both, method: "Quats.Nlerp", few: 3},
		{name: "quatSlerp", wide: both, when: "ordinaryTurn(t)", method: "Quats.Slerp", few: 2},
		{name: "quatSpin", wide: both, wasm: byLanec, done: "len(speed)", few: 1},
		{name: "quatFromAxisAngle", by: byLanec, wide: both, done: "len(angle)", few: 2},
		{name: "quatFromEuler", by: byLanec, wide: both, done: "len(q.X)", few: 2},
		{name: "quatBetween", by: byLanec, wide: both, method: "Quats.Between", few: 3},
		{name: "quatLookRotation", by: byLanec, wide: both, method: "Quats.LookRotation", few: 2},
	}},
	{name: "matrices", kernels: []kernel{
		{name: "mat4Mul", wide: "32", method: "Mat4s.MulAffine"},
		{name: "mat4MulByParent", wide: "32"},
		{name: "mat4MulFull", wide: both, method: "Mat4s.MulFull"},
		{name: "mat4MulFullByParent", wide: "32"}, // with 64-bit numbers its speed is 0.95 to 1.04 of AVX2's
		{name: "mat3x4Compose", wide: both, except: "arm64", wasm: byGo},
		{name: "mat3x4Mul", wide: both, op: "opProduct", sig: "(m, parent, local [][]T)"},
		{name: "mat3x4Inverse", wide: both, op: "opInverse", sig: "(m, x [][]T)"},
		{name: "mat3x4Decompose", wide: both, op: "opDecompose", sig: "(parts, m [][]T)"},
		{name: "deinterleave", wide: both, choose: "-", sig: "(lanes [][]T, m [][16]T)"},
		{name: "interleave", wide: both, choose: "-", sig: "(m [][16]T, lanes [][]T)"},
	}, ops: &ops{"matrices", "(op matrixOp, dst, x, y [][]T)", 1}},
	{name: "boxes", kernels: []kernel{
		{name: "boxesTransform", except: "arm64"},
		{name: "boxesInPlanes", wide: both},
		{name: "spheresInPlanes", wide: both},
	}},
}

// An element is one of the two element types.
type element struct {
	name  string // in the names of functions
	bits  string // suffix of the names of Go functions
	typ   string
	bytes int
}

var elements = []element{{"F32", "32", "float32", 4}, {"F64", "64", "float64", 8}}
