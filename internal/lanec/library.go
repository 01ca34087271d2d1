package lanec

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/amd64"
	"github.com/lanewise/lanewise/internal/lanec/arm64"
	"github.com/lanewise/lanewise/internal/lanec/asm"
	"github.com/lanewise/lanewise/internal/lanec/front"
	"github.com/lanewise/lanewise/internal/lanec/ir"
	"github.com/lanewise/lanewise/internal/lanec/wasm"
)

// A Library compiles generic bodies of package kernels. The compiled functions are
// called like hand-written assembly: their arguments are in the frame of the call.
type Library struct {
	source *source
	fns    map[string]*ast.FuncDecl
}

// An Assembly is the text of several kernels and of their constants.
type Assembly struct {
	library  *Library
	x86, arm half
}

type half struct {
	constants asm.Constants
	text      strings.Builder
}

// OpenLibrary reads the package in a directory, but not its generated files and
// its files for a single architecture.
func OpenLibrary(dir string) (*Library, error) {
	s, err := read(dir, func(name string) bool { return !strings.HasSuffix(name, "_gen.go") }, "purego")
	if err != nil {
		return nil, err
	}
	s.recordVariables(s.files)
	l := &Library{source: s, fns: map[string]*ast.FuncDecl{}}
	for o, fn := range s.funcs { //lanewise:inexact the names are unlike
		if o != nil {
			l.fns[o.Name()] = fn
		}
	}
	return l, nil
}

// Assembly returns an empty assembly.
func (l *Library) Assembly() *Assembly {
	a := &Assembly{library: l}
	a.x86.constants.Bytes, a.arm.constants.Bytes = 32, 16
	return a
}

// Empty reports whether nothing was compiled.
func (a *Assembly) Empty() bool { return a.x86.text.Len() == 0 }

// Compile appends a body for one element type, float32 or float64. The name of
// a function is symbol followed by the path. For example, it is addF32AVX2.
// AVX-512 is generated only if wide is set.
func (a *Assembly) Compile(body, symbol, elem string, wide bool) error {
	for _, path := range []*amd64.Path{amd64.AVX512, amd64.AVX2, nil} {
		if path == amd64.AVX512 && !wide {
			continue
		}
		k, err := a.library.kernel(body, symbol, elem) // a new one for each path, because writing changes it
		if err != nil {
			return err
		}
		var t asm.Text
		if path == nil {
			arm64.EmitFrame(k, &t, &a.arm.constants)
			a.arm.text.WriteString(t.String())
			continue
		}
		amd64.EmitFrame(k, path, &t, &a.x86.constants)
		a.x86.text.WriteString(t.String())
	}
	return nil
}

// Wasm returns a body for one element type as Go source with the vectors of package simd/archsimd. The name of the
// function is symbol followed by SIMD. rest is a statement in this function that computes the rows from i to n. If
// the body cannot be compiled to vectors of WebAssembly, the error is [wasm.ErrUnsupported].
func (l *Library) Wasm(body, symbol, elem, rest string) (string, error) {
	k, err := l.kernel(body, symbol, elem)
	if err != nil {
		return "", err
	}
	return wasm.EmitFrame(k, rest)
}

// kernel compiles a body for one type.
func (l *Library) kernel(name, symbol, typ string) (*ir.Kernel, error) {
	fn := l.fns[name]
	if fn == nil {
		return nil, fmt.Errorf("lanec: %s: no function %s", l.source.dir, name)
	}
	elem := types.Universe.Lookup(typ).Type()
	pkg := l.source.front(types.RelativeTo(l.source.types), elem)
	pkg.Frame = true
	k, err := front.Compile(pkg, fn)
	if problem := (*front.Problem)(nil); errors.As(err, &problem) {
		return nil, l.source.fault(problem.Pos, "%s: %s", name, problem.In(l.source.fset))
	}
	if err != nil {
		return nil, err
	}
	k.Frame.Symbol = symbol
	k.Simplify()
	return k, nil
}

// AMD64 returns the assembly for AVX2 and AVX-512.
func (a *Assembly) AMD64() string {
	return includeLines(a.x86.text.String()) + amd64.Tables() + a.x86.constants.String() + a.x86.text.String()
}

// ARM64 returns the assembly for NEON. header is neon_arm64.h of package
// kernels, whose instructions it may use.
func (a *Assembly) ARM64(header string) string {
	return includeLines(a.arm.text.String()) + "#include \"" + header + "\"\n" + a.arm.constants.String() + a.arm.text.String()
}

// includeLines returns the include lines of Go's headers that a text needs.
func includeLines(text string) string {
	if strings.Contains(text, "NO_LOCAL_POINTERS") {
		return "#include \"funcdata.h\"\n#include \"textflag.h\"\n"
	}
	return "#include \"textflag.h\"\n"
}
