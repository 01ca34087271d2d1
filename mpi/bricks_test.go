package mpi

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/near"
)

// TestBricks divides random spaces among random ranks, with cuts anywhere. It checks which rank
// owns each point and which ranks see it.
func TestBricks(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for k := range 400 {
		s := near.Space[float32]{Dims: 2 + r.IntN(2), Low: near.Point[float32]{X: -3}, Cell: 0.5 + r.Float32(), Border: near.Border(r.IntN(2))}
		s.High = near.Point[float32]{X: 2 + 6*r.Float32(), Y: 2 + 6*r.Float32(), Z: 2 + 6*r.Float32()}
		ranks := 1 + r.IntN(9)
		b, err := newBricks(s, 1.5*r.Float32(), [3]int{}, ranks)
		if err != nil {
			if !errors.Is(err, ErrSplit) {
				t.Fatal(err)
			}
			continue
		}
		slabs := 1
		for a, n := range b.n {
			b.cuts[a] = nil
			for range slabs {
				load := make([]int64, b.axes[a].cells)
				for i := range load {
					load[i] = r.Int64N(100)
				}
				b.cuts[a] = appendCuts(b.cuts[a], load, n)
			}
			slabs *= n
		}
		b.index()
		checkBricks(t, k, b, r, s.Dims, ranks)
	}
	if _, err := newBricks(near.Space[float32]{Dims: 2, Cell: 1, Border: near.Endless}, 1, [3]int{}, 1); !errors.Is(err, ErrSplit) {
		t.Error("an endless space:", err)
	}
}

// has reports whether a point is inside, as sieves do for many points. A NaN is never inside.
func (in *inner) has(p *[3]float64) bool {
	return p[0] >= in.lo[0] && p[0] < in.hi[0] && p[1] >= in.lo[1] && p[1] < in.hi[1] && p[2] >= in.lo[2] && p[2] < in.hi[2]
}

// has reports whether a point is inside.
func (v *view) has(p *[3]float64) bool {
	for a, x := range p {
		if !(x >= v[0].lo[a] && x < v[0].hi[a] || x >= v[1].lo[a] && x < v[1].hi[a]) {
			return false
		}
	}
	return true
}

func checkBricks(t *testing.T, k int, b *bricks, r *rand.Rand, dims, ranks int) {
	t.Helper()
	total := 0
	peers := make([][]int32, ranks)
	for rank := range ranks {
		lo, hi := b.box(rank)
		cells := 1
		for a := range lo {
			cells *= hi[a] - lo[a]
		}
		if total += cells; cells < 1 || b.ownerOf(lo) != rank || b.ownerOf([3]int{hi[0] - 1, hi[1] - 1, hi[2] - 1}) != rank {
			t.Fatalf("space %d: rank %d has %v to %v", k, rank, lo, hi)
		}
		peers[rank] = b.appendPeers(nil, rank)
	}
	if want := b.axes[0].cells * b.axes[1].cells * b.axes[2].cells; total != want {
		t.Fatalf("space %d: ranks have %d cells of %d", k, total, want)
	}
	for range 100 {
		var p, q [3]float64
		for a := range dims {
			l := b.axes[a]
			side := float64(l.cells) * l.wide
			p[a] = float64(float32(l.low + side*r.Float64()))
			q[a] = float64(float32(p[a] + (2*r.Float64()-1)*l.reach/math.Sqrt(float64(dims))))
			if b.periodic && q[a] < l.low {
				q[a] += side
			} else if b.periodic && q[a] >= l.low+side {
				q[a] -= side
			}
		}
		own, other := b.owner(p), b.owner(q)
		seen := []int32{int32(own)}
		for rank := range ranks {
			if v := b.viewOf(rank); v.has(&p) && rank != own {
				seen = append(seen, int32(rank))
			}
		}
		if !slices.Contains(seen, int32(own)) || !slices.Contains(seen, int32(other)) {
			t.Fatalf("space %d: %v of rank %d is seen by %v, and not by %d, which has %v", k, p, own, seen, other, q)
		}
		for _, s := range seen {
			if int(s) != own && (!slices.Contains(peers[own], s) || !slices.Contains(peers[s], int32(own))) {
				t.Fatalf("space %d: ranks %d and %d are no peers of each other: %v, %v", k, own, s, peers[own], peers[s])
			}
		}
		for rank := range ranks {
			for reaches, in := range []inner{b.innerOf(rank, 0), b.innerOf(rank, 1)} {
				inside := true
				for a := range p {
					inside = inside && p[a] >= in.lo[a] && p[a] < in.hi[a]
				}
				if inside && (own != rank || reaches == 1 && len(seen) != 1) {
					t.Fatalf("space %d: %v is in the inner part of rank %d (%d reaches), it is of %d, seen by %v", k, p, rank, reaches, own, seen)
				}
			}
		}
	}
}

// TestImage checks coordinates outside of a periodic space. Their image must be the same as in package
// near, so that the row is on the rank that owns the cell of the image.
func TestImage(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	s := near.Space[float32]{Dims: 2, Low: near.Point[float32]{X: 0.1, Y: 0.1}, High: near.Point[float32]{X: 9.7, Y: 9.7}, Cell: 0.3, Border: near.Periodic}
	b, err := newBricks(s, 0.2, [3]int{4, 2, 1}, 8)
	if err != nil {
		t.Fatal(err)
	}
	g := near.New(s)
	far := 0
	for range 20_000 {
		x := float32(math.Ldexp(2*r.Float64()-1, r.IntN(60)))
		got := image(&b.axes[0], x)
		if !(got >= s.Low.X && got < s.High.X) || x >= s.Low.X && x < s.High.X && got != x {
			t.Fatalf("%v is at %v", x, got)
		}
		if got != x {
			far++
		}
		g.Build([]float32{x}, []float32{5}, nil)
		if at := g.At().X[0]; at != got {
			if in := image(&b.axes[0], at); in != got {
				t.Fatalf("%v is at %v, and package near has it at %v", x, got, at)
			}
		}
		if n := len(g.AppendWithin(nil, near.Point[float32]{X: got, Y: 5}, 0.001)); n != 1 {
			t.Fatalf("%v is not at %v, where a rank looks for it", x, got)
		}
	}
	if far < 10_000 {
		t.Error(far)
	}
	for _, x := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
		if got := image(&b.axes[0], x); got != s.Low.X {
			t.Errorf("%v is at %v: all ranks are to have it at one place", x, got)
		}
	}
}

// TestSieve compares a sieve with the inner part that it represents, also for numbers at the limits.
// Along axes without limits every number is inside, even NaN.
func TestSieve(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for k := range 300 {
		in := inner{lo: [3]float64{1.1, math.Inf(-1), math.Inf(-1)}, hi: [3]float64{math.Inf(1), math.Inf(1), 2.3}}
		switch k % 3 {
		case 1:
			in.lo[1], in.hi[1] = 0.3, 0.3+r.Float64()
		case 2: // limits that round to the other side
			in.lo[0], in.lo[2], in.hi[0], in.hi[2] = in.lo[2], in.hi[2], in.lo[0], in.hi[0]
			in.hi[0] = 1.1
		}
		var s sieve[float32]
		s.set(in)
		for _, n := range []int{0, 1, 63, 64, 65, r.IntN(700)} {
			p := points[float32]{ids: make([]uint64, n), axes: new([3]line)}
			for _, a := range s.axes {
				for range n {
					p.at[a] = append(p.at[a], []float32{3 * r.Float32(), 1.1, 0.3, 2.3, float32(math.NaN()), float32(math.Inf(1))}[max(0, r.IntN(20)-14)])
				}
			}
			got := s.outsideRows(&p)
			for i, next := 0, 0; i < n; i++ {
				at := p.point(int32(i))
				has := in.has(&at)
				let := next < len(got) && got[next] == int32(i)
				if let {
					next++
				}
				if has == let {
					t.Fatalf("sieve %d: row %d of %d, %v: inner part %v, through the sieve %v", k, i, n, at, has, let)
				}
			}
		}
	}
}

// TestPartOf checks, with the cells of package near, that a rank's grid keeps the rank's cells and all
// cells that its rows see.
func TestPartOf(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	fewer := 0
	for k := range 300 {
		s := near.Space[float32]{Dims: 2 + r.IntN(2), Low: near.Point[float32]{X: -3}, Cell: 0.2 + r.Float32()/4, Border: near.Border(r.IntN(2))}
		s.High = near.Point[float32]{X: 2 + 6*r.Float32(), Y: 2 + 6*r.Float32(), Z: 2 + 2*r.Float32()}
		ranks := 1 + r.IntN(9)
		reach := r.Float32() / 2
		b, err := newBricks(s, reach, [3]int{}, ranks)
		if err != nil {
			t.Fatal(err)
		}
		for rank := range ranks {
			space := s
			space.Part = b.partOf(rank)
			if space.Part != (near.Part{}) {
				fewer++
			}
			all, part := near.New(s), near.New(space)
			view := b.viewOf(rank)
			var at [3][]float32
			for range 300 {
				var p [3]float64
				for a := range s.Dims {
					l := b.axes[a]
					p[a] = float64(float32(l.low + float64(float64(l.cells)*l.wide)*r.Float64()))
				}
				if b.owner(p) == rank || view.has(&p) {
					for a := range s.Dims {
						at[a] = append(at[a], float32(p[a]))
					}
				}
			}
			all.Build(at[0], at[1], at[2])
			part.Build(at[0], at[1], at[2])
			if !slices.Equal(all.IDs(), part.IDs()) {
				t.Fatalf("space %d: rank %d of %d keeps %+v, and has rows in another order than with all cells", k, rank, ranks, space.Part)
			}
		}
	}
	if fewer < 100 {
		t.Errorf("%d ranks have cells of their own", fewer)
	}
}
