package kernels

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"math"
	"os"
	"regexp"
	"strconv"
	"testing"
	"unsafe"
)

// TestConstants compares the constants of the assembly with the constants of the same name in
// consts.go. So the two tables cannot differ.
func TestConstants(t *testing.T) {
	table := constants64(t)
	found := 0
	for _, m := range matches(t, "sincos_amd64.h", `SPLAT64\((\w+)<>, \$0x(\w+)\)`) {
		bits, err := strconv.ParseUint(m[2], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		want, ok := table[m[1]]
		if !ok {
			switch m[1] { // constants without a name in Go
			case "half32":
				want = uint64(math.Float32bits(0.5)) * (1<<32 + 1)
			case "half64":
				want = math.Float64bits(0.5)
			case "signBit32":
				want = 1<<63 | 1<<31
			case "signBit64":
				want = 1 << 63
			case "magnitude32":
				want = ^uint64(1<<63 | 1<<31)
			case "magnitude64":
				want = ^uint64(1 << 63)
			case "int32One", "int32Two":
				want = 1<<32 + 1
				if m[1] == "int32Two" {
					want = 2<<32 + 2
				}
			case "int64One":
				want = 1
			case "int64Two":
				want = 2
			default:
				t.Errorf("%s is not in consts.go", m[1])
				continue
			}
		}
		if bits != want {
			t.Errorf("%s is %#x in the assembly, %#x in Go", m[1], bits, want)
		}
		found++
	}
	if found < 40 {
		t.Errorf("only %d constants found: the search is broken", found)
	}
}

// constants64 reads the float constants of consts.go and returns their bits as 64. A float32 fills
// both halves.
func constants64(t *testing.T) map[string]uint64 {
	file, err := parser.ParseFile(token.NewFileSet(), "consts.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]uint64{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		value, sign := spec.Values[0], 1.0
		if u, ok := value.(*ast.UnaryExpr); ok && u.Op == token.SUB {
			value, sign = u.X, -1
		}
		lit, ok := value.(*ast.BasicLit)
		if !ok {
			return true
		}
		x := constant.MakeFromLiteral(lit.Value, lit.Kind, 0)
		switch typ, _ := spec.Type.(*ast.Ident); {
		case typ == nil:
		case typ.Name == "float32":
			f, exact := constant.Float32Val(x)
			if !exact {
				t.Errorf("%s is not a float32", spec.Names[0])
			}
			found[spec.Names[0].Name] = uint64(math.Float32bits(float32(sign)*f)) * (1<<32 + 1)
		case typ.Name == "float64":
			f, exact := constant.Float64Val(x)
			if !exact {
				t.Errorf("%s is not a float64", spec.Names[0])
			}
			found[spec.Names[0].Name] = math.Float64bits(sign * f)
		}
		return true
	})
	return found
}

// TestLaneOffsets compares the offsets of lanes that the assembly uses with those of the views in Go.
func TestLaneOffsets(t *testing.T) {
	var q Quats[float32]
	want := map[string]uintptr{
		"LANEX": unsafe.Offsetof(q.X), "LANEY": unsafe.Offsetof(q.Y),
		"LANEZ": unsafe.Offsetof(q.Z), "LANEW": unsafe.Offsetof(q.W), "LEN": 8,
	}
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("no assembly for CPUs of 32 bits")
	}
	for _, m := range matches(t, "view_amd64.h", `(?m)^#define +(LANE.|LEN) +(\d+)$`) {
		if strconv.Itoa(int(want[m[1]])) != m[2] {
			t.Errorf("%s is %s in the assembly, %d in Go", m[1], m[2], want[m[1]])
		}
		delete(want, m[1])
	}
	if len(want) != 0 {
		t.Errorf("not found in the assembly: %v", want)
	}
}

func matches(t *testing.T, file, pattern string) [][]string {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1)
}
