package main

import (
	"embed"
	"os"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/bench/compare/native"
)

//go:embed source
var source embed.FS

// A program is the running process of source/kernels.c or source/sleef.c. A
// program that does not run has no kernels.
type program struct{ *native.Program }

// listVariants lists the variants of kernels.c that this CPU can run, with their
// columns in the table.
func listVariants() []string {
	all := []string{"avx2", "auto2", "any2", "loop2"}
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil && strings.Contains(string(info), " avx512dq ") {
		all = append(all, "avx512", "auto512", "any512")
	}
	return all
}

// kernelFlags are the flags of the compiler for kernels.c.
var kernelFlags = []string{"-O3", "-ffp-contract=off", "-fno-math-errno", "-mprefer-vector-width=512"}

// startC compiles kernels.c and starts it.
func startC(cc string) (*program, error) {
	p, err := native.Start(source, "kernels.c", cc, kernelFlags)
	return &program{p}, err
}

// call measures a variant of a kernel. If there is no such variant, the result is negative.
func (p *program) call(name string, bits int, form string, n, times int) (ns float64, err error) {
	err = p.Ask(&ns, name, bits, form, n, times)
	return ns, err
}

// sides returns the variants of a kernel.
func (p *program) sides(name string, bits, n int) []side {
	var sides []side
	if !p.Runs() {
		return nil
	}
	for _, form := range listVariants() {
		if ns, err := p.call(name, bits, form, n, 1); err == nil && ns >= 0 {
			sides = append(sides, side{"C " + form, func(times int) (float64, error) {
				return p.call(name, bits, form, n, times)
			}})
		}
	}
	return slices.Clip(sides)
}
