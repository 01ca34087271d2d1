//go:build !js

package main

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/internal/benchbin"
	"github.com/lanewise/lanewise/jobs"
)

// The program with a planted wait has two systems, each with a loop of one block on two workers. Reader waits for Hog, because
// it reads the component that Hog writes. The type argument of reader is the component that it reads.
type (
	hog struct {
		q    *ecs.Query
		took time.Duration // of the loop
		_    system.In[system.Simulation]
	}
	reader[R any] struct {
		q    *ecs.Query
		took time.Duration
		_    system.In[system.Simulation]
		_    system.After[hog]
	}
)

func spin(d time.Duration) {
	for begin := time.Now(); time.Since(begin) < d; {
	}
}

func (s *hog) Create(u *system.Setup) error { s.q = u.Query(ecs.Write[value[c0]]()); return nil }
func (s *hog) Update(f *system.Frame) error { f.ParallelFor(s.q, s); return nil }
func (s *hog) Chunk(*ecs.Chunk)             { spin(s.took) }

func (s *reader[R]) Create(u *system.Setup) error {
	s.q = u.Query(ecs.Read[value[R]](), ecs.Write[value[c2]]())
	return nil
}
func (s *reader[R]) Update(f *system.Frame) error { f.ParallelFor(s.q, s); return nil }
func (s *reader[R]) Chunk(*ecs.Chunk)             { spin(s.took) }

// planted returns the lengths of the frames of the program, and reports. The reader reads R.
func planted[R any](o options) (plain []float64, reports []*system.Report, err error) {
	pool := jobs.New(jobs.Workers(2))
	defer func() { _ = pool.Close() }()
	w, err := system.NewWorld("planted", system.OnPool(pool), system.Only(system.Of[hog](), system.Of[reader[R]]()))
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = w.Close() }()
	system.Find[hog](w).took, system.Find[reader[R]](w).took = o.planted, o.planted/2
	w.Spawn(value[c0]{}, value[c1]{}, value[c2]{})
	return measureFrames(w, o)
}

// printAdvice prints the first advice about a program with a planted wait. Then it makes the change that this advice recommends,
// and prints the time that the change saves beside the time that the advice predicts.
func (b *bench) printAdvice() error {
	var saved, predicted []float64
	named, last := 0, "no advice"
	reported := 0
	for range b.rounds {
		before, reports, err := planted[c0](b.options)
		if err != nil {
			return err
		}
		after, _, err := planted[c1](b.options)
		if err != nil {
			return err
		}
		saved = append(saved, float64(benchbin.Median(before))-float64(benchbin.Median(after)))
		for _, r := range reports {
			if reported++; len(r.Savings) == 0 {
				continue
			}
			s := r.Savings[0]
			last = s.String()
			if strings.Contains(s.System, "reader") && strings.HasSuffix(s.For, "hog") {
				named++
				predicted = append(predicted, float64(s.Saves))
			}
		}
	}
	if reported == 0 {
		return errors.New("no reports")
	}
	rows := [][]string{{"", "", "limit", ""}}
	share := float64(named) / float64(reported)
	rows = append(rows, []string{"reports whose first advice is that the reader waits for the hog", fmt.Sprintf("%d of %d", named, reported), "90 %", b.verdict("first advice", -share, -0.9)})
	if named > 0 {
		off := benchbin.Median(predicted)/benchbin.Median(saved) - 1
		rows = append(rows,
			[]string{"the change saves", medianAndLeast(saved), "", ""},
			[]string{"predicted", medianAndLeast(predicted), "", ""},
			[]string{"off by", fmt.Sprintf("%+.1f %%", 100*off), "15 %", b.verdict("time that the advice saves", math.Abs(off), 0.15)})
	}
	b.table("advice about a reader that waits for a hog. The last one: "+last, rows)
	return nil
}
