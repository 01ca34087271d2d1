package roads

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// marks has for each column of a world, and for the rows of each chunk, the number of systems that have not seen the
// last change. No hash has these numbers, and change filters depend on them. For example, a Restore that does not
// bring a version back makes a filter of Changed show rows that did not change.
type marks struct {
	unseen  []uint16
	systems int // in the world
}

// readMarks calls f for each column and for the rows of each chunk, where rows are a column without a component. The
// systems that have not seen the last change are the first n of seers.
func readMarks(w *ecs.World, f func(c *ecs.ImageChunk, of reflect.Type, n int)) (seers []string, err error) {
	m, err := ecs.Capture(w, nil)
	if err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	defer func() { _ = m.Release() }() // it is not released, so that there is no error
	s := system.StateOf(m)
	if s == nil || len(s.Systems) == 0 { // an inspector, for example, gives a world without systems an empty list of them
		return nil, nil
	}
	age := func(version uint32) uint32 { // all versions of the image are older than that of the world, and 0 is never
		if version == 0 {
			return math.MaxUint32
		}
		return w.Version() - version
	}
	list := slices.Clone(s.Systems)
	slices.SortStableFunc(list, func(a, b system.SystemState) int { return -compareAges(age(a.Version), age(b.Version)) })
	for i := range list {
		seers = append(seers, list[i].Name)
	}
	count := func(version uint32) int {
		n, _ := slices.BinarySearchFunc(list, age(version), func(a system.SystemState, age0 uint32) int { return -compareAges(age(a.Version), age0) })
		return n
	}
	for i, a := range m.Archetypes() {
		for j := range a.Chunks {
			c := m.Chunk(i, j)
			f(&c, nil, count(c.OrderVersion))
			for k := range c.Columns {
				column := &c.Columns[k]
				n := count(column.Version)
				if column.ThroughVersion != 0 {
					n = max(n, count(column.ThroughVersion))
				}
				f(&c, column.Component, n)
			}
		}
	}
	return seers, nil
}

func compareAges(a, b uint32) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// marksOf returns the marks of a world.
func marksOf(w *ecs.World) (m marks, err error) {
	seers, err := readMarks(w, func(_ *ecs.ImageChunk, _ reflect.Type, n int) { m.unseen = append(m.unseen, uint16(n)) })
	m.systems = len(seers)
	return m, err
}

// compare returns an error if the world has other marks than want. Worlds with different systems cannot be compared:
// Subject.Systems may leave out groups that have no members.
func (want marks) compare(w *ecs.World) error {
	got, err := marksOf(w)
	if err != nil || got.systems != want.systems || slices.Equal(got.unseen, want.unseen) {
		return err
	}
	if a, b := len(got.unseen), len(want.unseen); a != b {
		return fmt.Errorf("the chunks have %d columns, and %d without the road", a, b)
	}
	i, text, system := -1, "", 0
	seers, err := readMarks(w, func(c *ecs.ImageChunk, of reflect.Type, n int) {
		i++
		a, b := got.unseen[i], want.unseen[i]
		if a == b || text != "" {
			return
		}
		filter := "OrderChanged"
		if of != nil {
			filter = fmt.Sprintf("Changed of %v", of)
		}
		text, system = fmt.Sprintf("%s shows the chunk of entity %v to %d systems, and to %d without the road", filter, c.Entities[0], a, b), int(min(a, b))
	})
	if err != nil {
		return err
	}
	return fmt.Errorf("%s; one of the systems is %s", text, seers[system])
}
