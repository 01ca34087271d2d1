package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/examples/dam/model"
	birds "github.com/lanewise/lanewise/examples/flock/model"
	kinds "github.com/lanewise/lanewise/internal/zoo"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/mpi"
)

// randomWorlds sends the rows of random worlds to random ranks and back, and
// compares the hashes before and after.
func randomWorlds(c *mpi.Comm) error {
	w := ecs.NewWorld("worlds")
	d, err := mpi.NewDomain(c, w, split())
	if err != nil {
		return err
	}
	animals := w.Query(ecs.Read[ID](), ecs.Write[Place]())
	traces := w.Query(ecs.With[kinds.Trace]())
	r := rand.New(rand.NewPCG(1, 2)) // the same on all ranks
	for k := range *worlds {
		n := 2 * (1 + r.Uint64N(20))
		if c.Rank() == k%c.Size() {
			addAnimals(w, uint64(k), 0, n)
		}
		// All ranks draw the same positions, so that each rank knows the positions of received
		// rows.
		var there [3]float64
		for a := range there {
			there[a] = r.Float64() * cage
		}
		if err := thereAndBack(d, animals, uint64(k), int64(n), there); err != nil {
			return err
		}
		if err := errors.Join(ecs.DestroyAll(w, ecs.Matching(animals)), ecs.DestroyAll(w, ecs.Matching(traces)),
			ecs.RemoveTypes(w, ecs.Matching(traces), ecs.With[kinds.Trace](), ecs.With[kinds.Grave](), ecs.With[kinds.Will](), ecs.With[ecs.Buffer[kinds.Debt]]())); err != nil {
			return err
		}
	}
	say(c, "ok %d", *worlds)
	return nil
}

// thereAndBack moves the n rows of world k to other ranks by their position and
// back again.
func thereAndBack(d *mpi.Domain[float64], animals *ecs.Query, k uint64, n int64, there [3]float64) error {
	before, hashed := d.Hash()
	first, counted := d.Rows()
	if err := errors.Join(hashed, counted); err != nil {
		return err
	}
	for _, to := range []func(id uint64) [3]float64{
		func(id uint64) [3]float64 {
			return [3]float64{math.Mod(there[0]+float64(id/2), cage), there[1], math.Mod(there[2]+float64(float64(id/2)*0.37), cage)}
		},
		func(id uint64) [3]float64 { return home(k, id) },
	} {
		for c := range animals.Chunks() {
			ids, p := *ecs.ReadColumn[ID](c), ecs.Column[Place](c)
			for i, id := range ids {
				at := to(id)
				p.X[i], p.Y[i], p.Z[i] = at[0], at[1], at[2]
			}
		}
		if err := d.Migrate(); err != nil {
			return err
		}
	}
	after, err := d.Hash()
	if err != nil {
		return err
	}
	if last, err := d.Rows(); err != nil || last != first || last != n || after != before {
		return fmt.Errorf("world %d: %d rows with hash %016x became %d with %016x, %v", k, first, before, last, after, err)
	}
	return nil
}

// compareSums compares the totals over ranks with the totals of all rows at once.
func compareSums(c *mpi.Comm) error {
	r := rand.New(rand.NewPCG(3, 4))
	for k := range 50 {
		all := make([]float64, 1+r.IntN(300))
		for i := range all {
			all[i] = math.Ldexp(r.Float64()-0.5, r.IntN(2000)-1000)
		}
		switch k {
		case 10:
			all[0] = math.Inf(1)
		case 11:
			all[0] = math.NaN()
		case 12:
			all = []float64{math.Copysign(0, -1)}
		case 13:
			all = []float64{math.NaN()}
		case 14:
			all = append(all, math.Inf(-1), math.Inf(1))
		}
		var own kernels.ExactSum[float64]
		least, most := math.NaN(), math.NaN()
		for i := c.Rank(); i < len(all); i += c.Size() {
			own.Add(all[i : i+1])
			least, most = kernels.Min([]float64{least, all[i]}), kernels.Max([]float64{most, all[i]})
		}
		sum, err := mpi.Sum(c, &own)
		if err != nil {
			return err
		}
		least, err = mpi.Min(c, least)
		if err != nil {
			return err
		}
		most, err = mpi.Max(c, most)
		if err != nil {
			return err
		}
		same := func(got, want float64) bool {
			return math.Float64bits(got) == math.Float64bits(want) || got != got && want != want
		}
		if want := kernels.SumExact(all); !same(sum, want) || !same(least, kernels.Min(all)) || !same(most, kernels.Max(all)) {
			return fmt.Errorf("sums %d: %v from %v to %v, want %v from %v to %v", k, sum, least, most, want, kernels.Min(all), kernels.Max(all))
		}
	}
	v := []int64{int64(c.Rank()), -int64(c.Rank()), math.MinInt64}
	if err := c.MaxInts(v); err != nil || v[0] != int64(c.Size()-1) || v[1] != 0 || v[2] != math.MinInt64 {
		return fmt.Errorf("maxima %v, %v", v, err)
	}
	say(c, "ok")
	return nil
}

// anyBytes sends messages of all lengths to all ranks, in pieces if Piece is
// small.
func anyBytes(c *mpi.Comm) error {
	for range 5 {
		if err := someBytes(c); err != nil {
			return err
		}
	}
	if _, err := c.Broadcast(nil, c.Size()); err == nil {
		return errors.New("a rank that is not there")
	}
	if _, err := c.Exchange(nil); err == nil {
		return errors.New("messages for no rank")
	}
	say(c, "ok")
	return nil
}

// someBytes sends bytes by each method.
func someBytes(c *mpi.Comm) error {
	text := func(from, to int) []byte {
		n := (from*7919 + to*104729) % 30011
		if (from+to)%3 == 0 {
			n = 0
		}
		return bytes.Repeat([]byte{byte(from), byte(to), 7}, n)
	}
	out := make([][]byte, c.Size())
	for r := range out {
		out[r] = text(c.Rank(), r)
	}
	in, err := c.Exchange(out)
	if err != nil {
		return err
	}
	for r, b := range in {
		if !bytes.Equal(b, text(r, c.Rank())) {
			return fmt.Errorf("%d bytes from %d", len(b), r)
		}
	}
	b, err := c.Broadcast(text(c.Rank(), 1), c.Size()-1)
	if err != nil || !bytes.Equal(b, text(c.Size()-1, 1)) {
		return fmt.Errorf("%d bytes for all, %v", len(b), err)
	}
	all, err := c.Gather(text(c.Rank(), 2), 0)
	if err != nil || (c.Rank() == 0) != (len(all) == c.Size()) {
		return fmt.Errorf("gathered %d, %v", len(all), err)
	}
	for r, b := range all {
		if !bytes.Equal(b, text(r, 2)) {
			return fmt.Errorf("%d bytes gathered from %d", len(b), r)
		}
	}
	return c.Barrier()
}

// manyRanks divides a space of four cells among the ranks.
func manyRanks(c *mpi.Comm) error {
	s := split()
	s.Space.High.X, s.Space.High.Y, s.Space.High.Z = 2, 2, 1
	_, err := mpi.NewDomain(c, ecs.NewWorld("many"), s)
	say(c, "%v", err)
	if (err != nil) != (c.Size() > 4 || c.Size() == 3) {
		return fmt.Errorf("%d ranks: %w", c.Size(), err)
	}
	return nil
}

// repeatID gives one ID to two rows.
func repeatID(c *mpi.Comm) error {
	w := ecs.NewWorld("twice")
	d, err := mpi.NewDomain(c, w, split())
	if err != nil {
		return err
	}
	if c.Rank() == 0 {
		w.Spawn(ID{9}, Place{X: 1}, Weight{})
	}
	if c.Rank() == c.Size()-1 {
		w.Spawn(ID{9}, Place{X: 1}, Weight{})
	}
	return d.Exchange()
}

// dam simulates flowing water on all ranks.
func dam(c *mpi.Comm) error {
	m := &model.Dam{Drops: *worldRows}
	d, err := mpi.Hold(c, m, mpi.Split[float32]{Bricks: requestedBricks()})
	if err != nil {
		return err
	}
	for tick := range *ticks {
		if *balance > 0 && tick%*balance == *balance-1 {
			if _, err := d.Balance(1); err != nil {
				return err
			}
		}
		if err := m.Tick(tick); err != nil {
			return err
		}
	}
	hash, err := d.Hash()
	say(c, "hash %016x", hash)
	return err
}

// loseRow moves a row that has a reference to a row that stays.
func loseRow(c *mpi.Comm) error {
	w := ecs.NewWorld("lost")
	d, err := mpi.NewDomain(c, w, split())
	if err != nil {
		return err
	}
	if c.Rank() == 0 {
		stays := w.Spawn(Weight{1})
		w.Spawn(ID{9}, Place{X: 7.5, Y: 7.5, Z: 7.5}, kinds.Mate{With: stays})
	}
	return d.Migrate()
}

// moveBlobs moves an animal with a reference to a blob, which stays in its process.
func moveBlobs(c *mpi.Comm) error {
	w := ecs.NewWorld("blobs")
	d, err := mpi.NewDomain(c, w, split())
	if err != nil {
		return err
	}
	if c.Rank() == 0 {
		all, err := kinds.Animal(5, 1)
		if err != nil {
			return err
		}
		w.Spawn(append(all, ID{9}, Place{X: 7.5, Y: 7.5, Z: 7.5})...)
	}
	return d.Migrate()
}

// gather copies all rows to one rank.
func gather(c *mpi.Comm) error {
	w := ecs.NewWorld("here")
	n := uint64(10)
	addAnimals(w, 3, n*uint64(c.Rank()), n*uint64(c.Rank()+1))
	d, err := mpi.NewDomain(c, w, split())
	if err != nil {
		return err
	}
	if err := d.Migrate(); err != nil {
		return err
	}
	var all *ecs.World
	root := c.Size() - 1
	if c.Rank() == root {
		all = ecs.NewWorld("all")
	}
	if err := d.Gather(root, all); err != nil {
		return err
	}
	want, err := d.Hash()
	if err != nil {
		return err
	}
	if c.Rank() == root {
		q := all.Query(ecs.Read[ID]())
		got, err := q.HashRows(split().ID)
		if err != nil || got != want || q.Count() != int(n)*c.Size() {
			return fmt.Errorf("gathered %d rows with hash %016x, want %016x: %w", q.Count(), got, want, err)
		}
	}
	say(c, "ok")
	return nil
}

// thread calls a method from another goroutine.
func thread(c *mpi.Comm) error {
	failed := make(chan error)
	go func() { failed <- c.Barrier() }()
	err := <-failed
	if !errors.Is(err, mpi.ErrThread) {
		return fmt.Errorf("a call from another thread: %w", err)
	}
	say(c, "%v", err)
	return nil
}

// countAllocs counts the allocations of an exchange in which rows move back and
// forth.
func countAllocs(c *mpi.Comm) error {
	m := &birds.Flock{Birds: 2000, Size: 20, View: 1, Pace: 0.1, Noise: 0.4}
	d, err := mpi.Hold(c, m, mpi.Split[float32]{})
	if err != nil {
		return err
	}
	step := float32(0.75)
	tick := func() error {
		for c := range m.Query().Chunks() {
			p := ecs.Column[birds.Place](c)
			for i := range p.X {
				p.X[i], p.Y[i] = p.X[i]+step, p.Y[i]+step
			}
		}
		step = -step
		return d.Exchange()
	}
	// Take the minimum of several tries, because the runtime sometimes allocates too.
	const warm, ticks, times = 200, 100, 3
	var before, after runtime.MemStats
	least := []int64{math.MaxInt64, math.MaxInt64}
	for k := range warm + ticks*times {
		if k == warm {
			runtime.ReadMemStats(&before)
		}
		if err := tick(); err != nil {
			return err
		}
		if k < warm || (k-warm)%ticks != ticks-1 {
			continue
		}
		runtime.ReadMemStats(&after)
		most := []int64{int64(after.Mallocs - before.Mallocs), int64(after.TotalAlloc - before.TotalAlloc)}
		if err := c.MaxInts(most); err != nil {
			return err
		}
		least[0], least[1] = min(least[0], most[0]), min(least[1], most[1])
		runtime.ReadMemStats(&before)
	}
	say(c, "moved %v, %d ticks: mallocs %d bytes %d", d.Stats().Moved > 0, ticks, least[0], least[1])
	return nil
}
