//go:build !js

package model

// This file makes the flock a model of package study. Pages are built without it, because they run no study, and package study would make the
// compressed program of the gallery 120 KB larger.

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/study"
)

// Order is a row of the table order. The order is 1 if all birds fly in one direction, and near 0 if
// they fly in random directions.
type Order struct{ Order float64 }

// Outcome is the result of a run.
type Outcome struct {
	Order float64 `help:"at the end, in the mean of the last half"`
}

// Setup places the birds at random.
func (m *Flock) Setup(r *study.Run) (*ecs.World, error) {
	return m.Make(fmt.Sprint("flock ", r.Index), r.Pool(), r.Seed)
}

// Step does one tick.
func (m *Flock) Step(r *study.Run) (bool, error) {
	if err := m.Tick(r.Tick); err != nil {
		return false, err
	}
	order := m.order()
	study.Emit(r, Order{order})
	m.total += order
	if r.Tick < m.Ticks/2 {
		m.total = 0
	}
	return r.Tick+1 < m.Ticks, nil
}

// Result returns the result at the end of a run.
func (m *Flock) Result(*study.Run) Outcome {
	if AtEnd != nil {
		AtEnd(m)
	}
	return Outcome{Order: m.total / float64(m.Ticks-m.Ticks/2)}
}

// AtEnd is called with the flock at the end of a run. It is for output that is not a table. It may
// be nil.
var AtEnd func(*Flock)

// Save writes the world and the data outside of it, so that a long run can continue later.
func (m *Flock) Save(r *study.Run, w io.Writer) error {
	if err := binary.Write(w, binary.LittleEndian, m.total); err != nil {
		return err
	}
	return study.SaveWorld(r, w)
}

// Load restores a saved flock.
func (m *Flock) Load(r *study.Run, from io.Reader) (*ecs.World, error) {
	w, err := m.Setup(r)
	if err != nil {
		return w, err
	}
	if err := binary.Read(from, binary.LittleEndian, &m.total); err != nil {
		return w, err
	}
	return w, study.LoadWorld(w, from)
}
