package mpi

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/near"
)

// TestBricks cuts random spaces for random ranks, with cuts anywhere, and looks who has and who sees what.
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
		seen := b.appendNear(nil, p)
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
