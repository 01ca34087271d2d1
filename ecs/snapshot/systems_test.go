package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// Tally is the component that Steps writes.
type (
	Tally   struct{ N int64 }
	tallies struct{ N []int64 }
)

func (Tally) Column() (c tallies) { return c }

// Steps counts the steps of a fixed rate in a field. Steps writes the count to the rows that it sees as
// changed.
type Steps struct {
	_     system.In[system.FixedStep]
	n     int64
	query *ecs.Query
}

func (s *Steps) Create(u *system.Setup) error {
	s.query = u.Query(ecs.Write[Tally](), ecs.Read[Place](), ecs.Changed[Place]())
	return nil
}

func (s *Steps) Update(f *system.Frame) error {
	s.n++
	for c := range s.query.Chunks() {
		v := ecs.Column[Tally](c)
		for row := range c.Rows() {
			v.N[row] += s.n + int64(float64(1000*f.Elapsed()))
		}
	}
	return nil
}

func (s *Steps) AppendState(out []byte) []byte {
	return binary.LittleEndian.AppendUint64(out, uint64(s.n))
}

var errOlder = errors.New("it is of an older program")

func (s *Steps) LoadState(in []byte) error {
	if len(in) != 8 {
		return errOlder
	}
	s.n = int64(binary.LittleEndian.Uint64(in))
	return nil
}

// game creates a world with a fixed rate whose step does not divide the frames.
func game(t testing.TB) *ecs.World {
	w, err := system.NewWorld("game", system.Only(system.Of[Steps]()))
	must(t, err)
	t.Cleanup(func() { must(t, w.Close()) })
	system.Find[system.FixedStep](w).SetRate(system.CatchUpRate(1.0 / 50))
	return w
}

// frameOf runs one frame of a game.
func frameOf(t testing.TB, w *ecs.World, i int) {
	system.ClockOf(w).Advance(1.0 / 37)
	if i%5 == 0 {
		for _, e := range slices.Collect(w.Entities()) {
			must(t, ecs.Set(w, e, Place{X: float32(i)}))
			break
		}
	}
	if i%11 == 0 {
		w.Spawn(Place{X: float32(i)}, Tally{})
	}
	must(t, system.Update(w))
}

// TestSystems saves a game between two fixed steps and loads it. The loaded game must continue like a
// game that was not saved.
//
// Conformance: 359
func TestSystems(t *testing.T) {
	path := filepath.Join(t.TempDir(), "game")
	straight := game(t)
	hashes := map[int]uint64{}
	for i := range 120 {
		if i == 40 {
			must(t, Save(path, imageOf(t, straight), Piece("frame", []byte{40}), Piece("name", nil)))
		}
		frameOf(t, straight, i)
		hashes[i] = straight.Hash()
	}
	pieces := map[string][]byte{}
	fresh := game(t)
	must(t, Load(fresh, path, Pieces(pieces)))
	if len(pieces) != 2 || !bytes.Equal(pieces["frame"], []byte{40}) {
		t.Errorf("the pieces are %v", pieces)
	}
	m, err := Open(path)
	must(t, err)
	forked, err := ecs.Fork(m, "forked")
	must(t, err)
	t.Cleanup(func() { must(t, forked.Close()) })
	for _, in := range slices.Backward(system.Instances(fresh)) {
		must(t, system.AddSystems(forked, in.Type()))
	}
	for _, in := range system.Instances(fresh) { // groups exist now
		must(t, system.AddSystems(forked, in.Type()))
	}
	system.Find[system.FixedStep](forked).SetRate(system.CatchUpRate(1.0 / 50))
	must(t, system.RestoreState(forked, m))
	must(t, Load(straight, path)) // in place, from a later state
	for name, w := range map[string]*ecs.World{"fresh": fresh, "forked": forked, "straight": straight} {
		again := bytesOf(t, imageOf(t, w), Piece("frame", []byte{40}), Piece("name", nil))
		if want := bytesOf(t, m, Piece("frame", []byte{40}), Piece("name", nil)); !bytes.Equal(again, want) {
			t.Errorf("%s: the second save has other bytes", name)
		}
		for i := 40; i < 120; i++ {
			if frameOf(t, w, i); w.Hash() != hashes[i] {
				t.Fatalf("%s: frame %d has another hash", name, i)
			}
		}
	}
}

// If a system refuses its saved state, or if the world does not have the system of a saved state, the
// world does not change.
func TestSystemsRefuse(t *testing.T) {
	w := game(t)
	for i := range 30 {
		frameOf(t, w, i)
	}
	m := imageOf(t, w)
	for i := range system.StateOf(m).Systems {
		if s := &system.StateOf(m).Systems[i]; s.Own != nil {
			s.Own = s.Own[:3]
		}
	}
	path := filepath.Join(t.TempDir(), "game")
	must(t, Save(path, m))
	other := game(t)
	for i := range 70 {
		frameOf(t, other, i)
	}
	before := bytesOf(t, imageOf(t, other))
	err := Load(other, path)
	if !errors.Is(err, errOlder) || !strings.Contains(err.Error(), "Steps") {
		t.Error(err)
	}
	if !bytes.Equal(bytesOf(t, imageOf(t, other)), before) {
		t.Error("the world has changed")
	}
	bare := newWorld(t, 1)
	bare.Spawn(Place{})
	hash := bare.Hash()
	if err := Load(bare, path); !errors.Is(err, ecs.ErrArgument) || !strings.Contains(err.Error(), "Steps") || bare.Hash() != hash {
		t.Error(err)
	}
	must(t, Load(bare, path, Drop(here+"Steps")))
	if bare.Hash() != w.Hash() {
		t.Error("another hash")
	}
	defer func() {
		if err, _ := recover().(error); !errors.Is(err, errOlder) {
			t.Errorf("Restore has panicked with %v", err)
		}
	}()
	_ = ecs.Restore(other, m)
}

// A file is refused if its time is far ahead of its fixed rate and its MaximumDelta does not limit
// the steps: the next update would not end in reasonable time. The world does not change. A file
// that meets only one of the two conditions is accepted.
func TestSystemsRefuseEndless(t *testing.T) {
	for _, c := range []struct {
		elapsed, maximum float64
		endless          bool
	}{{1e9, 1e9, true}, {1e300, 1e300, true}, {1e9, 10, false}, {1, 1e9, false}} {
		w := game(t)
		for i := range 30 {
			frameOf(t, w, i)
		}
		m := imageOf(t, w)
		s := system.StateOf(m)
		s.Now.Elapsed, s.MaximumDelta = c.elapsed, c.maximum
		path := filepath.Join(t.TempDir(), "game")
		must(t, Save(path, m))
		other := game(t)
		before := bytesOf(t, imageOf(t, other))
		err := Load(other, path)
		if !c.endless {
			must(t, err)
			frameOf(t, other, 1)
			continue
		}
		if !errors.Is(err, ecs.ErrArgument) || !strings.Contains(err.Error(), "steps are due in one update") {
			t.Errorf("at %v, at most %v: %v", c.elapsed, c.maximum, err)
		}
		if !bytes.Equal(bytesOf(t, imageOf(t, other)), before) {
			t.Error("the world has changed")
		}
		if err := system.RestoreState(other, m); !errors.Is(err, ecs.ErrArgument) {
			t.Errorf("RestoreState: %v", err)
		}
	}
}

// If reading fails, the map of Pieces does not change.
func TestPiecesOfFailed(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(Place{})
	b := bytesOf(t, imageOf(t, w), Piece("a", []byte("b")))
	pieces := map[string][]byte{}
	_, err := Read(io.MultiReader(bytes.NewReader(b), strings.NewReader("x")), Pieces(pieces))
	if !errors.Is(err, ErrCorrupt) || len(pieces) != 0 {
		t.Errorf("%v, %v", err, pieces)
	}
	_, err = Read(bytes.NewReader(b))
	must(t, err)
}

// A world that cannot be changed cannot be loaded, and the error does not blame the file.
func TestLoadLater(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(Place{})
	b := bytesOf(t, imageOf(t, w))
	for range w.Query(ecs.With[Place]()).Chunks() {
		if err := LoadFrom(w, bytes.NewReader(b)); !errors.Is(err, ecs.ErrState) || errors.Is(err, ErrCorrupt) {
			t.Error(err)
		}
	}
	must(t, LoadFrom(w, struct{ io.Reader }{bytes.NewReader(b)}))
	if err := LoadFrom(nil, bytes.NewReader(b)); err == nil {
		t.Error("no world is loaded")
	}
	closed := ecs.NewWorld("closed")
	must(t, closed.Close())
	if err := LoadFrom(closed, bytes.NewReader(b)); !errors.Is(err, ecs.ErrDisposed) || errors.Is(err, ErrCorrupt) {
		t.Error(err)
	}
}
