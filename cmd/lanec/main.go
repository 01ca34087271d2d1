// Lanec compiles functions that loop over rows to assembly for AVX2, AVX-512 and NEON, and to the vectors of WebAssembly. The results have the
// same bits as those of the Go source.
//
//	//go:generate go tool lanec
//
//	//lanec:kernel Move
//	func move(x, v []float32, dt float32) {
//		for i := range x {
//			x[i] += float32(v[i] * dt)
//		}
//	}
//
// For this source, lanec writes a function Move with the same parameters to another file
// of the same directory. See docs/guide/lanec.md; docs/guide/lanec-language.md lists what
// a kernel may contain.
//
// Usage:
//
//	lanec [-check] [-explain] [directory ...]
//
// Without arguments, it compiles the package in the current directory. The flags are:
//
//	-check    write nothing, and fail if what is there is not what would be written
//	-explain  write nothing, and say what became of each kernel
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/lanewise/lanewise/internal/lanec"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run runs the program and returns its exit status: 1 for errors in the sources
// and 2 for errors in the arguments.
func run(args []string, out, text io.Writer) int {
	flags := flag.NewFlagSet("lanec", flag.ContinueOnError)
	flags.SetOutput(text)
	check := flags.Bool("check", false, "write nothing, and fail if what is there is not what would be written")
	explain := flags.Bool("explain", false, "write nothing, and say what became of each kernel")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	dirs := flags.Args()
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	status := 0
	for _, dir := range dirs {
		p, err := lanec.Compile(dir)
		switch {
		case err != nil:
		case *check:
			err = p.Stale()
		case !*explain:
			err = p.Write()
		}
		if err == nil && *explain {
			err = p.Explain(out)
		}
		if err != nil {
			fmt.Fprintln(text, err)
			status = 1
		}
	}
	return status
}
