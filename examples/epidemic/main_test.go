package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lanewise/lanewise/examples/epidemic/model"
	"github.com/lanewise/lanewise/examples/internal/exampletest"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/study"
)

// golden is the hash of a town of 48 × 48 people after its epidemic. It is the same on every machine
// and path, with any number of workers.
const golden = 0xed0ba36caaf67c46

func TestHash(t *testing.T) {
	exampletest.Hash(t, golden, func(pool *jobs.Pool) (uint64, error) {
		o, err := study.Once[*model.Epidemic](pool, "side=48", "beta=0.3")
		return o.Hash, err
	})
}

// TestEpidemic checks that the model can be used in a study: it is reproducible, and a saved run
// can continue.
func TestEpidemic(t *testing.T) { study.Test[*model.Epidemic](t, "side=24") }

// TestExtremes checks that nobody is infected if the probability is 0, and everybody is infected if
// it is 1.
func TestExtremes(t *testing.T) {
	none, err := study.Once[*model.Epidemic](nil, "side=20", "beta=0", "gamma=1")
	if err != nil || none.Ticks != 1 || none.Result.Attack > 5.0/400 {
		t.Errorf("%+v, %v", none, err)
	}
	all, err := study.Once[*model.Epidemic](nil, "side=20", "beta=1", "gamma=0", "days=40")
	if err != nil || all.Result.Attack != 1 || all.Result.Peak != 400 || all.Ticks != 40 {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestPicture checks the colours of a town: ill people are red, recovered people are blue, and each
// person is a square.
func TestPicture(t *testing.T) {
	name := filepath.Join(t.TempDir(), "town.png")
	if err := draw(name, "side=24"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Size() < 300 {
		t.Error("no picture", err)
	}
	if err := draw(name, "side=none"); err == nil {
		t.Error("drawn without people")
	}
	model.AtEnd = func(m *model.Epidemic) {
		const wide = 5 // pixels per person
		p, err := picture(m, wide*m.Side)
		if err != nil {
			t.Error(err)
			return
		}
		seen := [3]int{}
		for i := range m.Side * m.Side {
			h := m.Health(i)
			x, y := i%m.Side, m.Side-1-i/m.Side
			c := p.RGBAAt(x*wide+wide/2, y*wide+wide/2)
			drawn := model.Susceptible
			switch {
			case int(c.R) > int(c.G)+100:
				drawn = model.Infected
			case int(c.B) > int(c.R)+40:
				drawn = model.Recovered
			}
			if drawn != int(h) {
				t.Fatalf("person %d is %d and drawn as %v", i, h, c)
			}
			seen[drawn]++
		}
		if seen[model.Susceptible] == 0 || seen[model.Infected] == 0 || seen[model.Recovered] == 0 {
			t.Errorf("drawn are %v", seen)
		}
	}
	defer func() { model.AtEnd = nil }()
	if _, err := study.Once[*model.Epidemic](nil, "side=24", "days=30", "beta=0.3"); err != nil {
		t.Error(err)
	}
}
