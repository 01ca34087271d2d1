package main

import (
	"bufio"
	"embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed source
var source embed.FS

// A program is source/kernels.c, running and waiting for orders. The zero value knows no
// kernels.
type program struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	dir string
}

// forms are those of kernels.c that this CPU can run, with their column.
func forms() []string {
	all := []string{"avx2", "auto2", "any2", "loop2"}
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil && strings.Contains(string(info), " avx512dq ") {
		all = append(all, "avx512", "auto512", "any512")
	}
	return all
}

// startC compiles kernels.c and starts it.
func startC(cc string) (*program, error) {
	dir, err := os.MkdirTemp("", "compare")
	if err != nil {
		return nil, err
	}
	p := &program{dir: dir}
	main, binary := filepath.Join(dir, "source", "kernels.c"), filepath.Join(dir, "kernels")
	if err := os.CopyFS(dir, source); err != nil {
		p.stop()
		return nil, err
	}
	if out, err := exec.Command(cc, "-O3", "-ffp-contract=off", "-fno-math-errno", "-mprefer-vector-width=512", "-o", binary, main).CombinedOutput(); err != nil {
		p.stop()
		return nil, fmt.Errorf("%s: %w\n%s", cc, err, out)
	}
	p.cmd = exec.Command(binary)
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	return p, p.cmd.Start()
}

// stop ends the program and removes it.
func (p *program) stop() {
	if p.in != nil {
		p.in.Close()
		_ = p.cmd.Wait() // it was told to stop
	}
	os.RemoveAll(p.dir)
}

// call measures a form of a kernel; it is negative if there is none.
func (p *program) call(name string, bits int, form string, n, times int) (ns float64, err error) {
	fmt.Fprintln(p.in, name, bits, form, n, times)
	_, err = fmt.Fscan(p.out, &ns)
	return ns, err
}

// sides returns the forms that there are of a kernel.
func (p *program) sides(name string, bits, n int) []side {
	var sides []side
	if p.in == nil {
		return nil
	}
	for _, form := range forms() {
		if ns, err := p.call(name, bits, form, n, 1); err == nil && ns >= 0 {
			sides = append(sides, side{"C " + form, func(times int) (float64, error) {
				return p.call(name, bits, form, n, times)
			}})
		}
	}
	return slices.Clip(sides)
}
