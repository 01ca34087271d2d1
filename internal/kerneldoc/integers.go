package main

import (
	"fmt"
	"go/ast"
	"strings"
)

// integers is the section on package ints: what its kernels do, and what runs where there
// are vectors: assembly that lanec has made, a kernel of package kernels, or Go.
func integers(dir string) (string, error) {
	x86, err := load(dir, "amd64")
	if err != nil {
		return "", err
	}
	arm, err := load(dir, "arm64")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("\n## Integers (`kernels/ints`)\n\nOf int32, uint32, int64 and uint64; lanec compiles their loops.\n\n| kernel | it | AVX2, AVX-512 | NEON |\n| --- | --- | --- | --- |\n")
	neon := map[string]string{}
	for _, k := range arm.kernels() {
		neon[k.name] = arm.integer(k)
	}
	for _, k := range x86.kernels() {
		fmt.Fprintf(&b, "| ints.%s | %s | %s | %s |\n", k.name, strings.ReplaceAll(k.does, "|", `\|`), x86.integer(k), neon[k.name])
	}
	return b.String(), nil
}

// integer is a cell of that table.
func (p *program) integer(k *kernel) string {
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
