// Package doctor examines kernels on the machine that it runs on. It checks
// whether every path gives the same bits as the generic path, and measures how
// fast each path is.
//
// A test compares this list with the exported functions and methods of package kernels, so that no
// kernel can be missing. The package creates operands according to the types of the parameters.
package doctor

import (
	"reflect"
	"regexp"
	"strings"

	"github.com/lanewise/lanewise/kernels"
)

// A Kernel is one kernel for one type of element.
type Kernel struct {
	Name string // as in the documentation, for example "AddScaled", "Vec3s.Rotate"
	Type string // "f32" or "f64"; of package ints "i32", "u32" or "i64"

	call reflect.Value // takes the receiver first
	none []int         // indices of the parameters that are nil
}

// List returns all kernels whose name matches; a name includes the type, for
// example Vec3s.Rotate/f32.
func List(only *regexp.Regexp) []*Kernel {
	single, double := list[float32, float64]("f32"), list[float64, float32]("f64")
	var all []*Kernel
	for i := range single {
		for _, k := range []*Kernel{single[i], double[i]} {
			if only.MatchString(k.String()) {
				all = append(all, k)
			}
		}
	}
	for _, f := range rounded {
		if k := New(f.name, "f32", f.call); only.MatchString(k.String()) {
			all = append(all, k)
		}
	}
	i32, u32, i64 := integers[int32](), integers[uint32](), integers[int64]()
	for i := range i32 {
		for _, k := range []*Kernel{New(i32[i].name, "i32", i32[i].call), New(u32[i].name, "u32", u32[i].call), New(i64[i].name, "i64", i64[i].call)} {
			if only.MatchString(k.String()) {
				all = append(all, k)
			}
		}
	}
	return all
}

func (k *Kernel) String() string { return k.Name + "/" + k.Type }

// New returns a kernel for a function. Its parameters may be slices, views (pointers to structs of
// slices) and scalars.
func New(name, element string, function any) *Kernel {
	return &Kernel{Name: name, Type: element, call: reflect.ValueOf(function)}
}

type function struct {
	name string
	call any
}

// rounded lists the kernels that exist only for float32.
var rounded = []function{
	{"HypotRounded", kernels.HypotRounded},
	{"Atan2Rounded", kernels.Atan2Rounded},
	{"PowRounded", kernels.PowRounded},
	{"ExpRounded", kernels.ExpRounded},
	{"Exp2Rounded", kernels.Exp2Rounded},
	{"Expm1Rounded", kernels.Expm1Rounded},
	{"LogRounded", kernels.LogRounded},
	{"Log1pRounded", kernels.Log1pRounded},
	{"Log2Rounded", kernels.Log2Rounded},
	{"Log10Rounded", kernels.Log10Rounded},
	{"RsqrtRounded", kernels.RsqrtRounded},
	{"SinRounded", kernels.SinRounded},
	{"CosRounded", kernels.CosRounded},
	{"TanRounded", kernels.TanRounded},
	{"AsinRounded", kernels.AsinRounded},
	{"AcosRounded", kernels.AcosRounded},
	{"AtanRounded", kernels.AtanRounded},
	{"SinhRounded", kernels.SinhRounded},
	{"CoshRounded", kernels.CoshRounded},
	{"TanhRounded", kernels.TanhRounded},
	{"CbrtRounded", kernels.CbrtRounded},
	{"ErfRounded", kernels.ErfRounded},
	{"ErfcRounded", kernels.ErfcRounded},
}

// functions returns the kernels on plain slices of T. O is the other floating-point type.
func functions[T, O kernels.Float]() []function {
	return []function{
		{"Fill", kernels.Fill[T]},
		{"Copy", kernels.Copy[T]},
		{"Add", kernels.Add[T]},
		{"AddConst", kernels.AddConst[T]},
		{"Sub", kernels.Sub[T]},
		{"Mul", kernels.Mul[T]},
		{"Div", kernels.Div[T]},
		{"Scale", kernels.Scale[T]},
		{"AddScaled", kernels.AddScaled[T]},
		{"MulAdd", kernels.MulAdd[T]},
		{"Lerp", kernels.Lerp[T]},
		{"Minimum", kernels.Minimum[T]},
		{"Maximum", kernels.Maximum[T]},
		{"Clamp", kernels.Clamp[T]},
		{"Abs", kernels.Abs[T]},
		{"Neg", kernels.Neg[T]},
		{"Sqrt", kernels.Sqrt[T]},
		{"Convert", kernels.Convert[O, T]},

		{"Less", kernels.Less[T]},
		{"LessEqual", kernels.LessEqual[T]},
		{"Equal", kernels.Equal[T]},
		{"Below", kernels.Below[T]},
		{"AtMost", kernels.AtMost[T]},
		{"Above", kernels.Above[T]},
		{"AtLeast", kernels.AtLeast[T]},
		{"EqualTo", kernels.EqualTo[T]},
		{"Select", kernels.Select[T]},
		{"Indices", kernels.Indices},
		{"Any", kernels.Any},
		{"All", func(mask []uint64) bool { return kernels.All(mask, 64*len(mask)) }},
		{"Count", kernels.Count},
		{"And", kernels.And},
		{"Or", kernels.Or},
		{"AndNot", kernels.AndNot},
		{"Not", func(dst, x []uint64) { kernels.Not(dst, x, 64*len(x)) }},
		{"Compress", kernels.Compress[T]},

		{"Gather", kernels.Gather[T]},
		{"Scatter", kernels.Scatter[T]},
		{"Histogram", func(counts []int, x []T) int {
			if len(counts) == 0 {
				return 0
			}
			return kernels.Histogram(counts, x, -2, 2)
		}},

		{"Sum", kernels.Sum[T]},
		{"SumExact", kernels.SumExact[T]},
		{"Dot", kernels.Dot[T]},
		{"Norm", kernels.Norm[T]},
		{"NormScaled", kernels.NormScaled[T]},
		{"Norm1", kernels.Norm1[T]},
		{"NormInf", kernels.NormInf[T]},
		{"Distance", kernels.Distance[T]},
		{"Distance1", kernels.Distance1[T]},
		{"DistanceInf", kernels.DistanceInf[T]},
		{"Mean", kernels.Mean[T]},
		{"Variance", kernels.Variance[T]},
		{"StdDev", kernels.StdDev[T]},
		{"MeanStdDev", kernels.MeanStdDev[T]},
		{"Covariance", kernels.Covariance[T]},
		{"Correlation", kernels.Correlation[T]},
		{"DotExact", kernels.DotExact[T]},
		{"NormExact", kernels.NormExact[T]},
		{"Norm1Exact", kernels.Norm1Exact[T]},
		{"DistanceExact", kernels.DistanceExact[T]},
		{"MeanExact", kernels.MeanExact[T]},
		{"MeanStdDevExact", kernels.MeanStdDevExact[T]},
		{"CovarianceExact", kernels.CovarianceExact[T]},
		{"CorrelationExact", kernels.CorrelationExact[T]},
		{"Min", kernels.Min[T]},
		{"Max", kernels.Max[T]},
		{"ArgMin", kernels.ArgMin[T]},
		{"ArgMax", kernels.ArgMax[T]},
		{"AllFinite", func(x []T) int {
			if kernels.AllFinite(x) {
				return 1
			}
			return 0
		}},
		{"PrefixSum", kernels.PrefixSum[T]},

		{"Sincos", kernels.Sincos[T]},
		{"Kepler", kernels.Kepler[T]},

		{"Floor", kernels.Floor[T]},
		{"Ceil", kernels.Ceil[T]},
		{"Trunc", kernels.Trunc[T]},
		{"Round", kernels.Round[T]},
		{"Fract", kernels.Fract[T]},
		{"CopySign", kernels.CopySign[T]},
		{"Mod", kernels.Mod[T]},
		{"Rsqrt", kernels.Rsqrt[T]},
		{"Hypot", kernels.Hypot[T]},
		{"Exp", kernels.Exp[T]},
		{"Exp2", kernels.Exp2[T]},
		{"Expm1", kernels.Expm1[T]},
		{"Log", kernels.Log[T]},
		{"Log1p", kernels.Log1p[T]},
		{"Log2", kernels.Log2[T]},
		{"Log10", kernels.Log10[T]},
		{"Sin", kernels.Sin[T]},
		{"Cos", kernels.Cos[T]},
		{"Tan", kernels.Tan[T]},
		{"Atan", kernels.Atan[T]},
		{"Atan2", kernels.Atan2[T]},
		{"Asin", kernels.Asin[T]},
		{"Acos", kernels.Acos[T]},
		{"Sinh", kernels.Sinh[T]},
		{"Cosh", kernels.Cosh[T]},
		{"Tanh", kernels.Tanh[T]},
		{"Cbrt", kernels.Cbrt[T]},
		{"Pow", kernels.Pow[T]},
		{"Erf", kernels.Erf[T]},
		{"Erfc", kernels.Erfc[T]},
		{"NormalCDF", kernels.NormalCDF[T]},
		{"NormalQuantile", kernels.NormalQuantile[T]},
		{"Sinc", kernels.Sinc[T]},
		{"Lgamma", kernels.Lgamma[T]},
		{"J0", kernels.J0[T]},
		{"J1", kernels.J1[T]},
	}
}

// methods returns the kernels on views of T, as functions of the receiver and the operands. The list is a
// table and does not use reflection, because if a program asks reflect for the methods of a type, the
// linker keeps every exported method of every type.
func methods[T kernels.Float]() []function {
	return []function{
		{"Vec2s.Add", (*kernels.Vec2s[T]).Add},
		{"Vec2s.AddScaled", (*kernels.Vec2s[T]).AddScaled},
		{"Vec2s.Distance", (*kernels.Vec2s[T]).Distance},
		{"Vec2s.Dot", (*kernels.Vec2s[T]).Dot},
		{"Vec2s.Length", (*kernels.Vec2s[T]).Length},
		{"Vec2s.Lerp", (*kernels.Vec2s[T]).Lerp},
		{"Vec2s.Normalize", (*kernels.Vec2s[T]).Normalize},
		{"Vec2s.Reflect", (*kernels.Vec2s[T]).Reflect},
		{"Vec2s.Scale", (*kernels.Vec2s[T]).Scale},
		{"Vec2s.Sub", (*kernels.Vec2s[T]).Sub},
		{"Vec3s.Add", (*kernels.Vec3s[T]).Add},
		{"Vec3s.AddScaled", (*kernels.Vec3s[T]).AddScaled},
		{"Vec3s.Cross", (*kernels.Vec3s[T]).Cross},
		{"Vec3s.Distance", (*kernels.Vec3s[T]).Distance},
		{"Vec3s.DistanceSquared", (*kernels.Vec3s[T]).DistanceSquared},
		{"Vec3s.Dot", (*kernels.Vec3s[T]).Dot},
		{"Vec3s.Length", (*kernels.Vec3s[T]).Length},
		{"Vec3s.Lerp", (*kernels.Vec3s[T]).Lerp},
		{"Vec3s.Normalize", (*kernels.Vec3s[T]).Normalize},
		{"Vec3s.Reflect", (*kernels.Vec3s[T]).Reflect},
		{"Vec3s.Rotate", (*kernels.Vec3s[T]).Rotate},
		{"Vec3s.RotateBy", (*kernels.Vec3s[T]).RotateBy},
		{"Vec3s.Scale", (*kernels.Vec3s[T]).Scale},
		{"Vec3s.Sub", (*kernels.Vec3s[T]).Sub},
		{"Vec3s.Transform", (*kernels.Vec3s[T]).Transform},
		{"Vec3s.TransformAffine", (*kernels.Vec3s[T]).TransformAffine},
		{"Vec3s.TransformBy", (*kernels.Vec3s[T]).TransformBy},
		{"Vec3s.TransformVector", (*kernels.Vec3s[T]).TransformVector},
		{"Vec3s.TransformVectorAffine", (*kernels.Vec3s[T]).TransformVectorAffine},
		{"Vec3s.TransformVectorBy", (*kernels.Vec3s[T]).TransformVectorBy},
		{"Vec4s.Add", (*kernels.Vec4s[T]).Add},
		{"Vec4s.AddScaled", (*kernels.Vec4s[T]).AddScaled},
		{"Vec4s.Distance", (*kernels.Vec4s[T]).Distance},
		{"Vec4s.Dot", (*kernels.Vec4s[T]).Dot},
		{"Vec4s.Length", (*kernels.Vec4s[T]).Length},
		{"Vec4s.Lerp", (*kernels.Vec4s[T]).Lerp},
		{"Vec4s.Normalize", (*kernels.Vec4s[T]).Normalize},
		{"Vec4s.Reflect", (*kernels.Vec4s[T]).Reflect},
		{"Vec4s.Scale", (*kernels.Vec4s[T]).Scale},
		{"Vec4s.Sub", (*kernels.Vec4s[T]).Sub},
		{"Vec4s.Transform", (*kernels.Vec4s[T]).Transform},
		{"Vec4s.TransformBy", (*kernels.Vec4s[T]).TransformBy},
		{"Quats.Between", (*kernels.Quats[T]).Between},
		{"Quats.Conjugate", (*kernels.Quats[T]).Conjugate},
		{"Quats.FromAxisAngle", (*kernels.Quats[T]).FromAxisAngle},
		{"Quats.FromEuler", (*kernels.Quats[T]).FromEuler},
		{"Quats.Integrate", (*kernels.Quats[T]).Integrate},
		{"Quats.LookRotation", (*kernels.Quats[T]).LookRotation},
		{"Quats.Mul", (*kernels.Quats[T]).Mul},
		{"Quats.Nlerp", (*kernels.Quats[T]).Nlerp},
		{"Quats.Normalize", (*kernels.Quats[T]).Normalize},
		{"Quats.Slerp", (*kernels.Quats[T]).Slerp},
		{"Quats.Spin", (*kernels.Quats[T]).Spin},
		{"Mat4s.Compose", (*kernels.Mat4s[T]).Compose},
		{"Mat4s.ComposeStream", (*kernels.Mat4s[T]).ComposeStream},
		{"Mat4s.Decompose", (*kernels.Mat4s[T]).Decompose},
		{"Mat4s.FromMat3x4s", (*kernels.Mat4s[T]).FromMat3x4s},
		{"Mat4s.FromQuats", (*kernels.Mat4s[T]).FromQuats},
		{"Mat4s.Inverse", (*kernels.Mat4s[T]).Inverse},
		{"Mat4s.MulAffine", (*kernels.Mat4s[T]).MulAffine},
		{"Mat4s.MulAffineByParent", (*kernels.Mat4s[T]).MulAffineByParent},
		{"Mat4s.MulFull", (*kernels.Mat4s[T]).MulFull},
		{"Mat4s.MulFullByParent", (*kernels.Mat4s[T]).MulFullByParent},
		{"Mat3x4s.Compose", (*kernels.Mat3x4s[T]).Compose},
		{"Mat3x4s.Decompose", (*kernels.Mat3x4s[T]).Decompose},
		{"Mat3x4s.FromMat4s", (*kernels.Mat3x4s[T]).FromMat4s},
		{"Mat3x4s.FromQuats", (*kernels.Mat3x4s[T]).FromQuats},
		{"Mat3x4s.Inverse", (*kernels.Mat3x4s[T]).Inverse},
		{"Mat3x4s.MulAffine", (*kernels.Mat3x4s[T]).MulAffine},
		{"Boxes.InPlanes", (*kernels.Boxes[T]).InPlanes},
		{"Boxes.Transform", (*kernels.Boxes[T]).Transform},
		{"Boxes.Union", (*kernels.Boxes[T]).Union},
		{"Spheres.InPlanes", (*kernels.Spheres[T]).InPlanes},
	}
}

// optional maps the name of a method to its operands that may be nil. An
// entry contains the name for a call without these operands, and the indices
// of their parameters.
var optional = map[string][]struct {
	name string
	none []int
}{
	"Compose":       {{"rot=nil", []int{2}}, {"scale=nil", []int{3}}, {"rot=nil/scale=nil", []int{2, 3}}},
	"Union":         {{"mask=nil", []int{1}}},
	"ComposeStream": {{"rot=nil", []int{2}}, {"scale=nil", []int{3}}, {"rot=nil/scale=nil", []int{2, 3}}},
}

func list[T, O kernels.Float](element string) (all []*Kernel) {
	for _, f := range functions[T, O]() {
		all = append(all, New(f.name, element, f.call))
	}
	for _, f := range pulls[T]() {
		all = append(all, New(f.name, element, f.call))
	}
	for _, f := range methods[T]() {
		k := New(f.name, element, f.call)
		all = append(all, k)
		_, method, _ := strings.Cut(f.name, ".")
		for _, o := range optional[method] {
			all = append(all, &Kernel{Name: k.Name + "/" + o.name, Type: element, call: k.call, none: o.none})
		}
	}
	return all
}
