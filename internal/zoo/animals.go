package zoo

import (
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
)

// The streams of random numbers. Each system that draws has its own stream.
const (
	streamSets = iota + 1
	streamPlace
	streamSpeed
	streamHunger
	streamSleep
	streamHerd
	streamLabel
	streamVisit
	streamMate
	streamTree
	streamBirth
	streamRest
	streamName
	streamDraw
	streamScene
	streamSow
	streamDeath
	streamOrder
	streamMood
	streamWhale
)

// Book is the singleton that holds the seed and the number of the tick. With it, the world contains
// everything on which later ticks depend.
type Book struct {
	Seed uint64
	Tick uint32
}

// ID is the number of an animal, from which its random numbers are made.
type ID struct{ Value uint64 }

// Column declares a column of one lane.
func (ID) Column() (c []uint64) { return }

var book = Feature{
	Name:  "book",
	About: "a singleton with the seed and the tick; random numbers by key",
	Types: listTypes(ecs.With[Book](), ecs.With[ID]()),
	Give:  func(_ *Keeper, animal int, e []any) []any { return append(e, ID{uint64(animal)}) },
	Spawn: func(k *Keeper) (err error) {
		k.Book, err = ecs.CreateSingleton(k.World, Book{Seed: k.Seed})
		return err
	},
	Systems: []*system.Type{system.Of[Turn]()},
}

// Turn increments the tick of the Book. It runs first in each frame.
type Turn struct {
	_    system.First[system.Initialization]
	book *ecs.Query
}

// Create makes the query.
func (s *Turn) Create(u *system.Setup) error {
	s.book = u.Query(ecs.Write[Book]())
	u.Require(s.book)
	return nil
}

// Update counts the tick.
func (s *Turn) Update(*system.Frame) error {
	b, err := ecs.Singleton[Book](s.book)
	if err != nil {
		return err
	}
	b.Tick++
	return ecs.SetSingleton(s.book, b)
}

// reader reads the book. A system embeds it, and calls open in each update before it draws.
type reader struct {
	pages *ecs.Query
	Book
}

// open reads the book.
func (r *reader) open(f *system.Frame) (err error) {
	if r.pages == nil {
		r.pages = f.Query(ecs.Read[Book]())
	}
	r.Book, err = ecs.Singleton[Book](r.pages)
	return err
}

// roll returns the random row of an animal in this tick.
func (r *reader) roll(stream uint32, id uint64) random.Row {
	return random.Key{Seed: r.Seed, Tick: r.Tick, Stream: stream}.ID(id)
}

// isDrawn reports whether the animal is drawn in this tick. This happens once in n ticks on average.
func (r *reader) isDrawn(stream uint32, id uint64, n int32) bool {
	return random.BelowOf(r.roll(stream, id), n) == 0
}

// The plain components: lanes of one type, lanes of many types, and an array.
type (
	// Place is a point in the cage.
	Place struct{ X, Y, Z float32 }
	// Speed is the distance that an animal moves in a second.
	Speed struct{ X, Y, Z float32 }
	// Body has lanes of many widths.
	Body struct {
		Small bool
		Legs  int8
		Marks [3]uint16
		Mass  float64
		Steps int32
	}
)

// Column names the lanes.
func (Place) Column() (c kernels.Vec3s[float32]) { return }

// Column names the lanes.
func (Speed) Column() (c kernels.Vec3s[float32]) { return }

// Column names the lanes.
func (Body) Column() (c struct {
	Small []bool
	Legs  []int8
	Marks [][3]uint16
	Mass  []float64
	Steps []int32
}) {
	return
}

// cage is the length of an edge of the cage in metres.
const cage = 16

var plain = Feature{
	Name:  "plain",
	About: "lanes of many widths; a job over chunks that calls kernels, and a job on the owner's goroutine",
	Types: listTypes(ecs.With[Place](), ecs.With[Speed](), ecs.With[Body]()),
	Give: func(k *Keeper, animal int, e []any) []any {
		x, y, z := random.Direction3Of[float32](k.draw(streamPlace, animal))
		at := random.Uniform4Of[float32](k.draw(streamSpeed, animal))
		return append(e, Place{at[0] * cage, at[1] * cage, at[2] * cage}, Speed{3 * x, 3 * y, 3 * z},
			Body{Small: animal%3 == 0, Legs: int8(animal % 5), Marks: [3]uint16{1: uint16(animal)}, Mass: 1 / float64(1+animal%7)})
	},
	Systems: []*system.Type{system.Of[Move](), system.Of[Grow]()},
}

// Move schedules a job over chunks that calls kernels. It moves animals, and turns those that reach a wall.
type Move struct {
	moving *ecs.Query
	dt     float32
}

// Create makes the query.
func (s *Move) Create(u *system.Setup) error {
	s.moving = u.Query(ecs.Write[Place](), ecs.Write[Speed]())
	return nil
}

// Update schedules the job.
func (s *Move) Update(f *system.Frame) error {
	s.dt = float32(f.Delta())
	f.ParallelFor(s.moving, s)
	return nil
}

// Chunk is the job.
func (s *Move) Chunk(c *ecs.Chunk) {
	p, v := ecs.Column[Place](c), ecs.Column[Speed](c)
	p.AddScaled(p, v, s.dt)
	for _, axis := range [...]struct{ p, v []float32 }{{p.X, v.X}, {p.Y, v.Y}, {p.Z, v.Z}} {
		for i, x := range axis.p {
			if x < 0 && axis.v[i] < 0 || x > cage && axis.v[i] > 0 {
				axis.v[i] = -axis.v[i]
			}
		}
	}
}

// Grow runs a job on the owner's goroutine. The job changes lanes of many widths.
type Grow struct {
	reader
	bodies *ecs.Query
}

// Create makes the query.
func (s *Grow) Create(u *system.Setup) error {
	s.bodies = u.Query(ecs.Write[Body](), ecs.Read[ID]())
	return nil
}

// Update runs the job.
func (s *Grow) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	return f.Run(s.bodies, s)
}

// Chunk is the job.
func (s *Grow) Chunk(c *ecs.Chunk) {
	b := ecs.Column[Body](c)
	for i, id := range *ecs.ReadColumn[ID](c) {
		if (uint32(id)+s.Tick)%4 != 0 {
			continue
		}
		b.Small[i] = !b.Small[i]
		b.Legs[i]++
		b.Marks[i][s.Tick%3] += uint16(id)
		b.Mass[i] = math.Sqrt(b.Mass[i] + 0.25)
		b.Steps[i] -= int32(b.Legs[i])
	}
}

// Whale is so large that a chunk has only a few whales.
type Whale struct {
	Weight int32
	Skin   [1000]int32
}

// Column names the lanes.
func (Whale) Column() (c struct {
	Weight []int32
	Skin   [][1000]int32
}) {
	return
}

// Song is a component of the chunks of whales. It is so large that a chunk has only a few songs.
type Song struct{ Notes [1000]int32 }

var whales = Feature{
	Name:  "whales",
	About: "a component of four kilobytes, and one of chunks; several chunks of each with free rows in a small world",
	Types: listTypes(ecs.With[Whale](), ecs.With[ecs.PerChunk[Song]]()),
	Spawn: func(k *Keeper) error {
		for i := range 10 + k.countFor(4, 10) {
			k.World.Spawn(Whale{Weight: int32(i)}, Blink{}, ecs.PerChunk[Song]{})
		}
		for i := range 10 { // whose chunks all rows can join
			if e := k.World.Spawn(Whale{Weight: int32(-1 - i)}, Blink{}); i%2 == 0 {
				if err := ecs.SetEnabled[Blink](k.World, e, false); err != nil {
					return err
				}
			}
		}
		return nil
	},
	Systems: []*system.Type{system.Of[Calve](), system.Of[Sing]()},
}

// Calve destroys some whales and creates another one.
type Calve struct {
	reader
	whales *ecs.Query
}

// Create makes the query.
func (s *Calve) Create(u *system.Setup) error {
	s.whales = u.Query(ecs.Write[Whale](), ecs.Optional(ecs.Write[Blink]()), ecs.IgnoreEnabled())
	return nil
}

// Update loops and records.
func (s *Calve) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	later, n := f.Commands(), 0
	for c := range s.whales.Chunks() {
		w := ecs.Column[Whale](c)
		for i, e := range c.Entities() {
			n++
			w.Skin[i][s.Tick%1000] += w.Weight[i]
			switch random.BelowOf(s.roll(streamWhale, uint64(w.Weight[i])), 6) {
			case 0:
				if err := later.Destroy(e); err != nil {
					return err
				}
			case 1:
				ecs.SetEnabledAt[Blink](c, i, !ecs.EnabledAt[Blink](c, i))
			}
		}
	}
	for ; n < 22; n++ {
		w := Whale{Weight: int32(s.Tick)*20 + int32(n)}
		if n%2 == 0 {
			if _, err := later.Spawn(w, Blink{}); err != nil {
				return err
			}
			continue
		}
		if _, err := later.Spawn(w, Blink{}, ecs.PerChunk[Song]{}); err != nil {
			return err
		}
	}
	return nil
}

// Sing schedules a job that writes the songs of some chunks, and to one whale of each chunk what its song was.
type Sing struct {
	_ system.After[Calve]
	reader
	whales *ecs.Query
}

// Create makes the query.
func (s *Sing) Create(u *system.Setup) error {
	s.whales = u.Query(ecs.Write[Whale](), ecs.Write[ecs.PerChunk[Song]]())
	return nil
}

// Update schedules the job.
func (s *Sing) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	f.ParallelFor(s.whales, s)
	return nil
}

// Chunk is the job.
func (s *Sing) Chunk(c *ecs.Chunk) {
	song := ecs.ChunkValue[Song](c)
	if uint32(c.Index())%3 == s.Tick%3 {
		song.Notes[s.Tick%1000]++
		song.Notes[999] = 3*song.Notes[999] + int32(s.Tick)
		ecs.SetChunkValue(c, song)
	}
	ecs.Column[Whale](c).Skin[0][999] = song.Notes[999]
}

// The tags.
type (
	// Hungry animals look for food.
	Hungry struct{}
	// Fed animals do not look for food.
	Fed struct{}
)

var tags = Feature{
	Name:  "tags",
	About: "tags; a system that records in its own command buffer, with Exchange",
	Types: listTypes(ecs.With[Hungry](), ecs.With[Fed]()),
	Give: func(_ *Keeper, animal int, e []any) []any {
		if animal%4 == 3 {
			return append(e, Fed{})
		}
		return append(e, Hungry{})
	},
	Systems: []*system.Type{system.Of[Eat]()},
}

// Eat records commands in its own command buffer while it loops: hungry animals are fed, and fed animals get
// hungry.
type Eat struct {
	reader
	hungry, fed *ecs.Query
}

// Create makes the queries.
func (s *Eat) Create(u *system.Setup) error {
	s.hungry = u.Query(ecs.Read[ID](), ecs.With[Hungry](), ecs.Without[Fed]())
	s.fed = u.Query(ecs.Read[ID](), ecs.With[Fed]())
	return nil
}

// Update loops and records.
func (s *Eat) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	later := f.Commands()
	for c := range s.hungry.Chunks() {
		for i, id := range *ecs.ReadColumn[ID](c) {
			if s.isDrawn(streamHunger, id, 8) {
				if err := ecs.Exchange[Hungry](later, ecs.One(c.Entities()[i]), Fed{}); err != nil {
					return err
				}
			}
		}
	}
	for c := range s.fed.Chunks() {
		for i, id := range *ecs.ReadColumn[ID](c) {
			if s.isDrawn(streamHunger, id, 4) {
				e := c.Entities()[i]
				if _, err := ecs.Remove[Fed](later, e); err != nil {
					return err
				}
				if err := ecs.Add(later, e, Hungry{}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
