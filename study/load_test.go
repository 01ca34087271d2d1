package study

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// lottery is a model whose Load calls Setup. Setup draws random numbers and emits a row.
type lottery struct {
	Ticks int  `default:"9"`
	Wide  bool `default:"false"`

	worth, sum, steps uint64
}

// Drew is a row of a table. Opened is a row of a table that only Setup writes.
type (
	Drew   struct{ Eyes float64 }
	Opened struct{ Worth float64 }
)

func (m *lottery) Setup(r *Run) (*ecs.World, error) {
	m.worth = uint64(r.Unit(0, 1) * 1e9)
	m.worth += r.Key(2).ID(7).Source().Uint64() % 1000
	Emit(r, Opened{float64(m.worth)})
	if m.Wide {
		Emit(r, Drew{0})
	}
	return nil, nil
}

func (m *lottery) Step(r *Run) (bool, error) {
	eyes := r.Unit(0, 3)
	Emit(r, Drew{eyes})
	m.sum += uint64(eyes*6) * m.worth
	m.steps++
	return r.Tick+1 < m.Ticks, nil
}

func (m *lottery) Result(r *Run) Drew { return Drew{float64(m.sum)} }

func (m *lottery) Save(r *Run, w io.Writer) error {
	_, err := fmt.Fprintln(w, m.sum, m.steps)
	return err
}

func (m *lottery) Load(r *Run, from io.Reader) (*ecs.World, error) {
	w, err := m.Setup(r)
	if err != nil {
		return w, err
	}
	if _, err = fmt.Fscanln(from, &m.sum, &m.steps); err == nil && uint64(r.Tick) != m.steps {
		err = fmt.Errorf("Tick is %d after %d steps", r.Tick, m.steps)
	}
	return w, err
}

// loads records the messages of Test.
type loads struct {
	testing.TB
	said []string
}

func (l *loads) Logf(format string, args ...any) {
	l.said = append(l.said, fmt.Sprintf(format, args...))
}

// TestLoadCallsSetup checks a Load that calls Setup: Setup must draw the same numbers as at the start,
// and no row may appear twice.
func TestLoadCallsSetup(t *testing.T) {
	for _, settings := range [][]string{nil, {"wide=true"}, {"ticks=40"}} {
		l := &loads{TB: t}
		Test[*lottery](l, settings...)
		if said := strings.Join(l.said, "\n"); !strings.Contains(said, "the same saved and loaded ") {
			t.Errorf("%v: it was never loaded:\n%s", settings, said)
		}
	}
}
