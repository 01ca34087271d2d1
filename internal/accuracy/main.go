// Command accuracy compares the functions of package kernels with MPFR. It
// needs MPFR and a C compiler: on Debian libmpfr-dev and cc.
//
// A function of one float32 is tried at all of its 2³² arguments, or at every
// stride-th argument. The other functions are tried at hard arguments and at
// random arguments. Half of the random arguments have random bits; the other
// half are in the range where the function has finite values. The command
// prints a line for each finished function, and keeps its state in a file, so
// that it can be interrupted and continued. If the program has changed, it
// starts again, because the state holds results of another build.
//
//	go run ./internal/accuracy
//	go run ./internal/accuracy -only 'Exp/f32' -stride 1 -state ''
//
// With -rounded, the command checks the correctly rounded functions instead. Nearly
// all results are checked with the C library's float64 functions, whose errors are
// known to be small. Only the results that are closest to a midpoint between two
// float32 are checked with MPFR. The results on the other paths are compared with
// the results on the fastest path by a hash.
//
//	go run ./internal/accuracy -rounded -paths 'avx2|generic'
package main

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
)

//go:embed source/mpfr.c
var source []byte

func main() {
	log.SetFlags(0)
	log.SetPrefix("accuracy: ")
	var r run
	only := flag.String("only", "", "the functions, as in Exp/f32, that match this `expression`")
	flag.Uint64Var(&r.stride, "stride", 1, "the distance of float32 arguments, by their bits")
	flag.IntVar(&r.at, "at", 2, "how many functions at a time")
	flag.IntVar(&r.samples, "n", 10_000_000, "how many random arguments")
	flag.StringVar(&r.state, "state", filepath.Join(os.TempDir(), "lanewise-accuracy.json"), "the `file` with what is done; none if empty")
	rounded := flag.Bool("rounded", false, "check the correctly rounded functions, as in ExpRounded/f32, instead of the others")
	others := flag.String("paths", "^$", "with -rounded: the paths that match this `expression`, in addition to the fastest")
	flag.Parse()
	r.only = regexp.MustCompile(*only)
	compare := r.compareAll
	if *rounded {
		compare = func(w io.Writer) error { return r.compareRounded(w, regexp.MustCompile(*others)) }
	}
	err := r.start()
	if err == nil {
		err = compare(os.Stdout)
	}
	if r.checker != "" {
		os.RemoveAll(filepath.Dir(r.checker))
	}
	if err != nil {
		log.Fatal(err)
	}
}

// A run holds the settings of the program.
type run struct {
	only    *regexp.Regexp
	stride  uint64
	samples int
	at      int
	state   string
	build   string // hash of this program: its kernels and its checker
	checker string
	mu      sync.Mutex
	done    map[string]*progress // by build, function and size
}

// A progress holds the state of the comparison of one function, which the state file stores.
type progress struct {
	Blocks  uint64 // number of blocks that were compared
	Worst   worst
	Rounded *roundedState `json:",omitempty"` // of a correctly rounded function
}

// A worst holds the largest error, and the argument at which it occurs.
type worst struct {
	ULP       float64
	X, Y, Got string
}

// start compiles the checker and reads the state file.
func (r *run) start() error {
	dir, err := os.MkdirTemp("", "accuracy")
	if err != nil {
		return err
	}
	r.checker = filepath.Join(dir, "mpfr")
	if err := os.WriteFile(r.checker+".c", source, 0o644); err != nil {
		return err
	}
	if err := r.compile(); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	r.build = fmt.Sprintf("%x", sha256.Sum256(text))
	return r.load()
}

// load reads the state file. It drops the states of other builds, because their kernels may have other results.
func (r *run) load() error {
	r.done = map[string]*progress{}
	text, err := os.ReadFile(r.state)
	if err != nil {
		return nil // there is no state yet
	}
	if err := json.Unmarshal(text, &r.done); err != nil {
		return fmt.Errorf("%s: %w", r.state, err)
	}
	maps.DeleteFunc(r.done, func(key string, _ *progress) bool { return !strings.HasPrefix(key, r.build+"/") })
	return nil
}

// compareAll compares all functions, except the correctly rounded functions.
func (r *run) compareAll(w io.Writer) (err error) {
	var wait sync.WaitGroup
	turn := make(chan struct{}, r.at)
	bad := 0
	for _, f := range append(list[float32]("f32"), list[float64]("f64")...) {
		if !r.only.MatchString(f.name + "/" + f.element) {
			continue
		}
		turn <- struct{}{}
		wait.Go(func() {
			defer func() { <-turn }()
			p, n, failed := r.compareOne(&f)
			r.mu.Lock()
			defer r.mu.Unlock()
			if failed != nil {
				err = errors.Join(err, fmt.Errorf("%s/%s: %w", f.name, f.element, failed))
				return
			}
			verdict := ""
			if p.Worst.ULP > f.limit {
				verdict = fmt.Sprintf(" MORE THAN %v", f.limit)
				bad++
			}
			fmt.Fprintf(w, "%-8s %s %11d arguments: %.6f ulp at %s %s: %s%s\n", f.name, f.element, n, p.Worst.ULP, p.Worst.X, p.Worst.Y, p.Worst.Got, verdict)
		})
	}
	wait.Wait()
	if err == nil && bad > 0 {
		err = fmt.Errorf("%d functions are not as exact as they should be", bad)
	}
	return err
}

// compile compiles the checker. On amd64, it uses glibc's vector functions if they are
// available.
func (r *run) compile() error {
	if runtime.GOARCH == "amd64" && exec.Command("cc", "-O3", "-mavx2", "-DFOUR", "-o", r.checker, r.checker+".c", "-lmpfr", "-lmvec", "-lm").Run() == nil {
		return nil
	}
	if out, err := exec.Command("cc", "-O2", "-o", r.checker, r.checker+".c", "-lmpfr", "-lm").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// compareOne compares one function block by block. It returns the progress and the number of arguments.
func (r *run) compareOne(f *function) (*progress, uint64, error) {
	blocks, total := f.blocks(r.samples, r.stride)
	key := fmt.Sprintf("%s/%s/%s/%d", r.build, f.name, f.element, total)
	r.mu.Lock()
	p := r.done[key]
	if p == nil {
		p = &progress{}
		r.done[key] = p
	}
	r.mu.Unlock()
	if p.Blocks >= blocks {
		return p, total, nil
	}
	cmd := exec.Command(r.checker, f.name, f.element[1:], fmt.Sprint(f.arity))
	if f.all {
		cmd.Args = append(cmd.Args, fmt.Sprint(r.stride), fmt.Sprint(p.Blocks))
	}
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
	if err := r.compareBlocks(f, p, in, out); err != nil {
		return nil, 0, err
	}
	if err := cmd.Wait(); err != nil {
		return nil, 0, err
	}
	return p, total, r.save()
}

// compareBlocks makes the checker compare the remaining blocks of a function. It sends
// each block before it reads the answer to the previous block, so that both
// processes work at the same time. An answer contains the largest error so far,
// which compareBlocks combines with the largest error of earlier runs.
func (r *run) compareBlocks(f *function, p *progress, in io.WriteCloser, out io.Reader) error {
	blocks, total := f.blocks(r.samples, r.stride)
	failed := make(chan error, 1)
	go func(b uint64) {
		defer in.Close()
		for ; b < blocks; b++ {
			if _, err := in.Write(f.rows(b, f.size(b, total), r.stride)); err != nil {
				failed <- err
				return
			}
		}
	}(p.Blocks)
	answers := bufio.NewScanner(out)
	before := p.Worst
	for p.Blocks < blocks {
		if !answers.Scan() {
			select {
			case err := <-failed:
				return err
			default:
				return errors.New("the checker ended")
			}
		}
		var now worst
		if _, err := fmt.Sscan(answers.Text(), &now.ULP, &now.X, &now.Y, &now.Got); err != nil {
			return fmt.Errorf("%s: %w", answers.Text(), err)
		}
		r.mu.Lock()
		p.Blocks++
		if p.Worst = before; now.ULP > before.ULP {
			p.Worst = now
		}
		r.mu.Unlock()
		if p.Blocks%1024 == 0 {
			if err := r.save(); err != nil {
				return err
			}
		}
	}
	return nil
}

// save writes the state to another file and then renames this file, so that the state
// file is complete even if the program is killed.
func (r *run) save() error {
	if r.state == "" {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	text, err := json.MarshalIndent(r.done, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.state+".new", text, 0o644); err != nil {
		return err
	}
	return os.Rename(r.state+".new", r.state)
}
