// Lanewise-vet reports what makes the bits of a program's results depend on the CPU
// or the run: products that Go may fuse with a sum, functions of package math that
// differ between CPUs, and iteration over maps. It looks at the packages that import
// github.com/lanewise/lanewise/ecs or a package below it, and with -all at every one.
//
//	go install github.com/lanewise/lanewise/cmd/lanewise-vet@latest
//	go vet -vettool=$(which lanewise-vet) ./...
//	lanewise-vet ./...
//	lanewise-vet -fix ./...
//
// The second and third line do the same; the second remembers what it has seen. The
// last one mends what can be mended in place. What is found, and why:
// https://github.com/lanewise/lanewise/blob/main/docs/guide/loops.md
package main

import (
	"os"
	"strings"

	"golang.org/x/tools/go/analysis/singlechecker"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/lanewise/lanewise/cmd/lanewise-vet/exact"
)

func main() {
	for _, arg := range os.Args[1:] {
		if strings.HasPrefix(arg, "-V") || arg == "-flags" || strings.HasSuffix(arg, ".cfg") {
			unitchecker.Main(exact.Analyzer) // go vet has started us
		}
	}
	singlechecker.Main(exact.Analyzer)
}
