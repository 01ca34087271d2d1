package model

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
	"github.com/lanewise/lanewise/study"
)

// plain simulates the town in plain Go, one person after another, for comparison.
type plain struct {
	side      int
	now, next []uint8
	chance    [5]float32
	recover   float32
	draw      func(at int) float32
}

// day simulates a day and returns the number of ill people at its end.
func (p *plain) day() (ill int) {
	for y := range p.side {
		for x := range p.side {
			at := y*p.side + x
			h := p.now[at]
			switch h {
			case Susceptible:
				if n := p.sick(x, y, at); n > 0 && p.draw(at) < p.chance[n] {
					h = Infected
				}
			case Infected:
				if p.draw(at) < p.recover {
					h = Recovered
				}
			}
			p.next[at] = h
			if h == Infected {
				ill++
			}
		}
	}
	p.now, p.next = p.next, p.now
	return ill
}

func (p *plain) sick(x, y, at int) (n int) {
	if x > 0 && p.now[at-1] == Infected {
		n++
	}
	if x < p.side-1 && p.now[at+1] == Infected {
		n++
	}
	if y > 0 && p.now[at-p.side] == Infected {
		n++
	}
	if y < p.side-1 && p.now[at+p.side] == Infected {
		n++
	}
	return n
}

// newPlain returns the current town in plain Go.
func newPlain(t *town) *plain {
	p := &plain{side: t.side, now: make([]uint8, t.side*t.side), next: make([]uint8, t.side*t.side), chance: t.chance, recover: t.recover}
	for at := range p.now {
		p.now[at] = t.health(at)
	}
	return p
}

// TestPlain checks that the town in plain Go has the same ill people on every day, because it draws
// the same random numbers.
func TestPlain(t *testing.T) {
	for _, side := range []int{7, 64, 65, 100} {
		tw := newTown(side, 0.35, 0.2)
		draw := rand.New(rand.NewPCG(1, uint64(side)))
		for range side {
			tw.set(draw.IntN(side*side), Infected)
		}
		p := newPlain(&tw)
		p.draw = func(at int) float32 { return random.UniformOf[float32](tw.key.Row(uint64(at))) }
		for day := range uint32(40) {
			tw.key = random.Key{Seed: 3, Tick: day}
			tw.decide(0, len(tw.well)/2)
			tw.decide(len(tw.well)/2, len(tw.well))
			if count, ill := tw.turn(), p.day(); count[Infected] != ill {
				t.Fatalf("side %d, day %d: %d are ill, in plain Go %d", side, day, count[Infected], ill)
			}
			for at, h := range p.now {
				if tw.health(at) != h {
					t.Fatalf("side %d, day %d: person %d is %d, in plain Go %d", side, day, at, tw.health(at), h)
				}
			}
		}
	}
}

// BenchmarkStep measures an epidemic among 200,000 people, with the model and in plain Go. It reports
// the time per person and day.
func BenchmarkStep(b *testing.B) {
	const side, days = 447, 150
	settings := []string{fmt.Sprint("side=", side), "beta=0.25", "first=1000", fmt.Sprint("days=", days)}
	report := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(side*side*days), "ns/person")
	}
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("path=%s/workers=%d", kernels.Path(), workers), func(b *testing.B) {
			pool := jobs.New(jobs.Workers(workers))
			defer func() { _ = pool.Close() }()
			for b.Loop() {
				if o, err := study.Once[*Epidemic](pool, settings...); err != nil || o.Ticks != days {
					b.Fatal(o.Ticks, err)
				}
			}
			report(b)
		})
	}
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			tw := newTown(side, 0.25, 0.1)
			draw := rand.New(rand.NewPCG(1, 1))
			for range 1000 {
				tw.set(draw.IntN(side*side), Infected)
			}
			p := newPlain(&tw)
			p.draw = func(int) float32 { return draw.Float32() }
			for range days {
				p.day()
			}
		}
		report(b)
	})
}
