package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Vectors of two, three and four components share methods. The methods for
// three components are hand-written in vec3.go. The methods for two and four
// components are copies of them. This is possible because the methods pass the
// operation as a constant, so that only the formulas in their comments differ.

var (
	sum   = regexp.MustCompile(`\((\w)\.x\*(\w)\.x \+ \w\.y\*\w\.y\) \+ \w\.z\*\w\.z`)
	tuple = regexp.MustCompile(`\((\w)\.x\*r, \w\.y\*r, \w\.z\*r\)`)
)

// widthCopies returns vec2_gen.go and vec4_gen.go.
func widthCopies(dir string, known map[string]signature) (map[string]string, error) {
	path := filepath.Join(dir, "vec3.go")
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, source, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var methods []string
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv == nil || fn.Doc == nil || !byConstant(fn) {
			continue
		}
		methods = append(methods, string(source[fset.Position(fn.Doc.Pos()).Offset:fset.Position(fn.End()).Offset]))
	}
	// Vec3s.AddScaled has a separate kernel.
	methods = append(methods, known["vec3AddScaledGeneric"].doc+`
func (v *Vec3s[T]) AddScaled(x, y *Vec3s[T], s T) *Vec3s[T] {
	vec3VectorsFront(single[T](), opAddScaled, address(v), address(x), address(y), float64(s))
	return v
}`)
	made := map[string]string{}
	for _, n := range []int{2, 4} {
		text := header + "\npackage kernels\n"
		for _, m := range methods {
			text += "\n" + resizeMethod(n, m) + "\n"
		}
		made[fmt.Sprintf("vec%d_gen.go", n)] = text
	}
	return made, nil
}

// byConstant reports whether a method only calls a front and passes the operation as a
// constant. There is no cross product of two or four components.
func byConstant(fn *ast.FuncDecl) bool {
	e, ok := fn.Body.List[0].(*ast.ExprStmt)
	if !ok || fn.Name.Name == "Cross" {
		return false
	}
	call, ok := e.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	to, ok := call.Fun.(*ast.Ident)
	return ok && (to.Name == "vec3VectorsFront" || to.Name == "vec3ArithFront" || to.Name == "vec3NumbersFront")
}

// resizeMethod converts a method of vectors of three components to a method of vectors of n
// components.
func resizeMethod(n int, method string) string {
	method = strings.NewReplacer("vec3Arith", fmt.Sprintf("vec%dVectors", n), "Vec3s", fmt.Sprintf("Vec%ds", n), "vec3", fmt.Sprint("vec", n)).Replace(method)
	method = sum.ReplaceAllStringFunc(method, func(s string) string {
		m := sum.FindStringSubmatch(s)
		text := ""
		for i, c := range strings.Split("xyzw", "")[:n] {
			if term := fmt.Sprintf("%s.%s*%s.%s", m[1], c, m[2], c); i < 2 {
				text = strings.TrimPrefix(text+" + "+term, " + ")
			} else {
				text = "(" + text + ") + " + term
			}
		}
		return text
	})
	return tuple.ReplaceAllStringFunc(method, func(s string) string {
		var list []string
		for _, c := range strings.Split("xyzw", "")[:n] {
			list = append(list, tuple.FindStringSubmatch(s)[1]+"."+c+"*r")
		}
		return "(" + strings.Join(list, ", ") + ")"
	})
}
