package system

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// listBoot is a bootstrap of the older shape.
type listBoot struct {
	given []*Type
	then  func([]*Type) ([]*Type, error)
}

func (b *listBoot) Initialize(ts []*Type) ([]*Type, error) {
	b.given = slices.Clone(ts)
	return b.then(ts)
}

func TestBootstrap(t *testing.T) {
	tests := []struct {
		name string
		then func([]*Type) ([]*Type, error)
		want string // what becomes of the world
		err  error
	}{
		{"all", func(ts []*Type) ([]*Type, error) { return ts, nil }, "with stepper", nil},
		{"empty", func([]*Type) ([]*Type, error) { return []*Type{}, nil }, "groups alone", nil},
		{"nil", func([]*Type) ([]*Type, error) { return nil, nil }, "none", nil},
		{"error", func(ts []*Type) ([]*Type, error) { return ts, errBroken }, "none", errBroken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cleanBoot(t)
			Register[stepper]()
			Register[placeEditor]()
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
				if Find[stepper](w) != nil {
					got = "with stepper"
				}
				if Find[EndSimulation](w) == nil || !CurrentLoop().Has(w) {
					t.Error("the world lacks its groups, or is not in the loop")
				}
			}
			if got != tt.want || Default() != w {
				t.Errorf("world %s, want %s; default %v", got, tt.want, Default())
			}
			if !slices.Equal(b.given, []*Type{Of[stepper]()}) {
				t.Errorf("the bootstrap was given %v", b.given)
			}
		})
	}
}

// worldBoot is a bootstrap of the newer shape.
type worldBoot struct {
	t    *testing.T
	make bool
	done bool
	err  error
}

func (b *worldBoot) InitializeWorld(name string) (bool, error) {
	if b.make {
		SetDefault(namedWorld(b.t, name+" by hand"))
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
			if !errors.Is(err, tt.err) || boot.strap != tt.want {
				t.Errorf("error %v, bootstrap %T, want %v, %T", err, boot.strap, tt.err, tt.want)
			}
		})
	}
}

// The manual's custom bootstrap, in its six steps: the systems below a group of
// one's own go into a world of one's own, and the rest into the default one.
type (
	serverGroup struct{ Group }
	serverInner struct {
		Group
		_ In[serverGroup]
	}
	serverSystem struct {
		stepper
		_ In[serverInner]
	}
	serverBoot struct{ server *ecs.World }
)

func (b *serverBoot) Initialize(ts []*Type) (rest []*Type, err error) {
	b.server = ecs.NewWorld("server")         // 1: a world
	top := GetOrCreate[serverGroup](b.server) // 2: its top group
	var own []*Type
	for _, t := range ts { // 3: which types are its
		if t.Root() == Of[serverGroup]() {
			own = append(own, t)
		} else {
			rest = append(rest, t)
		}
	}
	for _, t := range own { // 4: make them, 5: put them into their groups
		if t == Of[serverGroup]() {
			continue
		}
		s, err := t.New(b.server)
		if err != nil {
			return nil, err
		}
		to := &top.Group
		if g := Find[serverInner](b.server); g != nil && t.Groups()[0] == Of[serverInner]() {
			to = &g.Group
		}
		if err := to.Add(s); err != nil {
			return nil, err
		}
	}
	return rest, top.Sort() // 6: sort
}

func TestManualBootstrap(t *testing.T) {
	cleanBoot(t)
	Register[serverGroup]()
	Register[serverInner]()
	Register[serverSystem]()
	Register[stepper]()
	b := new(serverBoot)
	w := playWith(t, b)
	if Find[serverSystem](w) != nil || Find[stepper](w) == nil || Find[stepper](b.server) != nil {
		t.Error("systems are in the wrong world")
	}
	if got, want := tree(&Find[serverGroup](b.server).Group, ""), "serverInner\n\tserverSystem\n"; got != want {
		t.Errorf("the server is\n%swant\n%s", got, want)
	}
	if err := InstanceOf(b.server, Find[serverGroup](b.server)).Update(); err != nil || len(Find[serverSystem](b.server).seen) != 1 {
		t.Errorf("the server's systems do not update: %v", err)
	}
}

// The manual's world B: one of its systems in the default world's simulation,
// another in its presentation.
type (
	worldBX    struct{ stepper }
	worldBY    struct{ stepper }
	worldBBoot struct{ b *ecs.World }
)

func (boot *worldBBoot) Initialize(ts []*Type) (rest []*Type, err error) {
	boot.b = ecs.NewWorld("world B")
	x, y := GetOrCreate[worldBX](boot.b), GetOrCreate[worldBY](boot.b)
	w := Default()
	err = errors.Join(GetOrCreate[Simulation](w).Add(x), GetOrCreate[Presentation](w).Add(y))
	for _, t := range ts {
		if t != Of[worldBX]() && t != Of[worldBY]() {
			rest = append(rest, t)
		}
	}
	return rest, err
}

func TestManualWorldB(t *testing.T) {
	cleanBoot(t)
	Register[worldBX]()
	Register[worldBY]()
	Register[stepper]()
	b := new(worldBBoot)
	w := playWith(t, b)
	if err := Update(w); err != nil {
		t.Fatal(err)
	}
	if got := worldTree(w); strings.Count(got, "worldBX") != 1 || strings.Count(got, "worldBY") != 1 || strings.Index(got, "worldBY") < strings.Index(got, "Presentation") {
		t.Errorf("the default world is\n%s", got)
	}
	if all := Instances(w); slices.IndexFunc(all, func(in *Instance) bool {
		return in.Type() == Of[Simulation]() && in.System() != System(Find[Simulation](w))
	}) >= 0 {
		t.Error("the default world has two simulations")
	}
	if len(Find[worldBX](b.b).seen) != 1 || len(Find[worldBY](b.b).seen) != 1 || Find[worldBX](w) != nil {
		t.Error("the systems of world B do not update once")
	}
}
