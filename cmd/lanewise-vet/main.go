// Lanewise-vet reports code that makes the bits of a program's results depend on the
// CPU or the run: products that Go may fuse with a sum, functions of package math
// that differ between CPUs, functions without a Go body, and loops over maps. It
// examines the packages that import a package of github.com/lanewise/lanewise, or
// with -all every package. It prints how many packages it has examined.
//
//	go install github.com/lanewise/lanewise/cmd/lanewise-vet@latest
//	lanewise-vet ./...
//	lanewise-vet -fix ./...
//	go vet -vettool=$(which lanewise-vet) ./...
//
// With -fix, the program also makes the changes that can be made in place. With go vet, it finds the
// same faults, and go vet caches the results. But go vet starts the program once for each package, so
// the program does not print the number of packages. The guide lists the faults that the program
// finds, the faults that it does not find, and the reasons:
// https://github.com/lanewise/lanewise/blob/main/docs/guide/vet.md
package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/analysis/singlechecker"
	"golang.org/x/tools/go/analysis/unitchecker"
	"golang.org/x/tools/go/packages"

	"github.com/lanewise/lanewise/cmd/lanewise-vet/exact"
)

func main() {
	for _, arg := range os.Args[1:] {
		if strings.HasPrefix(arg, "-V") || arg == "-flags" || strings.HasSuffix(arg, ".cfg") {
			unitchecker.Main(exact.Analyzer) // go vet has started this program
		}
	}
	if flags, patterns := split(os.Args[1:]); len(patterns) > 0 {
		fmt.Fprintln(os.Stderr, "lanewise-vet:", count(patterns, flags["all"] == "true", flags["test"] != "false"))
	}
	singlechecker.Main(exact.Analyzer)
}

// split separates flags and packages. The next argument may be the value of a flag. If the arguments
// request help, split returns no packages.
func split(args []string) (flags map[string]string, patterns []string) {
	flags = map[string]string{}
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		name, value, given := strings.Cut(strings.TrimLeft(args[0], "-"), "=")
		args = args[1:]
		switch name {
		case "": // --
			return flags, args
		case "help", "h":
			return flags, nil
		case "c", "cpuprofile", "memprofile", "trace", "debug", "tags":
			if !given && len(args) > 0 {
				args = args[1:]
			}
		default:
			if !given {
				value = "true"
			}
			flags[name] = value
		}
	}
	return flags, args
}

// count returns a text with the number of packages that the analyzer examines. A package and its
// tests count as one package.
func count(patterns []string, all, tests bool) string {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedImports, Tests: tests}, patterns...)
	if err != nil {
		return err.Error()
	}
	looked := map[string]bool{}
	for _, p := range pkgs {
		if p.Name == "main" && strings.HasSuffix(p.PkgPath, ".test") {
			continue // written by go test
		}
		path := strings.TrimSuffix(p.PkgPath, "_test")
		var imports []string
		for _, q := range p.Imports {
			imports = append(imports, q.PkgPath)
		}
		looked[path] = looked[path] || all || exact.LooksAt(imports)
	}
	n := 0
	for _, yes := range looked {
		if yes {
			n++
		}
	}
	packages := "packages"
	if len(looked) == 1 {
		packages = "package"
	}
	s := fmt.Sprintf("looks at %d of %d %s", n, len(looked), packages)
	if n < len(looked) {
		s += ", those that import a package of github.com/lanewise/lanewise; -all looks at every one"
	}
	return s
}
