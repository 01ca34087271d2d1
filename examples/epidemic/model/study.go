//go:build !js

package model

// This file makes the epidemic a model of package study. Pages are built without it, because they run no study, and package study
// would make the compressed program of the gallery larger.

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/study"
)

// Day is a row of the table day.
type Day struct {
	Susceptible, Infected, Recovered int
}

// Outcome is the result of a run.
type Outcome struct {
	Attack float64 `unit:"share" help:"of people who had it"`
	Peak   int     `unit:"people" help:"infected at once, at most"`
	Days   int
}

// Setup creates the town.
func (m *Epidemic) Setup(r *study.Run) (*ecs.World, error) {
	return m.Begin(fmt.Sprint("epidemic ", r.Index), r.Pool(), r.Key(StreamFirst)), nil
}

// Step simulates one day.
func (m *Epidemic) Step(r *study.Run) (bool, error) {
	count, err := m.NextDay(r.Pool(), r.Key(StreamDay))
	if err != nil {
		return false, err
	}
	m.peak = max(m.peak, count[Infected])
	study.Emit(r, Day{count[Susceptible], count[Infected], count[Recovered]})
	return count[Infected] > 0 && r.Tick+1 < m.Days, nil
}

// Result returns the result at the end of a run.
func (m *Epidemic) Result(r *study.Run) Outcome {
	if AtEnd != nil {
		AtEnd(m)
	}
	had := 0
	for at := range m.Side * m.Side {
		if m.town.health(at) != Susceptible {
			had++
		}
	}
	return Outcome{Attack: float64(had) / float64(m.Side*m.Side), Peak: m.peak, Days: r.Tick}
}

// AtEnd is called with the town at the end of a run. It is for output that is not a table. It may
// be nil.
var AtEnd func(*Epidemic)

// Save writes the states of all people, from which a long run continues.
func (m *Epidemic) Save(_ *study.Run, w io.Writer) error {
	if err := binary.Write(w, binary.LittleEndian, int64(m.peak)); err != nil {
		return err
	}
	all := make([]uint8, m.Side*m.Side)
	for at := range all {
		all[at] = m.town.health(at)
	}
	return binary.Write(w, binary.LittleEndian, all)
}

// Load restores a saved town.
func (m *Epidemic) Load(r *study.Run, from io.Reader) (*ecs.World, error) {
	w := m.settle(fmt.Sprint("epidemic ", r.Index), r.Pool())
	var peak int64
	if err := binary.Read(from, binary.LittleEndian, &peak); err != nil {
		return w, err
	}
	m.peak = int(peak)
	all := make([]uint8, m.Side*m.Side)
	if err := binary.Read(from, binary.LittleEndian, all); err != nil {
		return w, err
	}
	for at, h := range all {
		m.town.set(at, h)
	}
	m.put()
	return w, nil
}
