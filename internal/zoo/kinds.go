package zoo

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/random"
)

// The shared components.
type (
	// Herd is a shared component that is a number.
	Herd struct {
		ecs.Shared
		Number int32
	}
	// Species has a text, and methods that ignore its case.
	Species struct {
		ecs.Shared
		Name string
	}
	// Leader has a reference.
	Leader struct {
		ecs.Shared
		Of ecs.Entity
	}
)

// Equal ignores case.
func (s Species) Equal(t Species) bool {
	trigger()
	return strings.EqualFold(s.Name, t.Name)
}

// Hash ignores case.
func (s Species) Hash() uint64 {
	trigger()
	h := uint64(14695981039346656037)
	for _, b := range []byte(strings.ToLower(s.Name)) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}

var speciesNames = [...]string{"wolf", "Heron", "LYNX"}

var shared = Feature{
	Name:  "shared",
	About: "shared components with a number, a reference, and a text with Equal and Hash; a command-buffer system",
	Types: listTypes(ecs.With[Herd](), ecs.With[Species](), ecs.With[Leader]()),
	Give: func(k *Keeper, animal int, e []any) []any {
		v := Leader{}
		if animal >= 3 && animal%5 == 0 && k.Size != Large {
			v.Of = k.Animals[1]
		}
		half := animal % 2
		if animal >= 3 && k.Size != Large { // not more chunks than needed
			half = 2 * animal / k.count()
		}
		return append(e, Herd{Number: int32(half)}, Species{Name: speciesNames[half]}, v)
	},
	Link: func(k *Keeper, animal int) error {
		if e := k.Animals[animal]; animal == 0 && ecs.Has[Leader](k.World, e) {
			return ecs.Set(k.World, e, Leader{Of: k.Animals[1]})
		}
		return nil
	},
	Systems: []*system.Type{system.Of[Join]()},
	Codecs: []Codec{codec(
		func(out []byte, v *Species) ([]byte, error) { return append(out, v.Name...), nil },
		func(in []byte, v *Species) error { v.Name = string(in); return nil },
	)},
}

// Join lets animals join another herd. It records commands in the buffer of a command-buffer system.
type Join struct {
	reader
	herds *ecs.Query
}

// Create makes the query.
func (s *Join) Create(u *system.Setup) error {
	s.herds = u.Query(ecs.Read[ID](), ecs.With[Herd](), ecs.With[Species](), ecs.With[Leader]())
	return nil
}

// Update loops and records.
func (s *Join) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	later := system.Commands[system.EndSimulation](f)
	for c := range s.herds.Chunks() {
		herd, leader := ecs.SharedValue[Herd](c), ecs.SharedValue[Leader](c)
		for i, id := range *ecs.ReadColumn[ID](c) {
			if !s.isDrawn(streamHerd, id, 25) {
				continue
			}
			e, n := c.Entities()[i], int32(s.Tick+uint32(id))
			if err := ecs.Set(later, e, Herd{Number: (herd.Number + n) % 3}); err != nil {
				return err
			}
			if n%4 == 0 {
				if err := ecs.Set(later, e, Species{Name: speciesNames[n/4%3]}); err != nil {
					return err
				}
			}
			if n%4 == 1 && !leader.Of.IsZero() {
				if err := ecs.Set(later, e, Leader{}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// wolves is the feature with a query for one shared value.
var wolves = Feature{Name: "shared filter",
	About:   "a query for one shared value",
	Systems: []*system.Type{system.Of[Howl]()}}

// Howl writes the species of wolves with other letter case, which is the same value.
type Howl struct {
	_ system.After[Join]
	reader
	wolves *ecs.Query
}

// Create makes the query.
func (s *Howl) Create(u *system.Setup) error {
	s.wolves = u.Query(ecs.Read[ID](), ecs.WithShared(Species{Name: "Wolf"}))
	return nil
}

// Update loops and records.
func (s *Howl) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	later := system.Commands[system.EndSimulation](f)
	for c := range s.wolves.Chunks() {
		for i, id := range *ecs.ReadColumn[ID](c) {
			if s.isDrawn(streamHerd, id, 40) {
				if err := ecs.Set(later, c.Entities()[i], Species{Name: "WOLF"}); err != nil { // is equal
					return err
				}
			}
		}
	}
	return nil
}

// The cleanup components.
type (
	// Trace is plain.
	Trace struct {
		ecs.Cleanup
		Steps uint32
	}
	// Grave is a tag.
	Grave struct{ ecs.Cleanup }
	// Will is shared.
	Will struct {
		ecs.Cleanup
		ecs.Shared
		Share int32
	}
	// Debt is an element of a buffer.
	Debt struct {
		ecs.Cleanup
		To   ecs.Entity
		Much int32
	}
	// Estate is the singleton that adds up everything that dead animals leave.
	Estate struct {
		Dead, Debts uint32
		Sum         int64
	}
)

// InlineCapacity returns 1, so that the chunk stores some buffers inline and others outside.
func (Debt) InlineCapacity() int { return 1 }

// Column names the lane.
func (Trace) Column() (c struct{ Steps []uint32 }) { return }

var cleanups = Feature{
	Name:  "cleanups",
	About: "cleanup components: plain, tag, shared and buffer; entities that wait for them",
	Types: listTypes(ecs.With[Trace](), ecs.With[Grave](), ecs.With[Will](), ecs.With[ecs.Buffer[Debt]](), ecs.With[Estate]()),
	Give: func(_ *Keeper, animal int, e []any) []any {
		return append(e, Trace{Steps: uint32(animal)}, Grave{}, Will{Share: 1}, ecs.BufferOf(Debt{Much: int32(animal % 9)}))
	},
	Link: func(k *Keeper, animal int) error {
		if e := k.Animals[animal]; ecs.Has[ecs.Buffer[Debt]](k.World, e) {
			return ecs.AppendBuffer(k.World, e, Debt{To: k.Animals[animal/2], Much: 1})
		}
		return nil
	},
	Spawn: func(k *Keeper) error {
		if _, err := ecs.CreateSingleton(k.World, Estate{}); err != nil {
			return err
		}
		for i := range k.countFor(40, 300) {
			debts := make([]Debt, 1+i%4)
			for j := range debts {
				debts[j] = Debt{To: k.Animals[i%len(k.Animals)], Much: int32(i + j)}
			}
			k.World.Spawn(ID{uint64(1000_000 + i)}, Mortal{}, Trace{Steps: uint32(i)}, Grave{}, Will{Share: int32(i % 2)}, ecs.BufferOf(debts...))
		}
		return nil
	},
	Systems: []*system.Type{system.Of[Die](), system.Of[Inherit]()},
}

// Mortal marks entities that die one after the other and leave their cleanup components.
type Mortal struct{}

// Die destroys mortal entities.
type Die struct {
	reader
	living *ecs.Query
}

// Create makes the query.
func (s *Die) Create(u *system.Setup) error {
	s.living = u.Query(ecs.Read[ID](), ecs.With[Mortal]())
	return nil
}

// Update loops and records.
func (s *Die) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	for c := range s.living.Chunks() {
		for i, id := range *ecs.ReadColumn[ID](c) {
			if s.isDrawn(streamDeath, id, 30) {
				if err := f.Commands().Destroy(c.Entities()[i]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Inherit removes the cleanup components of dead entities, some in the tick of the death and some
// later, and adds their values to the estate.
type Inherit struct {
	_ system.After[Die]
	reader
	dead   *ecs.Query
	estate *ecs.Query
}

// Create makes the queries.
func (s *Inherit) Create(u *system.Setup) error {
	s.dead = u.Query(ecs.Read[Trace](), ecs.Read[ecs.Buffer[Debt]](), ecs.With[Will](), ecs.Without[ID]())
	s.estate = u.Query(ecs.Write[Estate]())
	u.Require(s.estate)
	return nil
}

// Update loops and records.
func (s *Inherit) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	all, err := ecs.Singleton[Estate](s.estate)
	if err != nil {
		return err
	}
	for c := range s.dead.Chunks() {
		steps, debts := ecs.ReadColumn[Trace](c).Steps, ecs.ReadColumn[ecs.Buffer[Debt]](c)
		for i, e := range c.Entities() {
			if (steps[i]+s.Tick)%3 == 0 {
				continue // later
			}
			all.Dead++
			all.Sum += int64(steps[i]) * int64(ecs.SharedValue[Will](c).Share+1)
			for _, d := range debts.At(i).Slice() {
				if f.World().Exists(d.To) {
					all.Debts += uint32(d.Much)
				}
			}
			err := ecs.RemoveTypes(f.Commands(), ecs.One(e), ecs.With[Trace](), ecs.With[Grave](), ecs.With[Will](), ecs.With[ecs.Buffer[Debt]]())
			if err != nil {
				return err
			}
		}
	}
	return ecs.SetSingleton(s.estate, all)
}

// The managed components.
type (
	// Label is a text and a reference. Values are replaced and never changed in place, because images
	// and copies share the data of a managed component.
	Label struct {
		ecs.Managed
		Text   string
		Friend ecs.Entity
	}
	// Letters holds the length of an animal's label, because World.Hash omits managed components.
	Letters struct{ Count int32 }
)

// Column names the values.
func (Label) Column() (c []Label) { return }

// Column names the lane.
func (Letters) Column() (c []int32) { return }

var managed = Feature{
	Name:  "managed",
	About: "a managed component with a text, a reference and a codec; a change filter",
	Types: listTypes(ecs.With[Label](), ecs.With[Letters]()),
	Give: func(_ *Keeper, animal int, e []any) []any {
		return append(e, Label{Text: fmt.Sprint("animal ", animal)}, Letters{})
	},
	Link: func(k *Keeper, animal int) error {
		if e := k.Animals[animal]; ecs.Has[Label](k.World, e) {
			return ecs.Set(k.World, e, Label{Text: fmt.Sprint("animal ", animal), Friend: k.Animals[animal/3]})
		}
		return nil
	},
	Systems: []*system.Type{system.Of[Rename](), system.Of[Spell]()},
	Codecs:  []Codec{codec(encodeLabel, decodeLabel)},
}

func encodeLabel(out []byte, v *Label) ([]byte, error) {
	out = binary.LittleEndian.AppendUint32(out, uint32(v.Friend.Index))
	out = binary.LittleEndian.AppendUint32(out, uint32(v.Friend.Version))
	return append(out, v.Text...), nil
}

func decodeLabel(in []byte, v *Label) error {
	if len(in) < 8 {
		return errors.New("a label of less than eight bytes")
	}
	v.Friend = ecs.Entity{Index: int32(binary.LittleEndian.Uint32(in)), Version: int32(binary.LittleEndian.Uint32(in[4:]))}
	v.Text = string(in[8:])
	return nil
}

// Rename writes managed components, through the columns of a loop and by commands.
type Rename struct {
	reader
	labels *ecs.Query
}

// Create makes the query.
func (s *Rename) Create(u *system.Setup) error {
	s.labels = u.Query(ecs.Write[Label](), ecs.Read[ID]())
	return nil
}

// Update loops, writes and records.
func (s *Rename) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	if s.Tick%2 == 1 {
		return nil
	}
	for c := range s.labels.Chunks() {
		labels := *ecs.Column[Label](c)
		for i, id := range *ecs.ReadColumn[ID](c) {
			switch random.BelowOf(s.roll(streamLabel, id), 24) {
			case 0:
				labels[i] = Label{Text: labels[i].Text + "!", Friend: c.Entities()[i]}
			case 1:
				v := Label{Text: fmt.Sprint("animal ", id), Friend: labels[i].Friend}
				if err := ecs.Set(f.Commands(), c.Entities()[i], v); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Spell counts letters where labels changed.
type Spell struct {
	_       system.After[Rename]
	labels  *ecs.Query
	friends *ecs.Lookup[ID]
}

// Create makes the query.
func (s *Spell) Create(u *system.Setup) error {
	s.labels = u.Query(ecs.Read[Label](), ecs.Write[Letters](), ecs.Changed[Label](), ecs.Anywhere(ecs.Read[ID]()))
	s.friends = ecs.NewLookup[ID](s.labels)
	return nil
}

// Update schedules the job.
func (s *Spell) Update(f *system.Frame) error {
	f.ParallelFor(s.labels, s)
	return nil
}

// Chunk is the job.
func (s *Spell) Chunk(c *ecs.Chunk) {
	n := *ecs.Column[Letters](c)
	for i, v := range *ecs.ReadColumn[Label](c) {
		id, _ := s.friends.Get(v.Friend)
		n[i] = int32(len(v.Text)) + int32(id.Value%100)*1000
	}
}
