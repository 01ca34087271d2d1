package main

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/random"
	"github.com/lanewise/lanewise/study"
)

// Epidemic is the model. Its exported fields are the parameters.
type Epidemic struct {
	Side  int     `default:"64" range:"4..4096" unit:"people" help:"on a side of the town"`
	Beta  float64 `default:"0.2" range:"0..1" unit:"1/day" help:"chance to catch it from an infected neighbour"`
	Gamma float64 `default:"0.1" range:"0..1" unit:"1/day" help:"chance to recover"`
	Days  int     `default:"200" range:"1..100000" help:"after which nobody looks any more"`
	First int     `default:"5" range:"1..1000" unit:"people" help:"infected on the first day"`

	people *ecs.Query
	before []int    // how many people come before each chunk
	all    []Health // everybody at the beginning of the day, row by row
	day    spread
	peak   int
}

// Health is how a person is.
type Health struct{ Value uint8 }

// Column says that a column of them is a slice.
func (Health) Column() (c []uint8) { return }

const (
	susceptible = iota
	infected
	recovered
)

// The streams of what is drawn.
const (
	streamFirst = iota
	streamCatch
	streamRecover
)

// Day is a row of the table day.
type Day struct {
	Susceptible, Infected, Recovered int
}

// Outcome is what a run ends with.
type Outcome struct {
	Attack float64 `unit:"share" help:"of people who had it"`
	Peak   int     `unit:"people" help:"infected at once, at most"`
	Days   int
}

// Setup makes the town.
func (m *Epidemic) Setup(r *study.Run) (*ecs.World, error) {
	w, err := m.town(r)
	if err != nil {
		return w, err
	}
	n := uint64(len(m.all))
	for i := range m.First {
		m.all[random.BelowOf(r.Key(streamFirst).ID(uint64(i)), n)] = Health{infected}
	}
	m.put()
	return w, nil
}

// town makes a world of people who are all well.
func (m *Epidemic) town(r *study.Run) (*ecs.World, error) {
	w := ecs.NewWorld(fmt.Sprint("epidemic ", r.Index), ecs.OnPool(r.Pool()))
	m.people = w.Query(ecs.Write[Health]())
	m.all = make([]Health, m.Side*m.Side)
	for range w.Create(w.Archetype(ecs.With[Health]()), len(m.all)) {
	}
	m.before = m.people.AppendOffsets(nil)
	m.day = spread{m: m, r: r}
	return w, nil
}

// put writes what all has into the world.
func (m *Epidemic) put() {
	for c := range m.people.Chunks() {
		for i := range *ecs.Column[Health](c) {
			(*ecs.Column[Health](c))[i] = m.all[m.before[c.Index()]+i].Value
		}
	}
}

// Step is one day.
func (m *Epidemic) Step(r *study.Run) (bool, error) {
	if err := m.people.ParallelFor(&m.day).Wait(); err != nil {
		return false, err
	}
	var count [3]int
	for c := range m.people.Chunks() {
		for i, h := range *ecs.Peek[Health](c) {
			m.all[m.before[c.Index()]+i] = Health{h}
			count[h]++
		}
	}
	m.peak = max(m.peak, count[infected])
	study.Emit(r, Day{count[susceptible], count[infected], count[recovered]})
	return count[infected] > 0 && r.Tick+1 < m.Days, nil
}

// Result measures the end.
func (m *Epidemic) Result(r *study.Run) Outcome {
	if atEnd != nil {
		atEnd(m)
	}
	had := 0
	for _, h := range m.all {
		if h.Value != susceptible {
			had++
		}
	}
	return Outcome{Attack: float64(had) / float64(len(m.all)), Peak: m.peak, Days: r.Tick}
}

// atEnd is shown a town when its run is done, unless it is nil: for what no table has.
var atEnd func(*Epidemic)

// Save writes how everybody is: long runs go on from there.
func (m *Epidemic) Save(_ *study.Run, w io.Writer) error {
	if err := binary.Write(w, binary.LittleEndian, int64(m.peak)); err != nil {
		return err
	}
	return binary.Write(w, binary.LittleEndian, m.all)
}

// Load makes the town as it was saved.
func (m *Epidemic) Load(r *study.Run, from io.Reader) (*ecs.World, error) {
	w, err := m.town(r)
	if err != nil {
		return w, err
	}
	var peak int64
	if err := binary.Read(from, binary.LittleEndian, &peak); err != nil {
		return w, err
	}
	m.peak = int(peak)
	err = binary.Read(from, binary.LittleEndian, m.all)
	m.put()
	return w, err
}

// spread is the job of a day.
type spread struct {
	m *Epidemic
	r *study.Run
}

// Chunk decides for the people of one chunk what they catch, and whether they recover.
// It reads how their neighbours were in the morning.
func (s *spread) Chunk(c *ecs.Chunk) {
	m, now := s.m, *ecs.Column[Health](c)
	for i := range now {
		at := m.before[c.Index()] + i
		switch m.all[at].Value {
		case susceptible:
			well := 1.0
			for range m.sick(at) {
				well *= 1 - m.Beta
			}
			if well < 1 && s.r.Unit(uint64(at), streamCatch) >= well {
				now[i] = infected
			}
		case infected:
			if s.r.Unit(uint64(at), streamRecover) < m.Gamma {
				now[i] = recovered
			}
		}
	}
}

// sick counts the infected neighbours of a person.
func (m *Epidemic) sick(at int) (n int) {
	x, y := at%m.Side, at/m.Side
	for _, d := range [4][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
		u, v := x+d[0], y+d[1]
		if u >= 0 && u < m.Side && v >= 0 && v < m.Side && m.all[v*m.Side+u].Value == infected {
			n++
		}
	}
	return n
}
