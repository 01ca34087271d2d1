package app

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// listBoot is a Bootstrap.
type listBoot struct {
	given []*system.Type
	then  func([]*system.Type) ([]*system.Type, error)
}

func (b *listBoot) Initialize(ts []*system.Type) ([]*system.Type, error) {
	b.given = slices.Clone(ts)
	return b.then(ts)
}

func TestBootstrap(t *testing.T) {
	tests := []struct {
		name string
		then func([]*system.Type) ([]*system.Type, error)
		want string // the expected state of the world
		err  error
	}{
		{"all", func(ts []*system.Type) ([]*system.Type, error) { return ts, nil }, "with stepper", nil},
		{"empty", func([]*system.Type) ([]*system.Type, error) { return []*system.Type{}, nil }, "groups alone", nil},
		{"nil", func([]*system.Type) ([]*system.Type, error) { return nil, nil }, "none", nil},
		{"error", func(ts []*system.Type) ([]*system.Type, error) { return ts, errBroken }, "none", errBroken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cleanBoot(t)
			system.Register[stepper]()
			system.Register[placeEditor]()
			b := &listBoot{then: tt.then}
			if err := SetBootstrap(b); err != nil {
				t.Fatal(err)
			}
			w, err := Play("game")
			if !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			got := "none"
			if w != nil {
				got = "groups alone"
				if system.Find[stepper](w) != nil {
					got = "with stepper"
				}
				if system.Find[system.EndSimulation](w) == nil || !CurrentLoop().Has(w) {
					t.Error("the world lacks its groups, or is not in the loop")
				}
			}
			if got != tt.want || Default() != w {
				t.Errorf("world %s, want %s; default %v", got, tt.want, Default())
			}
			if !slices.Equal(b.given, []*system.Type{system.Of[stepper]()}) {
				t.Errorf("the bootstrap was given %v", b.given)
			}
		})
	}
}

// worldBoot is a WorldBootstrap.
type worldBoot struct {
	t    *testing.T
	make bool
	done bool
	err  error

	panic error
	made  *ecs.World
}

func (b *worldBoot) InitializeWorld(name string) (bool, error) {
	if b.make {
		b.made = namedWorld(b.t, name+" by hand")
		must(b.t, appendCurrent(b.made))
		SetDefault(b.made)
	}
	if b.panic != nil {
		panic(b.panic)
	}
	return b.done, b.err
}

func TestWorldBootstrap(t *testing.T) {
	tests := []struct {
		name string
		boot worldBoot
		want string
		err  error
	}{
		{"done", worldBoot{make: true, done: true}, "game by hand", nil},
		{"left to Play", worldBoot{}, "game", nil},
		{"not set", worldBoot{done: true}, "", ecs.ErrState},
		{"error", worldBoot{err: errBroken}, "", errBroken},
		{"error when it is set", worldBoot{make: true, done: true, err: errBroken}, "", errBroken},
		{"panic when it is set", worldBoot{make: true, panic: errBroken}, "", errBroken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cleanBoot(t)
			tt.boot.t = t
			if err := SetBootstrap(&tt.boot); err != nil {
				t.Fatal(err)
			}
			w, err := Play("game")
			if !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			got := ""
			if w != nil {
				got = w.Name()
			}
			if got != tt.want || Default() != w {
				t.Errorf("world %q, want %q; default %v", got, tt.want, Default())
			}
			if own := tt.boot.made; err != nil && own != nil && (CurrentLoop().Has(own) || slices.Contains(system.Worlds(), own)) {
				t.Error("the world of the bootstrap that failed is left")
			}
		})
	}
}

type derivedBoot struct{ *listBoot }

func TestSetBootstrap(t *testing.T) {
	base, derived, other := &listBoot{}, &derivedBoot{&listBoot{}}, &worldBoot{}
	tests := []struct {
		name string
		set  []any
		want any
		err  error
	}{
		{"derived later", []any{base, derived}, derived, nil},
		{"derived first", []any{derived, base}, derived, nil},
		{"unrelated", []any{base, other}, base, ecs.ErrState},
		{"taken away", []any{base, nil, other}, other, nil},
		{"no bootstrap", []any{base, 7}, base, ecs.ErrArgument},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cleanBoot(t)
			var err error
			for _, b := range tt.set {
				err = SetBootstrap(b)
			}
			if !errors.Is(err, tt.err) || bootState.strap != tt.want {
				t.Errorf("error %v, bootstrap %T, want %v, %T", err, bootState.strap, tt.err, tt.want)
			}
		})
	}
}

// The test performs the six steps of the custom bootstrap in Unity's manual. The systems below
// one group go to a separate world, and all other systems go to the default world.
type (
	serverGroup struct{ system.Group }
	serverInner struct {
		system.Group
		_ system.In[serverGroup]
	}
	serverSystem struct {
		stepper
		_ system.In[serverInner]
	}
	serverBoot struct{ server *ecs.World }
)

func (b *serverBoot) Initialize(ts []*system.Type) (rest []*system.Type, err error) {
	b.server = ecs.NewWorld("server") // 1: make a world
	all := []*system.Type{system.Of[serverGroup](), system.Of[serverInner](), system.Of[serverSystem]()}
	var own []*system.Type
	for _, t := range ts { // 2: choose its types
		if slices.Contains(all, t) {
			own = append(own, t)
		} else {
			rest = append(rest, t)
		}
	}
	if err := system.AddSystems(b.server, own...); err != nil { // 3: create them and put them into their groups
		return nil, err
	}
	return rest, system.Find[serverGroup](b.server).Sort() // 4: sort
}

func TestManualBootstrap(t *testing.T) {
	cleanBoot(t)
	system.Register[serverGroup]()
	system.Register[serverInner]()
	system.Register[serverSystem]()
	system.Register[stepper]()
	b := new(serverBoot)
	w := playWith(t, b)
	if system.Find[serverSystem](w) != nil || system.Find[stepper](w) == nil || system.Find[stepper](b.server) != nil {
		t.Error("systems are in the wrong world")
	}
	if got, want := tree(&system.Find[serverGroup](b.server).Group, ""), "serverInner\n\tserverSystem\n"; got != want {
		t.Errorf("the server is\n%swant\n%s", got, want)
	}
	if err := system.InstanceOf(b.server, system.Find[serverGroup](b.server)).Update(); err != nil || len(system.Find[serverSystem](b.server).seen) != 1 {
		t.Errorf("the server's systems do not update: %v", err)
	}
}

// This is World B of Unity's manual. One of its systems is in the group Simulation of the
// default world, another is in the group Presentation of the default world.
type (
	worldBX    struct{ stepper }
	worldBY    struct{ stepper }
	worldBBoot struct{ b *ecs.World }
)

func (boot *worldBBoot) Initialize(ts []*system.Type) (rest []*system.Type, err error) {
	boot.b = ecs.NewWorld("world B")
	x, y := system.GetOrCreate[worldBX](boot.b), system.GetOrCreate[worldBY](boot.b)
	w := Default()
	err = errors.Join(system.GetOrCreate[system.Simulation](w).Add(x), system.GetOrCreate[system.Presentation](w).Add(y))
	for _, t := range ts {
		if t != system.Of[worldBX]() && t != system.Of[worldBY]() {
			rest = append(rest, t)
		}
	}
	return rest, err
}

func TestManualWorldB(t *testing.T) {
	cleanBoot(t)
	system.Register[worldBX]()
	system.Register[worldBY]()
	system.Register[stepper]()
	b := new(worldBBoot)
	w := playWith(t, b)
	if err := system.Update(w); err != nil {
		t.Fatal(err)
	}
	if got := worldTree(w); strings.Count(got, "worldBX") != 1 || strings.Count(got, "worldBY") != 1 || strings.Index(got, "worldBY") < strings.Index(got, "Presentation") {
		t.Errorf("the default world is\n%s", got)
	}
	if all := system.Instances(w); slices.IndexFunc(all, func(in *system.Instance) bool {
		return in.Type() == system.Of[system.Simulation]() && in.System() != system.System(system.Find[system.Simulation](w))
	}) >= 0 {
		t.Error("the default world has two simulations")
	}
	if len(system.Find[worldBX](b.b).seen) != 1 || len(system.Find[worldBY](b.b).seen) != 1 || system.Find[worldBX](w) != nil {
		t.Error("the systems of world B do not update once")
	}
}
