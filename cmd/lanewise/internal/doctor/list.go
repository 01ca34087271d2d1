// Package doctor examines kernels on the machine that it runs on: whether every
// path gives the bits of the generic one, and how fast each is.
//
// The methods of the views are found by reflection, so that none can be missed;
// a test compares the functions and the views listed here with what package
// kernels exports. Operands are made from the types of the parameters: a kernel
// joins by being written.
package doctor

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/kernels"
)

// A Kernel is one kernel for one type of element.
type Kernel struct {
	Name string // as in the documentation: "AddScaled", "Vec3s.Rotate"
	Type string // "f32" or "f64"; of package ints "i32", "u32" or "i64"

	call reflect.Value // takes the receiver first
	none []int         // the parameters that are nil
}

// List returns all kernels whose name with the type, as in Vec3s.Rotate/f32,
// matches.
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

// New returns a kernel that is a function: of slices, views, which are pointers to
// structs of slices, and scalars.
func New(name, element string, function any) *Kernel {
	return &Kernel{Name: name, Type: element, call: reflect.ValueOf(function)}
}

type function struct {
	name string
	call any
}

// functions are the kernels on plain slices of T; O is the other type.
func functions[T, O kernels.Float]() []function {
	return []function{
		{"Fill", kernels.Fill[T]},
		{"Copy", kernels.Copy[T]},
		{"Add", kernels.Add[T]},
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
	}
}

// views are the types whose methods are kernels.
func views[T kernels.Float]() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[*kernels.Vec2s[T]](),
		reflect.TypeFor[*kernels.Vec3s[T]](),
		reflect.TypeFor[*kernels.Vec4s[T]](),
		reflect.TypeFor[*kernels.Quats[T]](),
		reflect.TypeFor[*kernels.Mat4s[T]](),
		reflect.TypeFor[*kernels.Mat3x4s[T]](),
		reflect.TypeFor[*kernels.Boxes[T]](),
		reflect.TypeFor[*kernels.Spheres[T]](),
	}
}

// optional lists, by the name of a method, the operands that may be left out:
// what to call it then, and the numbers of its parameters.
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
	for _, v := range views[T]() {
		view, _, _ := strings.Cut(v.Elem().Name(), "[")
		for i := range v.NumMethod() {
			m := v.Method(i)
			if !takesLanes(m.Type) {
				continue
			}
			name := fmt.Sprintf("%s.%s", view, m.Name)
			all = append(all, &Kernel{Name: name, Type: element, call: m.Func})
			for _, o := range optional[m.Name] {
				all = append(all, &Kernel{Name: name + "/" + o.name, Type: element, call: m.Func, none: o.none})
			}
		}
	}
	return all
}

// takesLanes says whether a method is a kernel: it works on its receiver and on
// other lanes. Those that do not, as Len and Slice, only look at a view.
func takesLanes(method reflect.Type) bool {
	return slices.ContainsFunc(slices.Collect(method.Ins())[1:], func(p reflect.Type) bool {
		return p.Kind() == reflect.Slice || p.Kind() == reflect.Pointer
	})
}
