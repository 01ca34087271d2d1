package system

import (
	"fmt"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
)

// asking is a system with a query.
type asking struct{ q *ecs.Query }

func (s *asking) Create(u *Setup) error { s.q = u.Query(ecs.Write[small[int]]()); return nil }
func (*asking) Update(*Frame) error     { return nil }

// BenchmarkCreateSystems makes systems in a new world: empty ones, or with a query.
func BenchmarkCreateSystems(b *testing.B) {
	pool := newPool(b, 1)
	for what, create := range map[string]func(w *ecs.World) error{
		"empty": func(w *ecs.World) error { _, err := Create[nothing](w); return err },
		"query": func(w *ecs.World) error { _, err := Create[asking](w); return err },
	} {
		for _, n := range []int{10, 1000} {
			b.Run(fmt.Sprintf("%s/systems=%d", what, n), func(b *testing.B) {
				var l laps
				round := func() {
					w := ecs.NewWorld("", ecs.OnPool(pool))
					start := time.Now()
					for range n {
						if err := create(w); err != nil {
							b.Fatal(err)
						}
					}
					l.lap(start)
					if err := w.Close(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportAllocs()
				for b.Loop() {
					round()
				}
				l.report(b, n)
			})
		}
	}
}

// BenchmarkWholeFrame is a whole frame of a world with many empty systems.
func BenchmarkWholeFrame(b *testing.B) {
	for _, n := range []int{10, 1000} {
		b.Run(fmt.Sprintf("systems=%d", n), func(b *testing.B) {
			w, err := NewWorld("", Only(), OnPool(newPool(b, 1)))
			if err != nil {
				b.Fatal(err)
			}
			for range n {
				s, err := Create[nothing](w)
				if err != nil {
					b.Fatal(err)
				}
				if err := GetOrCreate[Simulation](w).Add(s); err != nil {
					b.Fatal(err)
				}
			}
			benchmarkFrames(b, w, n)
		})
	}
}

func benchmarkFrames(b *testing.B, w *ecs.World, systems int) {
	var l laps
	update := func() {
		start := time.Now()
		if err := Update(w); err != nil {
			b.Fatal(err)
		}
		l.lap(start)
	}
	b.ReportAllocs()
	for b.Loop() {
		update()
	}
	l.report(b, systems)
}

// BenchmarkOneComponent is a whole frame of systems that all write one component.
func BenchmarkOneComponent(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("systems=100/workers=%d", workers), func(b *testing.B) {
			w, err := NewWorld("", Only(), OnPool(newPool(b, workers)))
			if err != nil {
				b.Fatal(err)
			}
			w.Spawn(small[int]{})
			for range 100 {
				s, err := Create[smallSystem[int]](w)
				if err != nil {
					b.Fatal(err)
				}
				if err := GetOrCreate[Simulation](w).Add(s); err != nil {
					b.Fatal(err)
				}
			}
			benchmarkFrames(b, w, 100)
		})
	}
}
