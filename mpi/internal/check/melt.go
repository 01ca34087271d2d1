package main

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/forces"
	"github.com/lanewise/lanewise/mpi"
	"github.com/lanewise/lanewise/near"
	"github.com/lanewise/lanewise/random"
)

// These are the parameters of bench/md, whose hash the ranks must compute.
const (
	meltCells  = 5
	meltSteps  = 100
	meltCutoff = 2.5
	meltDT     = 0.005

	meltPositions = 0x1p-44 // the quanta of positions and terms
	meltTerms     = 0x1p-36
)

type meltVecs = kernels.Vec3s[float64]

// A liquid is a crystal of Lennard-Jones atoms that melts. Each rank has all atoms, and computes a share of their
// forces. The ranks then add the shares, which are sums of quanta, so that neither the shares nor the order in which they are added matters.
type liquid struct {
	comm       *mpi.Comm
	byPairs    bool // a rank computes a share of the pairs of each row; otherwise, all pairs of a share of the rows
	space      near.Space[float64]
	list       *near.Clusters[float64]
	vel, force meltVecs
	shared     []int64 // forces in quanta
}

// melt prints the hash of bench/md after a run in which the ranks share rows, and after another one in which they share pairs.
func melt(c *mpi.Comm) error {
	for _, byPairs := range []bool{false, true} {
		l, err := newLiquid(c, byPairs)
		if err != nil {
			return err
		}
		if err := l.pull(); err != nil {
			return err
		}
		for range meltSteps {
			if err := l.step(); err != nil {
				return err
			}
		}
		hash, err := l.hash()
		if err != nil {
			return err
		}
		say(c, "melt %016x", hash)
	}
	return nil
}

// newLiquid returns the start of bench/md. The skin depends on the number of ranks, because it must not change the bits.
func newLiquid(c *mpi.Comm, byPairs bool) (*liquid, error) {
	const n = 4 * meltCells * meltCells * meltCells
	width := kernels.CbrtOf(4 / 0.8442)
	side := []float64{float64(meltCells * width)}
	var pos meltVecs
	l := &liquid{comm: c, byPairs: byPairs, shared: make([]int64, 3*n)}
	for _, lane := range []*[]float64{&pos.X, &pos.Y, &pos.Z, &l.vel.X, &l.vel.Y, &l.vel.Z, &l.force.X, &l.force.Y, &l.force.Z} {
		*lane = make([]float64, n)
	}
	for i := range n {
		at, cell := [4][3]float64{{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}}[i%4], i/4
		pos.X[i] = float64((float64(cell%meltCells) + at[0]) * width)
		pos.Y[i] = float64((float64(cell/meltCells%meltCells) + at[1]) * width)
		pos.Z[i] = float64((float64(cell/meltCells/meltCells) + at[2]) * width)
	}
	for _, lane := range [][]float64{side, pos.X, pos.Y, pos.Z} {
		if err := forces.Quantize(lane, meltPositions); err != nil {
			return nil, err
		}
	}
	l.space = near.Space[float64]{Dims: 3, High: near.Point[float64]{X: side[0], Y: side[0], Z: side[0]}, Border: near.Periodic}
	l.list = near.NewClusters(l.space, meltCutoff, float64(0.1*float64(1+c.Size()%4)))
	if byPairs {
		l.list.Width = 1 // so that a list can be divided without the row itself
	}
	if err := l.list.Build(pos.X, pos.Y, pos.Z); err != nil {
		return nil, err
	}
	for axis, v := range [][]float64{l.vel.X, l.vel.Y, l.vel.Z} {
		random.Normal(v, random.Key{Seed: 1, Stream: uint32(axis)}.Rows(0), 0, math.Sqrt(1.44))
		mean := kernels.Sum(v) / float64(n)
		for i := range v {
			v[i] -= mean
		}
		l.list.Reorder(v)
	}
	return l, nil
}

func (l *liquid) step() error {
	l.vel.AddScaled(&l.vel, &l.force, meltDT/2)
	pos := l.list.At()
	forces.Drift(&pos, &l.vel, meltDT, meltPositions)
	rebuilt, err := l.list.Move()
	if err != nil {
		return err
	}
	if rebuilt {
		l.list.Reorder(l.vel.X, l.vel.Y, l.vel.Z)
	}
	if err := l.pull(); err != nil {
		return err
	}
	l.vel.AddScaled(&l.vel, &l.force, meltDT/2)
	return nil
}

// pull computes the share of this rank, and adds the shares of all ranks.
func (l *liquid) pull() error {
	start, list := l.list.List()
	pairs := forces.Pairs[float64]{At: l.list.At(), All: l.list.All(), Start: start, List: list, Width: l.list.ListWidth(), Cutoff: l.list.Cutoff()}
	n, rank, size := len(l.force.X), l.comm.Rank(), l.comm.Size()
	lo, hi := 0, n
	if l.byPairs {
		pairs.Start, pairs.List = sharePairs(start, list, rank, size)
	} else {
		clusters := len(start) - 1
		lo, hi = min(n, clusters*rank/size*pairs.Width), min(n, clusters*(rank+1)/size*pairs.Width)
	}
	clear(l.force.X)
	clear(l.force.Y)
	clear(l.force.Z)
	own := l.force.Slice(lo, hi)
	lj := forces.LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: meltCutoff, Quantum: meltTerms}
	if err := lj.AddTo(&own, nil, nil, pairs.Rows(lo, hi)); err != nil {
		return err
	}
	for a, lane := range [][]float64{l.force.X, l.force.Y, l.force.Z} {
		for i, f := range lane {
			l.shared[a*n+i] = int64(f / meltTerms) // a whole number below 2^53
		}
	}
	if err := l.comm.SumInts(l.shared); err != nil {
		return err
	}
	for a, lane := range [][]float64{l.force.X, l.force.Y, l.force.Z} {
		for i := range lane {
			lane[i] = float64(float64(l.shared[a*n+i]) * meltTerms)
		}
	}
	return nil
}

// sharePairs returns the pairs of a rank, and for each row the row itself.
func sharePairs(start, list []int32, rank, size int) (ownStart, ownList []int32) {
	ownStart = append(ownStart, 0)
	for i := range len(start) - 1 {
		for j, k := range list[start[i]:start[i+1]] {
			if int(k) == i || j%size == rank {
				ownList = append(ownList, k)
			}
		}
		ownStart = append(ownStart, int32(len(ownList)))
	}
	return ownStart, ownList
}

// hash returns the hash of bench/md, of positions and velocities by id. It fails if ranks have different atoms.
func (l *liquid) hash() (uint64, error) {
	n := len(l.force.X)
	lanes := make([][]float64, 6)
	at := l.list.At()
	for a, lane := range [][]float64{at.X, at.Y, at.Z, l.vel.X, l.vel.Y, l.vel.Z} {
		lanes[a] = make([]float64, n)
		for i, id := range l.list.IDs() {
			lanes[a][id] = lane[i]
		}
	}
	in := near.NewClusters(l.space, meltCutoff, 0) // each atom in the box
	if err := in.Build(lanes[0], lanes[1], lanes[2]); err != nil {
		return 0, err
	}
	inside := in.At()
	for a, lane := range [][]float64{inside.X, inside.Y, inside.Z} {
		for i, id := range in.IDs() {
			lanes[a][id] = lane[i]
		}
	}
	h := fnv.New64a()
	for _, lane := range lanes {
		_ = binary.Write(h, binary.LittleEndian, lane) // a hash never fails
	}
	most := []int64{int64(h.Sum64()), -int64(h.Sum64())}
	if err := l.comm.MaxInts(most); err != nil {
		return 0, err
	}
	if most[0] != -most[1] {
		return 0, fmt.Errorf("the atoms of ranks differ: their hashes are from %016x to %016x", uint64(-most[1]), uint64(most[0]))
	}
	return h.Sum64(), nil
}
