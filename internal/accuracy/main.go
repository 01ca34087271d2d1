// Command accuracy compares the functions of package kernels with MPFR, which it
// needs with a C compiler: on Debian libmpfr-dev and cc.
//
// A function of one float32 is tried at all of its 2³² arguments, or each stride-th
// one of them, beginning with the first; others at random ones, half of them bits of
// all kinds and half from where the function has its values. It prints a line for
// each function when it is through, and keeps what it has done in a file, so that it
// goes on where it was stopped.
//
//	go run ./internal/accuracy
//	go run ./internal/accuracy -only 'Exp/f32' -stride 1 -state ''
package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

//go:embed source/mpfr.c
var source []byte

func main() {
	log.SetFlags(0)
	log.SetPrefix("accuracy: ")
	var r run
	only := flag.String("only", "", "the functions, as in Exp/f32, that match this `expression`")
	flag.Uint64Var(&r.stride, "stride", 1, "the distance of float32 arguments, by their bits")
	flag.IntVar(&r.samples, "n", 10_000_000, "how many random arguments")
	flag.StringVar(&r.state, "state", filepath.Join(os.TempDir(), "lanewise-accuracy.json"), "the `file` with what is done; none if empty")
	flag.Parse()
	r.only = regexp.MustCompile(*only)
	if err := r.all(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// A run is what the program was asked for.
type run struct {
	only    *regexp.Regexp
	stride  uint64
	samples int
	state   string
	checker string
	done    map[string]*progress // by function and size
}

// A progress is how far one function is.
type progress struct {
	Blocks uint64 // of arguments that were compared
	Worst  worst
}

// A worst is the largest distance, and where it was found.
type worst struct {
	ULP       float64
	X, Y, Got string
}

func (r *run) all(w io.Writer) error {
	dir, err := os.MkdirTemp("", "accuracy")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r.checker = filepath.Join(dir, "mpfr")
	if err := os.WriteFile(r.checker+".c", source, 0o644); err != nil {
		return err
	}
	if out, err := exec.Command("cc", "-O2", "-o", r.checker, r.checker+".c", "-lmpfr", "-lm").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	r.done = map[string]*progress{}
	if text, err := os.ReadFile(r.state); err == nil {
		if err := json.Unmarshal(text, &r.done); err != nil {
			return fmt.Errorf("%s: %w", r.state, err)
		}
	}
	bad := 0
	for _, f := range append(list[float32]("f32"), list[float64]("f64")...) {
		if !r.only.MatchString(f.name + "/" + f.element) {
			continue
		}
		p, n, err := r.one(&f)
		if err != nil {
			return fmt.Errorf("%s/%s: %w", f.name, f.element, err)
		}
		verdict := ""
		if p.Worst.ULP > f.limit {
			verdict = fmt.Sprintf(" MORE THAN %v", f.limit)
			bad++
		}
		fmt.Fprintf(w, "%-8s %s %11d arguments: %.4f ulp at %s %s: %s%s\n", f.name, f.element, n, p.Worst.ULP, p.Worst.X, p.Worst.Y, p.Worst.Got, verdict)
	}
	if bad > 0 {
		return fmt.Errorf("%d functions are not as exact as they should be", bad)
	}
	return nil
}

// one compares one function block by block. It returns how many arguments that were.
func (r *run) one(f *function) (*progress, uint64, error) {
	total := uint64(r.samples)
	if f.all {
		total = (1<<32 + r.stride - 1) / r.stride
	}
	key := fmt.Sprintf("%s/%s/%d", f.name, f.element, total)
	p := r.done[key]
	if p == nil {
		p = &progress{}
		r.done[key] = p
	}
	if p.Blocks*block >= total {
		return p, total, nil
	}
	cmd := exec.Command(r.checker, f.name, f.element[1:], fmt.Sprint(f.arity))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	if err := r.blocks(f, p, total, in, out); err != nil {
		return nil, 0, err
	}
	if err := cmd.Wait(); err != nil {
		return nil, 0, err
	}
	if r.state != "" {
		if err := r.save(); err != nil {
			return nil, 0, err
		}
	}
	return p, total, nil
}

// blocks has the checker compare what is left of so many arguments. What it answers is the worst of all that it was
// given, to which the worst of earlier runs is joined.
func (r *run) blocks(f *function, p *progress, total uint64, in io.WriteCloser, out io.Reader) error {
	answers := bufio.NewScanner(out)
	before := p.Worst
	for ; p.Blocks*block < total; p.Blocks++ {
		if _, err := in.Write(f.rows(p.Blocks, min(block, total-p.Blocks*block), r.stride)); err != nil {
			return err
		}
		if p.Blocks*block+block >= total {
			if err := in.Close(); err != nil {
				return err
			}
		}
		if !answers.Scan() {
			return errors.New("the checker ended")
		}
		var now worst
		if _, err := fmt.Sscan(answers.Text(), &now.ULP, &now.X, &now.Y, &now.Got); err != nil {
			return fmt.Errorf("%s: %w", answers.Text(), err)
		}
		if p.Worst = before; now.ULP > before.ULP {
			p.Worst = now
		}
		if r.state != "" && p.Blocks%16 == 15 {
			if err := r.save(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *run) save() error {
	text, err := json.MarshalIndent(r.done, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(r.state, text, 0o644)
}
