package main

import (
	"math"
	"reflect"
	"syscall"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/examples/flock/model"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/mpi"
)

// flight is a flock that is distributed over ranks.
type flight struct {
	*model.Flock
	w     *ecs.World
	d     *mpi.Domain[float32]
	birds *ecs.Query
}

// takeOff makes the birds of this rank.
func takeOff(c *mpi.Comm) (*flight, error) {
	m := &model.Flock{Birds: *worldRows, Size: float32(*size), View: 1, Pace: 0.1, Noise: 0.4}
	w, err := m.Make("flock", pool(), 1)
	if err != nil {
		return nil, err
	}
	f := &flight{Flock: m, w: w, birds: w.Query(ecs.Read[model.ID](), ecs.Write[model.Place](), ecs.Read[model.Heading]())}
	if *crowd {
		for c := range f.birds.Chunks() {
			p := ecs.Column[model.Place](c)
			for i := range p.X {
				p.X[i], p.Y[i] = p.X[i]/2, p.Y[i]/2
			}
		}
	}
	f.d, err = mpi.NewDomain(c, w, mpi.Split[float32]{
		Space: m.Space(), Reach: m.View, Bricks: requestedBricks(),
		ID: reflect.TypeFor[model.ID](), Place: reflect.TypeFor[model.Place](), Halo: []reflect.Type{reflect.TypeFor[model.Heading]()},
		Load: func(rows int) int64 { return int64(rows) * int64(rows+4) },
	})
	if err != nil {
		return nil, err
	}
	if *load != "" {
		if err := ecs.DestroyAll(w, ecs.Matching(f.birds)); err != nil {
			return nil, err
		}
		return f, f.d.Load(*load)
	}
	return f, f.d.Keep()
}

// flock runs the flock, and prints the hash and the momentum of the birds.
func flock(c *mpi.Comm) error {
	f, err := takeOff(c)
	if err != nil {
		return err
	}
	m := &meter{Domain: f.d}
	var ranks model.Ranks = m
	if *control {
		ranks = &arrival{Domain: f.d, all: f.w.Query(ecs.Read[model.ID](), ecs.IncludeGhosts())}
	}
	f.Spread(f.w, ranks)
	cuts := 0
	for tick := c.Tick; tick < *ticks; tick++ {
		if *balance > 0 && tick%*balance == *balance-1 {
			moved, err := f.d.Balance(1)
			if err != nil {
				return err
			}
			if moved {
				cuts++
			}
		}
		before := cpu()
		if err := f.Tick(tick); err != nil {
			return err
		}
		m.whole += cpu() - before
	}
	if *save != "" {
		if err := f.d.Save(*save); err != nil {
			return err
		}
	}
	if err := f.report(c, cuts); err != nil || !*stats {
		return err
	}
	return m.report(c)
}

// report prints the results that must be the same for any number of ranks;
// statistics go to another line.
func (f *flight) report(c *mpi.Comm, cuts int) error {
	hash, err := f.d.Hash()
	if err != nil {
		return err
	}
	n, err := f.d.Rows()
	if err != nil {
		return err
	}
	var x kernels.ExactSum[float32]
	least, most := float32(math.Inf(1)), float32(math.Inf(-1))
	for c := range f.birds.Chunks() {
		way := ecs.ReadColumn[model.Heading](c)
		x.Add(way.X)
		least, most = min(least, kernels.Min(way.Y)), max(most, kernels.Max(way.Y))
	}
	sum, err := mpi.Sum(c, &x)
	if err != nil {
		return err
	}
	if least, err = mpi.Min(c, least); err != nil {
		return err
	}
	if most, err = mpi.Max(c, most); err != nil {
		return err
	}
	say(c, "hash %016x rows %d sum %v least %v most %v", hash, n, sum, least, most)
	if *stats {
		s := f.d.Stats()
		v := []int64{s.Moved, s.Ghosts, s.Sent, s.Messages}
		if err := c.SumInts(v); err != nil {
			return err
		}
		say(c, "bricks %v cuts %d moved %d ghosts %d sent %d messages %d", f.d.Bricks(), cuts, v[0], v[1], v[2], v[3])
	}
	return nil
}

// meter measures the CPU time of ticks, except for the time in Start and Finish.
type meter struct {
	*mpi.Domain[float32]
	whole, exchange time.Duration
}

func (m *meter) Start() error    { return m.without(m.Domain.Start) }
func (m *meter) Finish() error   { return m.without(m.Domain.Finish) }
func (m *meter) Progress() error { return m.without(m.Domain.Progress) }

func (m *meter) without(do func() error) error {
	before := cpu()
	err := do()
	m.exchange += cpu() - before
	return err
}

// cpu returns the CPU time of this process.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// report prints the mean cost of a tick on a rank.
func (m *meter) report(c *mpi.Comm) error {
	s := m.Stats()
	v := []int64{s.Moved, s.Ghosts, s.Messages, s.Sent, int64(m.whole - m.exchange), int64(s.Migrate), int64(s.Halo), int64(s.Order), int64(s.Wait)}
	if err := c.SumInts(v); err != nil {
		return err
	}
	per := float64(s.Ticks) * float64(c.Size())
	say(c, "tick | %d | %v | %.1f | %.0f | %.1f | %.0f | %.3f | %.3f | %.3f | %.3f | %.3f |", c.Size(), m.Bricks(), float64(v[0])/per, float64(v[1])/per, float64(v[2])/per,
		float64(v[3])/per, float64(v[4])/per/1e6, float64(v[5])/per/1e6, float64(v[6])/per/1e6, float64(v[7])/per/1e6, float64(v[8])/per/1e6)
	return nil
}

// arrival numbers rows in the order of chunks, which differs between ranks:
// sums over neighbours then depend on the number of ranks. This numbering shows that a test
// that compares these sums can fail.
type arrival struct {
	*mpi.Domain[float32]
	all  *ecs.Query
	rows map[uint64]int32
}

func (a *arrival) Finish() error {
	err := a.Domain.Finish()
	a.rows = map[uint64]int32{}
	for c := range a.all.Chunks() {
		for _, id := range *ecs.ReadColumn[model.ID](c) {
			a.rows[id] = int32(len(a.rows))
		}
	}
	return err
}

func (a *arrival) Start() error {
	a.rows = nil
	return a.Domain.Start()
}

func (a *arrival) Len() int {
	if a.rows == nil {
		return a.Domain.Len()
	}
	return len(a.rows)
}

func (a *arrival) AppendRows(rows []int32, ids []uint64) []int32 {
	if a.rows == nil {
		return a.Domain.AppendRows(rows, ids)
	}
	for _, id := range ids {
		rows = append(rows, a.rows[id])
	}
	return rows
}

func (a *arrival) Counts(int32) bool { return a.rows != nil }
