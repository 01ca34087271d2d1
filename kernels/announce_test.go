package kernels

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
)

// These tests check two promises of checking builds, for every kernel of both tables: the kernel
// announces all its operands to the race detector, and the kernel refuses a destination that overlaps
// another operand.

// A subject is a kernel and the operands for a call of it. The kernel is from one of the two
// tables.
type subject struct {
	name     string
	dst, src []extent
	run      func(dst, src [][]byte)
}

// An extent is the memory of one operand.
type extent struct {
	bytes []byte
	used  func() []byte // the bytes that the kernel touches; nil for all
	free  bool          // may overlap a destination in any way
	whole bool          // one number for all rows, which is returned: the kernel has no memory for it
}

// subjects returns the kernels of one type with their operands. The operands have more than 64 rows,
// so that each mask has a second word.
func subjects[T Float]() (all []*subject) {
	const n = 65
	for _, k := range table[T]() {
		in := newInputs(&k, n, false, 6)
		s := &subject{name: k.name, run: func(dst, src [][]byte) {
			k.run(&args[T]{n: n, dst: dst, src: src, scalar: in.scalar})
		}}
		for _, b := range in.dst {
			s.dst = append(s.dst, extent{bytes: b})
		}
		for _, b := range in.src {
			s.src = append(s.src, extent{bytes: b})
		}
		if at := slices.Index(k.src, index); at >= 0 { // an index of the parents: only some rows are read
			s.src[0].free, s.src[0].used = true, func() []byte { return nil }
			clear(castLane[int32](s.src[at].bytes))
			if raceEnabled {
				s.src[0].used = func() []byte { return in.src[0][:rowBytes[T](k.src[0])] }
			}
		}
		all = append(all, s)
	}
	for _, k := range sliceTable[T]() {
		in := sliceInputs(&k, n, false, 6)
		s := &subject{name: k.name, run: func(dst, src [][]byte) {
			k.run(&args[T]{n: n, dst: dst, src: src, scalar: in.scalar})
		}}
		for i, b := range in.dst {
			s.dst = append(s.dst, extent{bytes: b, whole: k.dst[i] == resultKind || k.dst[i] == indexKind})
		}
		for _, b := range in.src {
			s.src = append(s.src, extent{bytes: b})
		}
		if k.name == "Compress" {
			s.dst[0].used = func() []byte {
				return in.dst[0][:rowBytes[T](1)*int(castLane[int64](in.dst[1])[0])]
			}
		}
		all = append(all, s)
	}
	return all
}

func eachSubject(t *testing.T, test func(t *testing.T, s *subject)) {
	for _, s := range subjects[float32]() {
		t.Run(s.name+"/type=f32", func(t *testing.T) { test(t, s) })
	}
	for _, s := range subjects[float64]() {
		t.Run(s.name+"/type=f64", func(t *testing.T) { test(t, s) })
	}
}

func memoryOf(list []extent) (all [][]byte) {
	for _, e := range list {
		all = append(all, e.bytes)
	}
	return all
}

// TestAnnounced checks the announcements of each kernel to the race detector: the kernel must read
// every byte of its sources, write every byte of its destinations, and touch no other byte. A
// missing byte would hide a data race in assembly.
func TestAnnounced(t *testing.T) {
	if !checked {
		t.Skip("race and guard builds announce")
	}
	eachSubject(t, testAnnounced)
}

func testAnnounced(t *testing.T, s *subject) {
	operands := slices.Concat(s.dst, s.src)
	told := make([][2][]byte, len(operands)) // the announced reads and writes, byte by byte
	for i, e := range operands {
		told[i] = [2][]byte{make([]byte, len(e.bytes)), make([]byte, len(e.bytes))}
	}
	constant := []span{spanOf("", zeros32), spanOf("", ones32), spanOf("", zeros64), spanOf("", ones64)}
	observe = func(got span, write bool) {
		if got.rows == 0 {
			return
		}
		within := func(memory span) bool { return memory.start() <= got.start() && got.end() <= memory.end() }
		for i, e := range operands {
			if memory := spanOf("", e.bytes); within(memory) {
				way := 0
				if write {
					way = 1
				}
				for at := got.start(); at < got.end(); at++ {
					told[i][way][at-memory.start()] = 1
				}
				return
			}
		}
		if write || !slices.ContainsFunc(constant, within) { // the constants replace operands that are nil
			t.Errorf("%d rows of %q, written %v, are no operand", got.rows, got.name, write)
		}
	}
	defer func() { observe = nil }()
	s.run(memoryOf(s.dst), memoryOf(s.src))

	for i, e := range operands {
		if e.whole {
			continue
		}
		var want [2][]byte
		used := e.bytes
		if e.used != nil {
			used = e.used()
		}
		way := 0
		if i < len(s.dst) {
			way = 1
		}
		want[way] = append(bytes.Repeat([]byte{1}, len(used)), make([]byte, len(e.bytes)-len(used))...)
		want[1-way] = make([]byte, len(e.bytes))
		for way, what := range []string{"read", "written"} {
			if !bytes.Equal(told[i][way], want[way]) {
				t.Errorf("operand %d of %d: %d bytes were announced as %s, want %d", i, len(operands), bytes.Count(told[i][way], []byte{1}), what, bytes.Count(want[way], []byte{1}))
			}
		}
	}
}

const overlapsFile = "testdata/overlaps.golden"

// TestEveryOverlap lets each destination of each kernel start eight bytes after the start of
// another operand, for every other operand. Checking builds must report each overlap, because a
// kernel that forgets the check would silently compute wrong rows. The messages about the first
// destination are compared with testdata; -lanewise.update rewrites the file.
func TestEveryOverlap(t *testing.T) {
	if !checked {
		t.Skip("overlaps are looked for in race and guard builds")
	}
	tried := 0
	var said []string
	eachSubject(t, func(t *testing.T, s *subject) {
		for d := range s.dst {
			for o := range len(s.dst) + len(s.src) {
				if o < len(s.dst) && o <= d {
					continue
				}
				tried++
				if got := testOverlap(t, s, d, o); d == 0 && got != "" && !slices.Contains(said, got) {
					said = append(said, got)
				}
			}
		}
	})
	t.Run("Compose beside nil", testOverlapBesideNil)
	if *update {
		if err := os.WriteFile(overlapsFile, []byte(strings.Join(said, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(overlapsFile)
	if err != nil {
		t.Fatal(err)
	}
	if golden := strings.Split(strings.TrimSuffix(string(want), "\n"), "\n"); !slices.Equal(said, golden) {
		for _, m := range said {
			if !slices.Contains(golden, m) {
				t.Errorf("not in %s: %s", overlapsFile, m)
			}
		}
		t.Errorf("%d messages, %s has %d", len(said), overlapsFile, len(golden))
	}
	if tried < 1000 {
		t.Errorf("%d overlaps tried", tried)
	}
}

// testOverlap places destination d into operand o and returns the kernel's message. Operands are
// numbered: the destinations come first, and the sources follow.
func testOverlap(t *testing.T, s *subject, d, o int) string {
	operands := slices.Concat(s.dst, s.src)
	if operands[d].whole || operands[o].whole {
		return ""
	}
	all := memoryOf(operands)
	for i := range all {
		all[i] = bytes.Clone(all[i])
	}
	both := make([]byte, 8+len(all[d])+len(all[o]))
	copy(both, all[o])
	all[o], all[d] = both[:len(all[o])], both[8:8+len(all[d])]
	got := panicOf(func() { s.run(all[:len(s.dst)], all[len(s.dst):]) })
	name, _, _ := strings.Cut(s.name, "/")
	if operands[o].free && got != "" || !operands[o].free && !(strings.HasPrefix(got, "kernels: "+name+": ") && strings.Contains(got, " overlap: ")) {
		t.Errorf("destination %d in operand %d of %d: panic %q", d, o, len(all), got)
	}
	return got
}

// testOverlapBesideNil places the second half of a position over the first matrices. If an operand is
// nil, each half alone overlaps nothing and must be accepted.
func testOverlapBesideNil(t *testing.T) {
	const n = 2 * constantRows
	memory := make([]byte, 4*constantRows+64*n)
	pos, unit := randomVecs[float32](n), randomQuats[float32](n)
	pos.X = castLane[float32](memory[:4*n])
	m := &Mat4s[float32]{castLane[[16]float32](memory[4*constantRows:])}
	m3 := randomMat3x4s[float32](n)
	m3.XX = castLane[float32](memory[4*constantRows:][:4*n])
	for name, compose := range map[string]func(){
		"Mat4s, no rotation":   func() { m.Compose(pos, nil, randomVecs[float32](n)) },
		"Mat4s, no scale":      func() { m.Compose(pos, unit, nil) },
		"Mat3x4s, no rotation": func() { m3.Compose(pos, nil, randomVecs[float32](n)) },
		"Mat3x4s, no scale":    func() { m3.Compose(pos, unit, nil) },
	} {
		said := func() (r any) {
			defer func() { r = recover() }()
			compose()
			return nil
		}()
		if said == nil {
			t.Errorf("%s: the overlap was not seen", name)
		}
	}
}
