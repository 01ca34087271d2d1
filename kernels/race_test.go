package kernels

import (
	"bytes"
	"os"
	"os/exec"
	"sync"
	"testing"
)

// TestRace starts the test program again with data races that the race detector must report. The
// detector does not see into assembly, so it depends on the announcements of the kernels.
func TestRace(t *testing.T) {
	if !raceEnabled {
		t.Skip("needs the race detector")
	}
	for _, c := range []struct {
		name   string
		race   bool
		first  func(p *shared)
		second func(p *shared)
	}{
		{"write and write", true,
			func(p *shared) { Fill(p.a, 1) },
			func(p *shared) { Fill(p.a[7:9], 1) }},
		{"write and read", true,
			func(p *shared) { p.v.AddScaled(&p.v, &p.w, 1) },
			func(p *shared) { p.w.Rotate(&p.q, &p.v) }},
		{"read and read", false,
			func(p *shared) { AddScaled(p.a, p.a, p.w.X, 1) },
			func(p *shared) { AddScaled(p.b, p.b, p.w.X, 1) }},
		{"other rows", false,
			func(p *shared) { Fill(p.a[:8], 1) },
			func(p *shared) { Fill(p.a[8:], 1) }},
		{"a parent being written", true,
			func(p *shared) { p.upper.MulAffine(&p.upper, &p.local) },
			func(p *shared) { p.lower.MulAffineByParent(&p.world, []int32{0, 3, 0, 3}, &p.local) }},
		{"other parents being written", false,
			func(p *shared) { p.upper.MulAffine(&p.upper, &p.local) },
			func(p *shared) { p.lower.MulAffineByParent(&p.world, []int32{8, 8, 9, 9}, &p.local) }},
		{"write and sum", true, fillA, func(p *shared) { p.result = Sum(p.a) }},
		{"write and product", true, fillA, func(p *shared) { p.result = Dot(p.b, p.a) }},
		{"write and minimum", true, fillA, func(p *shared) { p.result = Min(p.a) }},
		{"write and index", true, fillA, func(p *shared) { p.result = float32(ArgMin(p.a)) }},
		{"write and comparison", true, fillA, func(p *shared) { Less(p.mask, p.b, p.a) }},
		{"write and slerp", true, fillA, func(p *shared) { p.q.Slerp(&p.r, &Quats[float32]{p.b, p.b, p.b, p.a}, 0.3) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			if os.Getenv("LANEWISE_TEST_RACE") == t.Name() {
				p := newShared()
				var wg sync.WaitGroup
				wg.Go(func() { c.first(p) })
				wg.Go(func() { c.second(p) })
				wg.Wait()
				return
			}
			cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
			cmd.Env = append(os.Environ(), "LANEWISE_TEST_RACE="+t.Name(), "GORACE=halt_on_error=1")
			out, err := cmd.CombinedOutput()
			if reported := bytes.Contains(out, []byte("DATA RACE")); reported != c.race || (err != nil) != c.race {
				t.Errorf("a race was reported: %v, want %v (%v)\n%s", reported, c.race, err, out)
			}
		})
	}
}

// shared is memory that two goroutines work on.
type shared struct {
	a, b                       []float32
	mask                       []uint64
	result                     float32
	v, w                       Vec3s[float32]
	q, r                       Quats[float32]
	world, upper, lower, local Mat4s[float32]
}

func fillA(p *shared) { Fill(p.a[5:7], 1) }

func newShared() *shared {
	p := &shared{a: randomLane[float32](16), b: randomLane[float32](16), mask: make([]uint64, 1)}
	p.v, p.w, p.q, p.r = *randomVecs[float32](16), *randomVecs[float32](16), *randomQuats[float32](16), *randomQuats[float32](16)
	p.world, p.local = *randomMats[float32](12), *randomMats[float32](4)
	p.upper, p.lower = p.world.Slice(0, 4), p.world.Slice(4, 8)
	return p
}
