package main

import (
	"fmt"
	"go/ast"
	"strings"
)

// A section describes a package whose kernels lanec compiles.
type section struct {
	pkg   string // a directory of kernels, and the name
	title string
	head  string
}

var sections = []section{
	{"ints", "Integers", "These kernels exist for int32, uint32, int64 and uint64. lanec compiles their loops."},
	{"forces", "Forces", "These kernels exist for float32 and float64. lanec compiles their loops. For examples, see [forces](guide/forces.md)."},
}

// sectionOf returns the section about the package in dir. For each kernel, the
// section shows the code that CPUs with vectors run: assembly by lanec, a
// kernel of package kernels, or Go.
func (s *section) sectionOf(dir string) (string, error) {
	x86, err := load(dir, "amd64")
	if err != nil {
		return "", err
	}
	arm, err := load(dir, "arm64")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s (`kernels/%s`)\n\n%s\n\n| kernel | it | AVX2, AVX-512 | NEON |\n| --- | --- | --- | --- |\n", s.title, s.pkg, s.head)
	neon := map[string]string{}
	for _, k := range arm.kernels() {
		neon[k.name] = arm.lanec(k)
	}
	for _, k := range x86.kernels() {
		fmt.Fprintf(&b, "| %s.%s | %s | %s | %s |\n", s.pkg, k.name, strings.ReplaceAll(k.does, "|", `\|`), x86.lanec(k), neon[k.name])
	}
	return b.String(), nil
}

// lanec returns a cell of the table of a package whose kernels lanec compiles.
func (p *program) lanec(k *kernel) string {
	w := &walk{p, "avx2", true, map[string]string{}, map[string]bool{}, map[string]bool{}}
	w.function(k.fn)
	if len(w.asm) > 0 {
		return "●"
	}
	lent := false
	ast.Inspect(p.decls[k.fn].Body, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && isName(s.X, "kernels") && s.Sel.Name == k.name {
			lent = true
		}
		return true
	})
	if lent {
		return "as kernels." + k.name
	}
	return "Go"
}
