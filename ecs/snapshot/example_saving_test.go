package snapshot_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/ecs/system"
)

// Foe is an enemy on its way.
type Foe struct{ X float32 }

// Column says that a column of foes is one slice.
func (Foe) Column() (c []float32) { return }

// Chases names the entity that a foe runs after.
type Chases struct{ Target ecs.Entity }

// Title is a displayed name. It is managed, because a string is a Go pointer.
type Title struct {
	ecs.Managed
	Text string
}

// A file has the names of types: a program that only loads must know them before.
func init() {
	ecs.RegisterComponent[Foe]()
	ecs.RegisterComponent[Chases]()
	ecs.RegisterComponent[Title]()
}

// Waves moves the foes, and sends one more in each frame.
type Waves struct {
	_     system.In[system.Simulation]
	foes  *ecs.Query
	count uint32 // number of waves so far, which decides the place of the next foe
}

// Create asks for the query.
func (s *Waves) Create(u *system.Setup) error {
	s.foes = u.Query(ecs.Write[Foe]())
	return nil
}

// Update moves the foes and records the next one.
func (s *Waves) Update(f *system.Frame) error {
	for c := range s.foes.Chunks() {
		x := *ecs.Column[Foe](c)
		for i := range x {
			x[i]++
		}
	}
	s.count++
	_, err := f.Commands().Spawn(Foe{X: float32(100 * s.count)})
	return err
}

// AppendState saves the count with the world.
func (s *Waves) AppendState(out []byte) []byte {
	return binary.LittleEndian.AppendUint32(out, s.count)
}

// LoadState restores the count.
func (s *Waves) LoadState(in []byte) error {
	if len(in) != 4 {
		return errors.New("the waves of another version")
	}
	s.count = binary.LittleEndian.Uint32(in)
	return nil
}

// newGame makes a world with the systems of the game and without entities.
func newGame() *ecs.World {
	w, err := system.NewWorld("game", system.Only(system.Of[Waves]()))
	if err != nil {
		log.Fatal(err)
	}
	return w
}

// play runs the given number of frames.
func play(w *ecs.World, frames int) {
	for range frames {
		system.ClockOf(w).Advance(1.0 / 60)
		if err := system.Update(w); err != nil {
			log.Fatal(err)
		}
	}
}

// titles is the codec of Title.
var titles = snapshot.Codec(
	func(out []byte, t *Title) ([]byte, error) { return append(out, t.Text...), nil },
	func(in []byte, t *Title) error { t.Text = string(in); return nil },
)

// save writes the world to a file, with the number of the level.
func save(w *ecs.World, path string, level byte) error {
	image, err := ecs.Capture(w, nil)
	if err != nil {
		return err
	}
	defer image.Release()
	return snapshot.Save(path, image, titles, snapshot.Piece("level", []byte{level}))
}

// load replaces the world by the contents of the file, and returns the number of the level.
func load(w *ecs.World, path string) (level byte, err error) {
	pieces := map[string][]byte{}
	if err := snapshot.Load(w, path, titles, snapshot.Pieces(pieces)); err != nil {
		return 0, err
	}
	return pieces["level"][0], nil
}

func main() {
	dir, err := os.MkdirTemp("", "game")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "slot1.save")

	w := newGame()
	defer w.Close()
	hero := w.Spawn(Title{Text: "Vega"})
	w.Spawn(Foe{X: 50}, Chases{hero})
	play(w, 3)
	fmt.Println(save(w, path, 7))
	play(w, 2) // the player continues and loses
	lost := w.Hash()

	again := newGame() // another process, another day
	defer again.Close()
	level, err := load(again, path)
	title, _ := ecs.Get[Title](again, hero)
	fmt.Println(level, title.Text, again.Len(), err)
	play(again, 2)
	fmt.Println(again.Hash() == lost)
}

func Example_game() {
	main()
	// Output:
	// <nil>
	// 7 Vega 5 <nil>
	// true
}

// Crate1 is Crate as an older version of the game had it.
type Crate1 struct {
	X, Y   float32
	Weight int32 // in grams
	Colour uint8
}

// Crate is the current version.
type Crate struct {
	X, Y   float32
	Weight int32
	Fuel   float32 // a new field
}

func ExampleRenamed() {
	dir, err := os.MkdirTemp("", "game")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "old.save")
	old := ecs.NewWorld("old")
	e := old.Spawn(Crate1{X: 1, Y: 2, Weight: 30, Colour: 4})
	image, _ := ecs.Capture(old, nil)
	fmt.Println(snapshot.Save(path, image))

	ecs.RegisterComponent[Crate]()
	const was = "github.com/lanewise/lanewise/ecs/snapshot_test.Crate1"
	w := ecs.NewWorld("new")
	fmt.Println(errors.Is(snapshot.Load(w, path, snapshot.Renamed[Crate](was)), snapshot.ErrSchema))
	err = snapshot.Load(w, path, snapshot.Renamed[Crate](was), snapshot.Drop(was+".Colour"), snapshot.Recut(nil))
	crate, _ := ecs.Get[Crate](w, e)
	fmt.Printf("%+v %v\n", crate, err)
	// Output:
	// <nil>
	// true
	// {X:1 Y:2 Weight:30 Fuel:0} <nil>
}
