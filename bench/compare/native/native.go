// Package native builds a rival program in C or C++ and runs it as a process
// that answers questions. For each question, the process reads one line and
// writes one number.
package native

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// A Program is a rival program that runs. The zero value has no process.
type Program struct {
	in  io.WriteCloser
	out *bufio.Reader
	cmd *exec.Cmd
	dir string // of the source and the binary
}

// Start compiles a program and starts the binary. The source is the file main in the folder source of a file system.
// Start passes the flags and libraries to the compiler. For example:
//
//	native.Start(files, "near.c", "clang", []string{"-O3"}, "-lm")
//
// If the compiler fails, the error contains its output.
func Start(files fs.FS, main, compiler string, flags []string, libraries ...string) (*Program, error) {
	dir, err := os.MkdirTemp("", "native")
	if err != nil {
		return nil, err
	}
	p := &Program{dir: dir}
	if err := p.start(files, main, compiler, flags, libraries); err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

func (p *Program) start(files fs.FS, main, compiler string, flags, libraries []string) error {
	if err := os.CopyFS(p.dir, files); err != nil {
		return err
	}
	binary := filepath.Join(p.dir, "program")
	args := append([]string{}, flags...)
	args = append(append(args, "-o", binary, filepath.Join(p.dir, "source", main)), libraries...)
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", compiler, err, out)
	}
	cmd := exec.Command(binary)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	p.in, p.out, p.cmd = in, bufio.NewReader(out), cmd
	return nil
}

// Runs reports whether there is a process to ask.
func (p *Program) Runs() bool { return p.cmd != nil }

// Ask writes a line of words to the program and reads the answer into a number. The parameter answer is a pointer to
// that number.
func (p *Program) Ask(answer any, words ...any) error {
	fmt.Fprintln(p.in, words...) // if it fails, so does the read
	_, err := fmt.Fscan(p.out, answer)
	return err
}

// Stop closes the program's input, waits until it has ended, and removes its files.
func (p *Program) Stop() {
	if p.cmd != nil {
		p.in.Close()
		_ = p.cmd.Wait() // it ends when its input ends
	}
	if p.dir != "" {
		os.RemoveAll(p.dir)
	}
}
