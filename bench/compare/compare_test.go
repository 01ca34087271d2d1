package main

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"math/bits"
	"os/exec"
	"reflect"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// onLanes calls a column kernel by name on plain lanes. The lanes of the destination come first, as in
// columns.h. A lane with sixteen elements a row is a matrix.
func onLanes[T kernels.Float](name string, l [][]T) {
	vec := func(k int) *kernels.Vec3s[T] { return &kernels.Vec3s[T]{X: l[k], Y: l[k+1], Z: l[k+2]} }
	quat := func(k int) *kernels.Quats[T] {
		return &kernels.Quats[T]{X: l[k], Y: l[k+1], Z: l[k+2], W: l[k+3]}
	}
	boxes := func(k int) *kernels.Boxes[T] {
		return &kernels.Boxes[T]{X: l[k], Y: l[k+1], Z: l[k+2], HX: l[k+3], HY: l[k+4], HZ: l[k+5]}
	}
	var mats [3]kernels.Mat4s[T]
	load := func(k int) *kernels.Mat4s[T] {
		for i := 0; i < len(l[k]); i += 16 {
			mats[k].M = append(mats[k].M, [16]T(l[k][i:]))
		}
		return &mats[k]
	}
	store := func() {
		for i, m := range mats[0].M {
			copy(l[0][16*i:], m[:])
		}
	}
	switch s := T(1e-9); name {
	case "integrate":
		vec(0).AddScaled(vec(0), vec(3), s)
	case "mulQuats":
		quat(0).Mul(quat(4), quat(8))
	case "integrateQuats":
		quat(0).Integrate(quat(0), vec(4), s)
	case "normalizeQuats":
		quat(0).Normalize(quat(4))
	case "normalizeVec3s":
		vec(0).Normalize(vec(3))
	case "rotate":
		vec(0).Rotate(quat(3), vec(7))
	case "composeLanes":
		m := kernels.Mat3x4s[T]{
			XX: l[0], XY: l[1], XZ: l[2], YX: l[3], YY: l[4], YZ: l[5],
			ZX: l[6], ZY: l[7], ZZ: l[8], TX: l[9], TY: l[10], TZ: l[11],
		}
		m.Compose(vec(12), quat(15), vec(19))
	case "compose":
		load(0).Compose(vec(1), quat(4), vec(8))
		store()
	case "mulMat4s":
		load(0).MulAffine(load(1), load(2))
		store()
	case "mulFull":
		load(0).MulFull(load(1), load(2))
		store()
	case "boxesInPlanes":
		mask := make([]uint64, kernels.MaskLen(len(l[1])))
		boxes(1).InPlanes(mask, sixPlanes[T]())
		putBits(l[0], mask)
	case "boxesTransform":
		boxes(1).Transform(load(0), boxes(7))
	}
}

// putBits stores a mask in the memory of the first rows of a lane.
func putBits[T kernels.Float](lane []T, mask []uint64) {
	var b []byte
	for _, w := range mask {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	if err := binary.Read(bytes.NewReader(b), binary.LittleEndian, lane[:len(b)/int(reflect.TypeFor[T]().Size())]); err != nil {
		panic(err)
	}
}

// TestBits checks that the C code and the package give the same bits, whichever compiler translates the C code. Otherwise
// the two would not do the same work, and their times could not be compared.
func TestBits(t *testing.T) {
	for _, compiler := range []string{"clang", "gcc"} {
		t.Run(compiler, func(t *testing.T) {
			cc, err := exec.LookPath(compiler)
			if err != nil {
				t.Skipf("no %s here: install it, or there is no C to compare with", compiler)
			}
			testBits(t, cc)
		})
	}
}

func testBits(t *testing.T, cc string) {
	c, err := startC(cc)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Stop()
	for name, shape := range map[string]struct{ lanes, wide int }{
		"integrate": {6, 0}, "mulQuats": {12, 0}, "integrateQuats": {7, 0}, "normalizeQuats": {8, 0}, "normalizeVec3s": {6, 0},
		"rotate": {10, 0}, "composeLanes": {22, 0}, "compose": {11, 1}, "mulMat4s": {3, 3}, "mulFull": {3, 3},
		"boxesInPlanes": {7, 0}, "boxesTransform": {13, 1},
	} {
		for _, form := range listVariants() {
			sameHash[float32](t, c, name, form, 32, shape.lanes, shape.wide)
			sameHash[float64](t, c, name, form, 64, shape.lanes, shape.wide)
		}
	}
}

func sameHash[T kernels.Float](t *testing.T, c *program, name, form string, bits, lanes, wide int) {
	const n = 160
	var got uint64
	if err := c.Ask(&got, name, bits, form, n, 0); err != nil {
		t.Fatal(err)
	}
	if got == 0 {
		if form == "avx2" {
			t.Errorf("%s f%d: C has no intrinsics", name, bits)
		}
		return // this form does not exist
	}
	all := make([][]T, lanes)
	for k := range all {
		all[k] = lane[T](n)
		if k < wide {
			all[k] = lane[T](16 * n)
		}
		for i := range all[k] {
			all[k][i] = T(value(i + 977*k)) // the same values as in kernels.c
		}
	}
	onLanes(name, all)
	h := fnv.New64a()
	for _, l := range all {
		if err := binary.Write(h, binary.LittleEndian, l); err != nil {
			t.Fatal(err)
		}
	}
	if want := h.Sum64(); got != want {
		t.Errorf("%s f%d %s: hash is %x, want %x", name, bits, form, got, want)
	}
}

// TestWarm checks that a side is called once before the timed calls.
func TestWarm(t *testing.T) {
	called := 0
	if _, err := calls("", "", func() { called++ }).time(3); err != nil || called != 4 {
		t.Errorf("%d calls, %v; want 4", called, err)
	}
}

// TestPlanes checks that some of the timed boxes are inside all planes and some are not. The time of a loop that stops at
// the first plane depends on this mixture.
func TestPlanes(t *testing.T) {
	defer func(before int) { made = before }(made)
	made = 0
	const n = 2048
	b, one, two := boxes[float32](n), make([]uint64, n/64), make([]uint64, n/64)
	b.InPlanes(one, sixPlanes[float32]())
	plainInPlanes(b, two, sixPlanes[float32]())
	in := 0
	for i := range one {
		in += bits.OnesCount64(one[i])
		if one[i] != two[i] {
			t.Errorf("word %d is %x, of a plain loop %x", i, one[i], two[i])
		}
	}
	if in < n/4 || in > 3*n/4 {
		t.Errorf("%d of %d boxes are in the planes", in, n)
	}
}

// TestPlaces checks that lanes have the same addresses within a page as in kernels.c, and contain numbers other than zero.
// Memory that was never written would share a single page.
func TestPlaces(t *testing.T) {
	defer func(before int) { made = before }(made)
	made = 0
	for k := range 22 {
		for _, n := range []int{1, 160, 5000} {
			made = k
			x := lane[float64](n)
			if into := int(reflect.ValueOf(x).Pointer() % page); len(x) != n || into != k*stride || slices.Min(x) < 0.25 {
				t.Errorf("lane %d: %d rows from %d, %d bytes into a page; want %d", k, len(x), n, into, k*stride)
			}
		}
	}
}

// TestSleef times each function once on both sides.
func TestSleef(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler here")
	}
	p, err := startSleef(cc)
	if err != nil {
		t.Skip("SLEEF does not compile here: install libsleef-dev on amd64")
	}
	p.Stop()
	if err := kernels.Use("avx2"); err != nil {
		t.Skip("no AVX2 here")
	}
	var out bytes.Buffer
	if err := besideSleef(&out, func(string) bool { return true }, 1, cc); err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(out.Bytes(), []byte("\n")); lines != len(rivals)+len(alone)+2 {
		t.Errorf("%d lines for %d functions:\n%s", lines, len(rivals)+len(alone), &out)
	}
}
