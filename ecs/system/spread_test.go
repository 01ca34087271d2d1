package system

import (
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
)

// dust is what dawdlers go over.
type dust struct{ X float32 }

func (dust) Column() (c []float32) { return }

// dawdler has a job of some microseconds a chunk.
type dawdler struct{ all *ecs.Query }

func (d *dawdler) Create(s *Setup) error {
	d.all = s.Query(ecs.Write[dust]())
	return nil
}

func (d *dawdler) Update(f *Frame) error {
	f.ParallelFor(d.all, d)
	return nil
}

func (d *dawdler) Chunk(*ecs.Chunk) {
	for end := time.Now().Add(3 * time.Microsecond); time.Now().Before(end); {
	}
}

// An explanation says how loops of some microseconds are run, as soon as that was tried.
func TestExplainSpreads(t *testing.T) {
	w := newWorld(t, Only(Of[dawdler]()), OnPool(newPool(t, 3)))
	w.Create(w.Archetype(ecs.With[dust]()), 10_000)
	Measure(w, true)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		for range 10 {
			if err := Update(w); err != nil {
				t.Fatal(err)
			}
		}
		e := Explain(w)
		for _, s := range e.Order {
			for _, spread := range s.Spreads {
				if !strings.HasSuffix(s.System, "dawdler") || !strings.HasPrefix(spread.Job, s.System) || spread.One == 0 && spread.All == 0 || spread.From >= spread.To {
					t.Errorf("%s has %+v", s.System, spread)
				}
				if text := e.String(); !strings.Contains(text, "\n  system.dawdler: "+spread.String()) {
					t.Errorf("%q is not in\n%s", spread.String(), text)
				}
				return
			}
		}
	}
	t.Error("none within a minute")
}
