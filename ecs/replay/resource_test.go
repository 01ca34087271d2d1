package replay_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/replay"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/near"
)

// Spot is the place of one entity of a crowd.
type Spot struct{ X, Y float32 }

func (Spot) Column() (c struct{ X, Y []float32 }) { return }

// crowd is a resource, which images do not include.
type crowd struct{ grid *near.Grid[float32] }

// sortCrowd builds the grid.
type sortCrowd struct {
	spots *ecs.Query
	crowd *system.Resource[crowd]
}

func (s *sortCrowd) Create(u *system.Setup) error {
	s.spots, s.crowd = u.Query(ecs.Read[Spot]()), system.ResourceOf[crowd](u.World())
	s.crowd.Write().grid = near.New(near.Space[float32]{Dims: 2, Cell: 1, Border: near.Endless})
	return nil
}

func (s *sortCrowd) Update(*system.Frame) error { s.build(); return nil }

func (s *sortCrowd) build() {
	g := s.crowd.Write().grid
	g.Clear()
	for c := range s.spots.Chunks() {
		at := ecs.Column[Spot](c)
		g.Add(at.X, at.Y, nil)
	}
	g.Sort()
}

// savedCrowd builds the grid after the crowd has moved, and after a restore.
type savedCrowd struct{ sortCrowd }

func (*savedCrowd) AppendState(out []byte) []byte { return out }
func (s *savedCrowd) LoadState([]byte) error      { s.build(); return nil }

// spread moves each entity by a distance that depends on the number of its neighbours in the grid.
type spread struct {
	spots *ecs.Query
	crowd *system.Resource[crowd]
	found []near.Found[float32]
}

func (s *spread) Create(u *system.Setup) error {
	s.spots, s.crowd = u.Query(ecs.Write[Spot]()), system.ResourceOf[crowd](u.World())
	return nil
}

func (s *spread) Update(*system.Frame) error {
	g := s.crowd.Read().grid
	for c := range s.spots.Chunks() {
		at := ecs.Column[Spot](c)
		for i := range at.X {
			s.found = g.AppendWithin(s.found[:0], near.Point[float32]{X: at.X[i], Y: at.Y[i]}, 1)
			at.X[i] += 0.125 * float32(len(s.found))
			at.Y[i] += 0.0625 * float32(i%8)
		}
	}
	return nil
}

// These are the three orders: the grid is built before the tick reads it, after that, or after
// that by a Saver.
type (
	buildThenRead struct {
		spread
		_ system.After[sortCrowd]
	}
	readThenBuild struct {
		spread
		_ system.Before[sortCrowd]
	}
	readThenSaved struct {
		spread
		_ system.Before[savedCrowd]
	}
)

// A grid that is a resource is right after a restore in two cases: each tick builds the grid
// before reading it, or the grid's owner is a Saver that builds it from the restored entities.
// In any other case, the first tick after a restore reads a grid of a later tick, and SyncTest
// must name the system that reads it.
func TestGridAsResource(t *testing.T) {
	for name, c := range map[string]struct {
		types []*system.Type
		fault string // the system that SyncTest should name
	}{
		"built before":             {[]*system.Type{system.Of[sortCrowd](), system.Of[buildThenRead]()}, ""},
		"built after, by a Saver":  {[]*system.Type{system.Of[savedCrowd](), system.Of[readThenSaved]()}, ""},
		"built after, and no more": {[]*system.Type{system.Of[sortCrowd](), system.Of[readThenBuild]()}, ".readThenBuild"},
	} {
		for _, n := range []int{70, 1500} { // one chunk, and several
			w, err := system.NewWorld("crowd", system.Only(c.types...))
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			for i := range n {
				w.Spawn(Spot{X: float32(i*37%101) / 8, Y: float32(i*53%97) / 8})
			}
			step := func() {
				if err := system.Update(w); err != nil {
					t.Fatal(err)
				}
			}
			step()
			step()
			start, err := ecs.Capture(w, nil)
			if err != nil {
				t.Fatal(err)
			}
			var first, again [3]uint64
			for _, hashes := range []*[3]uint64{&first, &again} {
				if err := system.Restore(w, start); err != nil {
					t.Fatal(err)
				}
				for i := range hashes {
					step()
					hashes[i] = w.Hash()
				}
			}
			d, err := replay.SyncTest(replay.Run{World: w, Step: func(uint64) error { return system.Update(w) }}, 5)
			switch {
			case err != nil:
				t.Errorf("%s, %d: SyncTest: %v", name, n, err)
			case c.fault == "" && (first != again || d != nil):
				t.Errorf("%s, %d: hashes %x, after a restore %x; SyncTest: %v", name, n, first, again, d)
			case c.fault != "" && (d == nil || !strings.HasSuffix(d.System, c.fault)):
				t.Errorf("%s, %d: SyncTest: %v, want %s", name, n, fmt.Sprint(d), c.fault)
			case c.fault != "" && first == again:
				t.Errorf("%s, %d: the hashes are equal, so that the case shows nothing", name, n)
			}
		}
	}
}
