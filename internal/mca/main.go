// Command mca compares the NEON loops of package kernels with the code that
// clang generates for the same arithmetic, from the C files in folder source.
//
// It builds the package's test binary for arm64, and the C files for each
// core. It cuts the widest loop out of every kernel, and runs llvm-mca on it.
// It prints the cycles per row, which are the block's reciprocal throughput
// divided by the number of rows of an iteration. The printed number is the
// result of a model. The model assumes that all data are in the first-level
// cache, and that fetching instructions takes no time. So the number is a
// lower bound and not a measurement. So compare only the ratios.
//
// It needs clang, llvm-objdump-19 and llvm-mca-19, because versions of llvm-mca
// before 16 treat these cores as a Cortex-A57. A kernel without a C version
// in source has no ratio.
//
//	go run ./internal/mca
//	go run ./internal/mca -show quatMulF32
package main

import (
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// cores lists the CPU cores that llvm-mca models and the table shows.
var cores = []string{"neoverse-n1", "neoverse-v1"}

const library = "github.com/lanewise/lanewise/kernels"

//go:embed source
var source embed.FS

func main() {
	log.SetFlags(0)
	log.SetPrefix("mca: ")
	var t tools
	flag.StringVar(&t.clang, "clang", "clang", "the C `compiler` to compare with")
	flag.StringVar(&t.objdump, "objdump", "llvm-objdump-19", "the disassembler's `program`")
	flag.StringVar(&t.mca, "mca", "llvm-mca-19", "the model's `program`")
	show := flag.String("show", "", "print both loops of one `kernel` instead of the table")
	flag.Parse()
	if err := t.run(os.Stdout, *show); err != nil {
		log.Fatal(err)
	}
}

// tools holds the paths of the programs that the command runs, and the path of
// their working directory.
type tools struct{ clang, objdump, mca, dir string }

func (t tools) run(w io.Writer, show string) error {
	dir, err := os.MkdirTemp("", "mca")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t.dir = dir
	if err := os.CopyFS(dir, source); err != nil {
		return err
	}

	ours, err := t.ourLoops()
	if err != nil {
		return err
	}
	theirs := make([]map[string]loop, len(cores))
	for i, core := range cores {
		if theirs[i], err = t.clangLoops(core); err != nil {
			return err
		}
	}
	if show != "" {
		if ours[show] == nil {
			return fmt.Errorf("%q is not a kernel: see the table for the names", show)
		}
		_, err := fmt.Fprintf(w, "# package kernels\n%v\n# clang, %s\n%v", ours[show], cores[0], theirs[0][show])
		return err
	}
	return t.table(w, ours, theirs)
}

// table writes one line for each kernel: the cycles that both loops take for a
// row on each core.
func (t tools) table(w io.Writer, ours map[string]loop, theirs []map[string]loop) error {
	var text strings.Builder
	fmt.Fprintf(&text, "A model, not measured: cycles a row, NEON here / clang -O3 = ratio\n\n%-22s", "")
	for _, core := range cores {
		fmt.Fprintf(&text, "%26s", core)
	}
	text.WriteByte('\n')
	for _, k := range list {
		fmt.Fprintf(&text, "%-22s", k.name)
		for i, core := range cores {
			a, err := t.countCycles(ours[k.name], k, core)
			if err != nil {
				return fmt.Errorf("%s of package kernels: %w", k.name, err)
			}
			if _, has := theirs[i][k.name]; !has {
				fmt.Fprintf(&text, "%10.3f /      - =    -", a)
				continue
			}
			b, err := t.countCycles(theirs[i][k.name], k, core)
			if err != nil {
				return fmt.Errorf("%s of clang: %w", k.name, err)
			}
			fmt.Fprintf(&text, "%10.3f / %6.3f = %4.2f", a, b, a/b)
		}
		text.WriteByte('\n')
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// ourLoops returns the loops of package kernels, keyed by name.
func (t tools) ourLoops() (map[string]loop, error) {
	binary := filepath.Join(t.dir, "kernels.test")
	build := exec.Command("go", "test", "-c", "-o", binary, library)
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	if _, err := output(build); err != nil {
		return nil, err
	}
	return t.cutLoops(binary, library+".", "NEON.abi0")
}

// clangLoops returns clang's loops for one core, keyed by name.
func (t tools) clangLoops(core string) (map[string]loop, error) {
	files, err := filepath.Glob(filepath.Join(t.dir, "source", "*.c"))
	if err != nil {
		return nil, err
	}
	all := map[string]loop{}
	for _, file := range files {
		for typ, bits := range map[string]string{"float": "32", "double": "64"} {
			object := file + "-" + typ + "-" + core + ".o"
			_, err := output(exec.Command(t.clang, "--target=aarch64-linux-gnu", "-mcpu="+core, "-O3", "-ffp-contract=off",
				"-ffreestanding", "-DT="+typ, "-DBITS="+bits, "-c", "-o", object, file))
			if err != nil {
				return nil, err
			}
			found, err := t.cutLoops(object, "", "")
			if err != nil {
				return nil, err
			}
			maps.Copy(all, found)
		}
	}
	return all, nil
}

// cutLoops disassembles a file and cuts the widest loop out of every kernel in it.
func (t tools) cutLoops(file, prefix, suffix string) (map[string]loop, error) {
	var symbols []string
	for _, k := range list {
		symbols = append(symbols, prefix+k.name+suffix)
	}
	text, err := output(exec.Command(t.objdump, "-d", "--no-show-raw-insn", "--disassemble-symbols="+strings.Join(symbols, ","), file))
	if err != nil {
		return nil, err
	}
	all := map[string]loop{}
	found := splitFunctions(text)
	for _, k := range list {
		if f := found[prefix+k.name+suffix]; f != nil {
			all[k.name] = f.widest(k.bytes)
		}
	}
	return all, nil
}

// countCycles runs llvm-mca and returns the cycles of one row.
func (t tools) countCycles(l loop, k kernel, core string) (float64, error) {
	if len(l) == 0 {
		return 0, errors.New("no such function, or no such loop in it")
	}
	cmd := exec.Command(t.mca, "-mtriple=aarch64", "-mcpu="+core)
	cmd.Stdin = strings.NewReader(l.String())
	report, err := output(cmd)
	if err != nil {
		return 0, err
	}
	var cycles float64
	_, figure, _ := strings.Cut(report, "Block RThroughput:")
	if _, err := fmt.Sscan(figure, &cycles); err != nil {
		return 0, fmt.Errorf("%s reports no throughput: %w", t.mca, err)
	}
	return cycles * float64(k.rowBytes) / float64(k.bytes(l)), nil
}

// output returns the standard output of a program. If the program fails, the error contains its standard error.
func output(cmd *exec.Cmd) (string, error) {
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("%s: %w\n%s", cmd.Args[0], err, exit.Stderr)
	}
	return string(out), err
}
