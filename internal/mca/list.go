package main

// A kernel is a function of the C files in folder source. With NEON appended, its name is the
// name of a function in package kernels.
type kernel struct {
	name     string
	rowBytes int            // bytes moved for one row; the bytes of an iteration divided by this are its rows
	bytes    func(loop) int // counts the bytes that are moved
}

// list contains every kernel with a NEON loop. A test compares it with the assembly.
var list = kernels()

func kernels() (all []kernel) {
	// stores returns the entries for both types of a kernel that stores the given number of
	// elements for each row.
	stores := func(elements int, names ...string) {
		for _, name := range names {
			all = append(all, kernel{name + "F32", 4 * elements, loop.storedBytes}, kernel{name + "F64", 8 * elements, loop.storedBytes})
		}
	}
	// The same is true for kernels that only read, or that write less than a byte for each row.
	loads := func(elements int, names ...string) {
		for _, name := range names {
			all = append(all, kernel{name + "F32", 4 * elements, loop.loadedBytes}, kernel{name + "F64", 8 * elements, loop.loadedBytes})
		}
	}
	stores(1, "fill", "addScaled")
	stores(3, "vec3AddScaled", "vec3Scale", "vec3Lerp", "extract")
	all = append(all, kernel{"spreadF32", 16, loop.storedBytes}, kernel{"spreadF64", 16, loop.storedBytes})
	stores(4, "quatMul", "quatNormalize", "quatIntegrate", "quatSpin")
	stores(3, "vec3Rotate", "vec3RotateBy")
	stores(16, "mat4Compose", "mat4Mul", "mat4MulByParent", "mat4MulFull", "mat4MulFullByParent")
	stores(12, "mat3x4Compose", "mat3x4Mul", "mat3x4Inverse")
	stores(10, "mat3x4Decompose")
	stores(12, "deinterleave")
	stores(16, "interleave")

	stores(1, "add", "addConst", "sub", "mul", "div", "scale", "mulAdd", "lerp", "minimum", "maximum", "clamp", "abs", "neg", "sqrt")
	loads(2, "less", "lessEqual", "equal")
	loads(1, "below", "atMost", "above", "atLeast", "equalTo")
	stores(1, "select", "compress")
	all = append(all, kernel{"widen", 8, loop.storedBytes}, kernel{"narrow", 4, loop.storedBytes})
	loads(1, "sum")
	loads(2, "dotLanes")
	loads(1, "sumAbs")
	loads(2, "sumAbsDiff", "sumSquareDiff")
	loads(1, "deviations")
	loads(2, "codeviations", "allDeviations")
	loads(1, "min", "max", "indexOf", "finite")
	stores(1, "prefixSum")

	stores(1, "lanesAdd", "lanesSub", "lanesScale", "lanesAddScaled", "lanesLerp")
	stores(1, "vecDot", "vecLength", "vecDistance")
	stores(4, "vecNormalize", "vecReflect")
	stores(1, "vec3DistanceSquared")
	stores(6, "boxesTransform")
	loads(6, "boxesInPlanes", "boxesUnion")
	loads(4, "spheresInPlanes")
	stores(3, "vecCross", "vec3TransformBy", "vec3Transform", "vec3TransformAffine")
	stores(4, "vec4TransformBy", "vec4Transform")
	stores(4, "quatConjugate", "quatFromAxisAngle", "quatFromEuler", "quatBetween", "quatLookRotation", "quatNlerp", "quatSlerp")
	stores(2, "sincos")
	stores(1, "kepler")
	stores(1, "floor", "ceil", "trunc", "round", "fract", "copySign", "mod", "rsqrt", "hypot")
	stores(1, "exp", "exp2", "expm1", "log", "log1p", "log2", "log10")
	stores(1, "sin", "cos", "tan", "atan", "atan2", "asin", "acos")
	stores(1, "sinh", "cosh", "tanh", "cbrt", "pow", "erf", "erfc", "normalCDF", "normalQuantile", "sinc", "lgamma", "besselJ0", "besselJ1")
	for _, name := range []string{ // for float32 only
		"exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "rsqrt", "sin", "cos", "tan", "asin", "acos", "atan",
		"sinh", "cosh", "tanh", "cbrt", "erf", "erfc", "hypot", "atan2", "pow",
	} {
		all = append(all, kernel{name + "RoundedF32", 4, loop.storedBytes})
	}
	return all
}
