package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/lanewise/lanewise/kernels"
)

// A rounded holds a correctly rounded function of package kernels, and the fast function that computes the same.
type rounded struct {
	name         string // of the fast function, which is its name in the checker too
	right, fast  func(dst, x []float32)
	two, fastTwo func(dst, x, y []float32)                    // of two arguments: the others are nil
	domain       domain                                       // of two arguments
	near         func(r *rand.Rand, x, y []float32, b uint64) // fills block b of the constructed pairs
}

// blocks returns the number of blocks and of arguments. A function of two arguments is checked at random pairs. Every fourth
// block has constructed pairs, many of whose exact results are close to a midpoint. All blocks of such a function are full, so
// that a longer run can continue a shorter run.
func (f *rounded) blocks(r *run) (blocks, total uint64) {
	if f.two != nil {
		blocks = (uint64(r.samples) + block - 1) / block
		return blocks, blocks * block
	}
	half := (1<<31 + r.stride - 1) / r.stride
	return 2 * ((half + block - 1) / block), 2 * half
}

// key returns the name of the state of a run. Runs over different numbers of pairs share one state.
func (f *rounded) key(build, path string, total uint64, checked bool) string {
	size := fmt.Sprint(total)
	if f.two != nil {
		size = "pairs"
	}
	return fmt.Sprintf("%s/%sRounded/%s/%s/%v", build, f.name, path, size, checked)
}

var roundeds = []rounded{
	{name: "Exp", right: kernels.ExpRounded, fast: kernels.Exp[float32]},
	{name: "Exp2", right: kernels.Exp2Rounded, fast: kernels.Exp2[float32]},
	{name: "Expm1", right: kernels.Expm1Rounded, fast: kernels.Expm1[float32]},
	{name: "Log", right: kernels.LogRounded, fast: kernels.Log[float32]},
	{name: "Log1p", right: kernels.Log1pRounded, fast: kernels.Log1p[float32]},
	{name: "Log2", right: kernels.Log2Rounded, fast: kernels.Log2[float32]},
	{name: "Log10", right: kernels.Log10Rounded, fast: kernels.Log10[float32]},
	{name: "Rsqrt", right: kernels.RsqrtRounded, fast: kernels.Rsqrt[float32]},
	{name: "Sin", right: kernels.SinRounded, fast: kernels.Sin[float32]},
	{name: "Cos", right: kernels.CosRounded, fast: kernels.Cos[float32]},
	{name: "Tan", right: kernels.TanRounded, fast: kernels.Tan[float32]},
	{name: "Asin", right: kernels.AsinRounded, fast: kernels.Asin[float32]},
	{name: "Acos", right: kernels.AcosRounded, fast: kernels.Acos[float32]},
	{name: "Atan", right: kernels.AtanRounded, fast: kernels.Atan[float32]},
	{name: "Sinh", right: kernels.SinhRounded, fast: kernels.Sinh[float32]},
	{name: "Cosh", right: kernels.CoshRounded, fast: kernels.Cosh[float32]},
	{name: "Tanh", right: kernels.TanhRounded, fast: kernels.Tanh[float32]},
	{name: "Cbrt", right: kernels.CbrtRounded, fast: kernels.Cbrt[float32]},
	{name: "Erf", right: kernels.ErfRounded, fast: kernels.Erf[float32]},
	{name: "Erfc", right: kernels.ErfcRounded, fast: kernels.Erfc[float32]},
	{name: "Hypot", two: kernels.HypotRounded, fastTwo: kernels.Hypot[float32], domain: domain{-4, 4, -4, 4}, near: hypotNear},
	{name: "Atan2", two: kernels.Atan2Rounded, fastTwo: kernels.Atan2[float32], domain: domain{-4, 4, -4, 4}, near: atan2Near},
	{name: "Pow", two: kernels.PowRounded, fastTwo: kernels.Pow[float32], domain: domain{0, 8, -64, 64}, near: powNear},
}

// A roundedState is the state of the comparison of one function on one path.
type roundedState struct {
	Checked   bool     // whether the checker compares the results with MPFR
	Undecided uint64   // number of results that MPFR decided
	Wrong     uint64   // number of wrong ones
	List      []string `json:",omitempty"` // the first wrong ones: argument, 0 and right result, as bits
	Fast      uint64   // number of results of the fast function that differ; of one argument, in about each 16th pair of blocks; of two, for random pairs
	Compared  uint64   // number of results in these blocks
	Hash      uint64   // of all results
}

// compareRounded compares the correctly rounded functions with the checker on the fastest path. On the other paths whose
// names match the expression of the flag, it compares only a hash of all results.
func (r *run) compareRounded(w io.Writer, others *regexp.Regexp) (err error) {
	names := kernels.Paths()
	slices.Reverse(names)
	first := map[string]uint64{} // hashes of the fastest path
	for i, path := range names {
		if i > 0 && !others.MatchString(path) {
			continue
		}
		if err := kernels.Use(path); err != nil {
			return err
		}
		var wait sync.WaitGroup
		turn := make(chan struct{}, r.at)
		for _, f := range roundeds {
			if !r.only.MatchString(f.name + "Rounded/f32") {
				continue
			}
			if _, ok := first[f.name]; i > 0 && !ok {
				continue // the fastest path has failed, so there is nothing to compare with
			}
			turn <- struct{}{}
			wait.Go(func() {
				defer func() { <-turn }()
				p, failed := r.oneRounded(&f, path, i == 0)
				r.mu.Lock()
				defer r.mu.Unlock()
				if i == 0 && failed == nil {
					first[f.name] = p.Hash
				}
				if failed == nil {
					failed = p.report(w, &f, path, first[f.name], r)
				}
				if failed != nil {
					err = errors.Join(err, fmt.Errorf("%sRounded on path %s: %w", f.name, path, failed))
				}
			})
		}
		wait.Wait()
	}
	return err
}

// report prints the result of one function on one path. It returns an error if a result is wrong.
func (p *roundedState) report(w io.Writer, f *rounded, path string, first uint64, r *run) error {
	_, total := f.blocks(r)
	unit := "arguments"
	if f.two != nil {
		unit = "pairs"
	}
	fmt.Fprintf(w, "%-12s %-7s %d %s, hash %016x", f.name+"Rounded", path, total, unit, p.Hash)
	if p.Checked {
		fmt.Fprintf(w, ": %d wrong, %d decided by MPFR; of %s %.4f %% are wrong", p.Wrong, p.Undecided, f.name, 100*float64(p.Fast)/float64(p.Compared))
	}
	fmt.Fprintln(w)
	for _, s := range p.List {
		fmt.Fprintf(w, "\t%s\n", s)
	}
	if p.Wrong > 0 {
		return fmt.Errorf("%d results are wrong", p.Wrong)
	}
	if p.Hash != first {
		return errors.New("the results differ from those of the fastest path")
	}
	return nil
}

// oneRounded computes all results of one function on one path. If checked is true, the checker decides which of these
// results are wrong.
func (r *run) oneRounded(f *rounded, path string, checked bool) (*roundedState, error) {
	blocks, total := f.blocks(r)
	key := f.key(r.build, path, total, checked)
	r.mu.Lock()
	if r.done[key] == nil || r.done[key].Blocks > blocks { // a run over fewer pairs starts again
		r.done[key] = &progress{Rounded: &roundedState{Checked: checked}}
	}
	all := r.done[key]
	p := all.Rounded
	r.mu.Unlock()
	if all.Blocks >= blocks {
		return p, nil
	}
	var in io.WriteCloser
	answers := bufio.NewScanner(strings.NewReader(""))
	if checked {
		cmd, stdin, out, err := r.startRounded(f, all.Blocks)
		if err != nil {
			return nil, err
		}
		in = stdin
		defer func() {
			in.Close()     // if there was an error
			_ = cmd.Wait() // the number of answers says whether it worked
		}()
		answers = bufio.NewScanner(out)
	}
	parts := make(chan roundedPart, 2)
	go func(b, hash uint64) {
		defer close(parts)
		w := roundedWork{f: f, stride: r.stride, x: make([]float32, block), dst: make([]float32, block), text: make([]byte, 4*block), checker: in}
		for ; b < blocks; b++ {
			var part roundedPart
			if f.two != nil {
				part = w.partOfTwo(b, min(block, total-b*block), hash)
			} else {
				part = w.part(b, min(block, total/2-b/2*block), hash)
			}
			hash = part.hash
			parts <- part
		}
		if in != nil {
			in.Close() // the checker reads whole blocks, and the last one may be shorter
		}
	}(all.Blocks, p.Hash)
	for part := range parts {
		if part.err != nil {
			return nil, part.err
		}
		if checked && !answers.Scan() {
			return nil, errors.New("the checker ended")
		}
		r.mu.Lock()
		all.Blocks++
		p.Hash = part.hash
		p.Fast += part.fast
		p.Compared += part.compared
		err := p.add(answers.Text())
		r.mu.Unlock()
		if err == nil && all.Blocks%256 == 0 {
			err = r.save()
		}
		if err != nil {
			return nil, err
		}
	}
	return p, r.save()
}

// startRounded starts the checker for a function. The parameter first is the number of blocks that were checked before.
func (r *run) startRounded(f *rounded, first uint64) (*exec.Cmd, io.WriteCloser, io.Reader, error) {
	cmd := exec.Command(r.checker, f.name, "32", "1", fmt.Sprint(r.stride), fmt.Sprint(first), "rounded")
	if f.two != nil {
		cmd = exec.Command(r.checker, f.name, "32", "2", "rounded")
	}
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, nil, err
	}
	return cmd, in, out, cmd.Start()
}

// add adds an answer of the checker to the state. The answer consists of two counts and the first wrong arguments.
func (p *roundedState) add(answer string) error {
	if !p.Checked {
		return nil
	}
	var undecided, wrong uint64
	if _, err := fmt.Sscan(answer, &undecided, &wrong); err != nil {
		return fmt.Errorf("%s: %w", answer, err)
	}
	p.Undecided += undecided
	p.Wrong += wrong
	if len(p.List) < 1000 {
		p.List = append(p.List, strings.Fields(answer)[2:]...)
	}
	return nil
}

// A roundedPart is the contribution of one block to the state.
type roundedPart struct {
	hash           uint64
	fast, compared uint64 // different results of the fast function, and how many were compared
	err            error
}

// A roundedWork computes blocks of one function.
type roundedWork struct {
	f       *rounded
	stride  uint64
	x, dst  []float32
	text    []byte
	checker io.Writer // nil if none
}

// part computes block b of n arguments, and sends the results to the checker.
func (w *roundedWork) part(b, n, hash uint64) roundedPart {
	x, dst := w.x[:n], w.dst[:n]
	sign, at := uint32(b&1)<<31, uint32(b/2*block*w.stride)
	for i := range x {
		x[i] = math.Float32frombits((at + uint32(i)*uint32(w.stride)) | sign)
	}
	w.f.right(dst, x)
	part := roundedPart{hash: hashOf(hash, dst)}
	if w.checker == nil {
		return part
	}
	for i, v := range dst {
		binary.LittleEndian.PutUint32(w.text[4*i:4*i+4], math.Float32bits(v))
	}
	if _, part.err = w.checker.Write(w.text[:4*n]); b/2*0x9e3779b97f4a7c15>>60 == 0 {
		w.f.fast(x, x)
		part.fast, part.compared = countDifferent(x, dst), n
	}
	return part
}

// partOfTwo does the work of part for a function of two arguments.
func (w *roundedWork) partOfTwo(b, n, hash uint64) roundedPart {
	x, y, dst := w.x[:n], make([]float32, n), w.dst[:n]
	d := w.f.domain
	fillArguments(x, b, 1, d.lo, d.hi)
	fillArguments(y, b, 2, d.lo2, d.hi2)
	if b < 16 {
		fillPairs(w.f.name, x, y, int(b))
	}
	if b%4 == 3 {
		w.f.near(rand.New(rand.NewPCG(b, 3)), x, y, b/4)
	}
	w.f.two(dst, x, y)
	part := roundedPart{hash: hashOf(hash, dst)}
	if w.checker == nil {
		return part
	}
	if _, part.err = w.checker.Write(interleave(x, y, dst)); b%4 != 3 {
		w.f.fastTwo(x, x, y)
		part.fast, part.compared = countDifferent(x, dst), n
	}
	return part
}

// countDifferent returns how many numbers differ. All NaNs are equal.
func countDifferent(x, y []float32) (n uint64) {
	for i, v := range y {
		if math.Float32bits(x[i]) != math.Float32bits(v) && (x[i] == x[i] || v == v) {
			n++
		}
	}
	return n
}

// hashOf adds numbers to a hash. All NaNs are equal. It adds eight rows at a time, because a chain with one product for
// each row would take more time than most functions.
func hashOf(h uint64, x []float32) uint64 {
	word := func(x float32) uint64 {
		if x != x {
			return 0x7fc00000
		}
		return uint64(math.Float32bits(x))
	}
	for ; len(x) >= 8; x = x[8:] {
		a := (word(x[0])<<32 | word(x[1])) * 0x9e3779b97f4a7c15
		b := (word(x[2])<<32 | word(x[3])) * 0xc2b2ae3d27d4eb4f
		c := (word(x[4])<<32 | word(x[5])) * 0x165667b19e3779f9
		d := (word(x[6])<<32 | word(x[7])) * 0xd6e8feb86659fd93
		h ^= a ^ b<<13 ^ b>>51 ^ c<<27 ^ c>>37 ^ d<<41 ^ d>>23
		h = (h<<29 | h>>35) * 0x9e3779b97f4a7c15
	}
	for _, v := range x {
		h ^= word(v)
		h = (h<<29 | h>>35) * 0x9e3779b97f4a7c15
	}
	return h
}
