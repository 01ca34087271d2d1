package main

import (
	"errors"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec"
	"github.com/lanewise/lanewise/internal/lanec/wasm"
)

// simdBuild is the build constraint of the bodies for WebAssembly. It is necessary because package simd/archsimd is
// an experiment of Go 1.27.
const simdBuild = "(wasm && goexperiment.simd && go1.27)"

// fillVectors sets the field simd of each kernel to the bodies for WebAssembly. lanec writes these bodies for every
// kernel whose generic body it can compile, including some kernels with hand-written assembly on other CPUs. A few are
// hand-written in Go. All other kernels keep the generic body.
func fillVectors(l *lanec.Library, bodies map[string]signature) error {
	for _, f := range families {
		for i := range f.kernels {
			k := &f.kernels[i]
			k.simd = map[string]string{}
			for _, e := range bodies[k.name+"Generic"].elements() {
				switch {
				case k.wasm == byGo:
					k.simd[e.name] = ""
				case k.by == byLanec || k.second || k.wasm == byLanec:
					text, err := l.Wasm(k.name+"Generic", k.name+e.name, e.typ, k.rest(bodies[k.name+"Generic"]))
					if errors.Is(err, wasm.ErrUnsupported) {
						continue
					}
					if err != nil {
						return err
					}
					k.simd[e.name] = text
				}
			}
		}
	}
	return nil
}

// imports reports whether a generated body of the family names package simd/archsimd.
func (f *family) imports() bool {
	for _, k := range f.kernels {
		for _, text := range k.simd { //lanewise:inexact any of them
			if text != "" {
				return true
			}
		}
	}
	return false
}

// rest returns the statements that compute the rows from i to n with the generic body.
func (k *kernel) rest(sig signature) string {
	var before strings.Builder
	var args []string
	for _, p := range sig.params {
		switch {
		case strings.HasPrefix(p.typ, "[]"):
			args = append(args, cut(p.name, "i", "n"))
		case strings.HasPrefix(p.typ, "*") && strings.HasSuffix(p.typ, "s[T]"):
			before.WriteString(p.name + "Rest := " + p.name + ".Slice(i, n)\n")
			args = append(args, "&"+p.name+"Rest")
		default:
			args = append(args, p.name)
		}
	}
	return before.String() + k.name + "Generic(" + strings.Join(args, ", ") + ")"
}
