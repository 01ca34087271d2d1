// Package zoo creates a world that uses every feature of the library: it has a component of each
// kind and a system of each kind. Only tests use it. Many faults occur where two features meet. So
// each test of a feature that works on whole worlds, for example saving, rollback or packing, also
// runs that feature on the zoo.
//
//	w, err := zoo.New(zoo.Options{Seed: 7, Size: zoo.Medium})
//	err = zoo.Tick(w)
//
// A [Feature] is one row of the table [Features]: the components that it gives to animals, the
// entities that it spawns, and its systems. A new feature of the library joins the zoo by a new row.
// A test that does not work with a feature lists it in Options.Without.
//
// # Design
//
// Each system changes World.Hash, so that a test that compares hashes notices a system with a wrong
// result. A system keeps no state outside of the world, except where the feature is such state and
// package system restores it (system.Saver). Random numbers come from the seed and the tick in the
// component [Book]. So a restored world draws the same numbers as the original world. If the
// contents depend on ids, for example because a shared value contains a reference, a copy of the
// world with other ids is equal only after its ids are mapped.
package zoo

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/pack"
	"github.com/lanewise/lanewise/ecs/scene"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/random"
)

// Size is the number of animals.
type Size int

// The sizes. All animals of the first two sizes have the same set of components. The animals of Large have subsets of
// it.
const (
	Small  Size = iota // 3 animals
	Medium             // enough animals for at least two chunks of one archetype
	Large              // 5,000 animals in more than 300 archetypes
)

// Sizes lists all sizes.
var Sizes = []Size{Small, Medium, Large}

// String returns the name of the size.
func (s Size) String() string {
	return [...]string{"small", "medium", "large"}[s]
}

// sets is the number of sets of components that the animals of a large zoo have.
const sets = 96

// Feature is one part of the zoo. All fields but Name and About are optional.
type Feature struct {
	Name  string
	About string         // its contents in a few words, for docs/roads.md
	Types []reflect.Type // the component types that come with it

	// Give appends the components of an animal.
	Give func(k *Keeper, animal int, e []any) []any

	// Link sets the references of an animal, after all animals are there.
	Link func(k *Keeper, animal int) error

	// Spawn makes entities that are not animals.
	Spawn func(k *Keeper) error

	// Systems are the types of its systems.
	Systems []*system.Type

	// Plugins are the systems of packages.
	Plugins []*system.Plugin

	// Install prepares a new world, before anything is spawned in it.
	Install func(k *Keeper) error

	// Codecs are for its managed and shared components.
	Codecs []Codec
}

// Features lists all features. The order only determines the ids of entities.
var Features = []Feature{
	book, plain, tags, switches, references, buffers, shared, wolves, cleanups, managed, chunkValues, blobs,
	whales, linkedGroups, crowds, seeds, rates, filters, orderFilters,
	transforms, trees, drawing, hosts, scenes, mixed, names, singletons, edits,
}

// A Refusal says that a road cannot carry a feature by nature. That road gets a zoo without these
// features, and a zoo with one of them must cause an error.
type Refusal struct {
	Road, Feature string
	Error         string // a part of the text of the error
}

// Refusals lists all refusals. docs/roads.md has this table.
var Refusals = []Refusal{
	{"pack", "blobs", "refers to a blob"},
	{"move", "shared filter", "holds a shared value"},
	{"arrow", "buffers", "zoo.Track] has no numbers in rows"},
	{"arrow", "cleanups", "zoo.Debt] has no numbers in rows"},
	{"arrow", "managed", "zoo.Label has no numbers in rows"},
	{"arrow", "chunk values", "zoo.Guard] has no numbers in rows"},
	{"arrow", "whales", "zoo.Song] has no numbers in rows"},
	{"arrow", "linked groups", "ecs.Linked] has no numbers in rows"},
	{"arrow", "trees", "ecs.Linked] has no numbers in rows"},
	{"arrow", "drawing", "render.ChunkBounds] has no numbers in rows"},
	{"arrow", "filters", "zoo.Visit] has no numbers in rows"},
	{"arrow", "hosts", "transform.Child] has no numbers in rows"},
	{"arrow", "scenes", "in the other world: "}, // its entities have names and buffers
	{"arrow", "mixed kinds", "zoo.Spot] has no numbers in rows"},
	{"arrow", "names", "has the name"},
}

// Refused returns the features that a road cannot carry.
func Refused(road string) (features []string) {
	for _, r := range Refusals {
		if r.Road == road {
			features = append(features, r.Feature)
		}
	}
	return features
}

// Options are the options of [New].
type Options struct {
	Seed    uint64
	Size    Size
	Without []string   // names of features that the zoo does not get
	Pool    *jobs.Pool // nil means jobs.Default
	Name    string     // of the world; "" means zoo
}

// features returns the rows of the table that a zoo with these options has.
func (o *Options) features() (list []*Feature, err error) {
	left := slices.Clone(o.Without)
	for i := range Features {
		f := &Features[i]
		if n := slices.Index(left, f.Name); n >= 0 {
			left = slices.Delete(left, n, n+1)
			continue
		}
		list = append(list, f)
	}
	if len(left) > 0 {
		return nil, fmt.Errorf("zoo: New: there is no feature %q", left)
	}
	return list, nil
}

// Keeper fills one zoo. The functions of a Feature receive the Keeper.
type Keeper struct {
	World   *ecs.World
	Seed    uint64
	Size    Size
	Animals []ecs.Entity
	Book    ecs.Entity // has the component Book
	levels  []ecs.Entity
}

// countFor returns the number of entities that a feature spawns in addition to the animals. It is
// one for the first size, and the given number for each of the other sizes.
func (k *Keeper) countFor(medium, large int) int { return [...]int{1, medium, large}[k.Size] }

// draw returns the random row of a number before the first tick.
func (k *Keeper) draw(stream uint32, id int) random.Row {
	return random.Key{Seed: k.Seed, Stream: stream}.ID(uint64(id))
}

// New makes a zoo. Zoos with equal options are equal: their entities have the same ids, and
// their hashes are the same after the same number of calls of [Tick].
func New(o Options) (_ *ecs.World, err error) {
	list, err := o.features()
	if err != nil {
		return nil, err
	}
	pool, name := o.Pool, o.Name
	if pool == nil {
		pool = jobs.Default()
	}
	if name == "" {
		name = "zoo"
	}
	var types []*system.Type
	var plugins []*system.Plugin
	for _, f := range list {
		types, plugins = append(types, f.Systems...), append(plugins, f.Plugins...)
	}
	w, err := system.NewWorld(name, system.OnPool(pool), system.Only(types...), system.WithPlugins(plugins...), system.WithLogger(nil))
	if err != nil {
		return nil, err
	}
	k := &Keeper{World: w, Seed: o.Seed, Size: o.Size}
	if err := errors.Join(k.install(list), k.fill(list)); err != nil {
		return nil, errors.Join(fmt.Errorf("zoo: New: %w", err), w.Close())
	}
	return w, nil
}

// Animal returns the components that an animal gets, with null references. Use it in tests that
// create worlds with other systems. The animal has the components of all features except the named
// ones.
func Animal(seed uint64, animal int, without ...string) (e []any, err error) {
	o := Options{Without: without}
	list, err := o.features()
	if err != nil {
		return nil, err
	}
	k := &Keeper{Seed: seed, Size: Large}
	for _, f := range list {
		if f.Give != nil {
			e = f.Give(k, animal, e)
		}
	}
	return e, nil
}

// Equip adds the systems of a zoo with these options to a world without systems, for example to a
// fork of a zoo.
func Equip(w *ecs.World, o Options) error {
	list, err := o.features()
	if err != nil {
		return err
	}
	types := slices.Clone(groups)
	for _, f := range list {
		types = append(types, f.Systems...)
		for _, p := range f.Plugins {
			for _, t := range p.Types {
				if !slices.Contains(types, t) {
					types = append(types, t)
				}
			}
		}
	}
	if err := system.AddSystems(w, types...); err != nil {
		return err
	}
	k := &Keeper{World: w, Seed: o.Seed, Size: o.Size}
	return k.install(list)
}

// groups are the groups and command-buffer systems that system.NewWorld gives to a world.
var groups = []*system.Type{
	system.Of[system.Initialization](), system.Of[system.BeginInitialization](), system.Of[system.EndInitialization](),
	system.Of[system.Simulation](), system.Of[system.BeginSimulation](), system.Of[system.EndSimulation](), system.Of[system.LateSimulation](),
	system.Of[system.FixedStep](), system.Of[system.BeginFixedStep](), system.Of[system.EndFixedStep](),
	system.Of[system.VariableRate](), system.Of[system.BeginVariableRate](), system.Of[system.EndVariableRate](),
	system.Of[system.Presentation](), system.Of[system.BeginPresentation](), system.Of[system.EndPresentation](),
}

// install prepares the world.
func (k *Keeper) install(list []*Feature) error {
	for _, f := range list {
		if f.Install == nil {
			continue
		}
		if err := f.Install(k); err != nil {
			return fmt.Errorf("feature %s: %w", f.Name, err)
		}
	}
	return nil
}

// fill makes the entities.
func (k *Keeper) fill(list []*Feature) error {
	n := 3
	for i := 0; i < n; i++ {
		var e []any
		for at, f := range list {
			if f.Give != nil && k.has(at, i) {
				e = f.Give(k, i, e)
			}
		}
		k.Animals = append(k.Animals, k.World.Spawn(e...))
		if i == 0 {
			n = k.count()
		}
	}
	for _, f := range list {
		if f.Link != nil {
			for i := range k.Animals {
				if err := f.Link(k, i); err != nil {
					return fmt.Errorf("feature %s: animal %d: %w", f.Name, i, err)
				}
			}
		}
		if f.Spawn != nil {
			if err := f.Spawn(k); err != nil {
				return fmt.Errorf("feature %s: %w", f.Name, err)
			}
		}
	}
	return nil
}

// count returns the number of animals, when one animal with all components is there.
func (k *Keeper) count() int {
	switch k.Size {
	case Small:
		return 3
	case Medium:
		return 5*k.World.ArchetypeOf(k.Animals[0]).Capacity()/2 + 1
	default:
		return 5_000
	}
}

// has reports whether an animal has the components of a feature. In a large zoo the animals are
// divided into sets. The first set has the components of all features.
func (k *Keeper) has(feature, animal int) bool {
	set := animal % sets
	if k.Size != Large || set == 0 || feature < 2 {
		return true
	}
	return random.BelowOf(k.draw(streamSets, set<<16|feature), 3) > 0
}

// Delta is the length of a tick in seconds.
const Delta = 1.0 / 30

// Tick runs one frame of a zoo, with the limit and the scale of its clock.
func Tick(w *ecs.World) error {
	c := system.ClockOf(w)
	c.Advance(float64(min(Delta, c.MaximumDelta) * c.Scale()))
	return system.Update(w)
}

// Codec has the functions that write and read the values of one type, in the form that each
// package requires.
type Codec struct {
	Type     reflect.Type
	Snapshot snapshot.Option
	Pack     pack.Option
	Scene    scene.Option
}

// codec makes a Codec.
func codec[T any](encode func(out []byte, v *T) ([]byte, error), decode func(in []byte, v *T) error) Codec {
	encoder := func(out []byte, v *T) ([]byte, error) { trigger(); return encode(out, v) }
	decoder := func(in []byte, v *T) error { trigger(); return decode(in, v) }
	return Codec{reflect.TypeFor[T](), snapshot.Codec(encoder, decoder), pack.Codec(encoder, decoder), scene.Codec(encoder, decoder)}
}

// SnapshotOptions returns the options that snapshot.Write and snapshot.Read need for any zoo.
func SnapshotOptions() (list []snapshot.Option) {
	for _, f := range Features {
		for _, c := range f.Codecs {
			list = append(list, c.Snapshot)
		}
	}
	return list
}

// PackOptions returns the options that pack.New needs for any zoo.
func PackOptions() (list []pack.Option) {
	for _, f := range Features {
		for _, c := range f.Codecs {
			list = append(list, c.Pack)
		}
	}
	return list
}

// armed holds the function that the methods and codecs of the zoo's values call, or nil.
var armed atomic.Pointer[func()]

// Arm makes the methods and codecs of the zoo's values call f each time, until disarm is called. For
// example, f panics at the tenth call.
func Arm(f func()) (disarm func()) {
	armed.Store(&f)
	return func() { armed.Store(nil) }
}

// trigger calls the function that was passed to Arm.
func trigger() {
	if f := armed.Load(); f != nil {
		(*f)()
	}
}

// listTypes lists component types.
func listTypes(terms ...ecs.Term) (list []reflect.Type) {
	for _, t := range ecs.TermTypes(terms...) {
		list = append(list, t.Type)
	}
	return list
}
