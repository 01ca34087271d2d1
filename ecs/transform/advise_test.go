package transform_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// beforeTransforms is a system that names a group of this library.
type beforeTransforms struct {
	_ system.Before[transform.Group]
}

func (*beforeTransforms) Update(*system.Frame) error { return nil }

// TestMissingGroup checks the warning about an attribute that names transform.Group, for a world without the transforms:
// the log and Warnings must name the call that adds them, and a world with the transforms must cause no warning.
func TestMissingGroup(t *testing.T) {
	const head = "transform_test.beforeTransforms before github.com/lanewise/lanewise/ecs/transform.Group, but the world has no transform.Group: "
	only := system.Only(system.Of[beforeTransforms]())
	for _, tt := range []struct {
		name string
		make func(log system.Option) (*ecs.World, error)
		want string
	}{
		{"Only", func(log system.Option) (*ecs.World, error) { return system.NewWorld("", log, only) },
			head + "not named in system.Only: give its plugin to the world by system.WithPlugins(transform.Systems()), or leave out Only"},
		{"WithPlugins", func(log system.Option) (*ecs.World, error) {
			return system.NewWorld("", log, only, system.WithPlugins(transform.Systems()))
		}, ""},
		{"AddSystems", func(system.Option) (*ecs.World, error) {
			w := ecs.NewWorld("")
			return w, system.AddSystems(w, system.Of[system.Simulation](), system.Of[beforeTransforms]())
		}, head + "call system.AddSystems with the types of its plugin, transform.Systems().Types..."},
	} {
		var log strings.Builder
		w, err := tt.make(system.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if err := system.Update(w); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(system.Warnings(w), "\n"); !strings.HasSuffix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: warnings %q, want %q", tt.name, got, tt.want)
		}
		if tt.name != "AddSystems" && !strings.Contains(log.String(), tt.want) { // that world uses the default logger
			t.Errorf("%s: the log is %q, want %q", tt.name, log.String(), tt.want)
		}
	}
}

// claiming is a component with which a program takes over the computation of LocalToWorld.
type claiming struct{ X float32 }

func (claiming) WriteGroups() []ecs.Term { return []ecs.Term{ecs.With[transform.LocalToWorld]()} }

// Warnings and Explain give advice about common omissions, for one entity or for many. Warnings and
// Explain neither wait for jobs nor change the world. There is no advice about an entity with all
// necessary components, or with a matrix that the program writes.
func TestAdvise(t *testing.T) {
	for _, tt := range []struct {
		name   string
		values func(b *bench) []any // of one entity
		want   string               // "" means no warning
	}{
		{"a root", func(*bench) []any { return []any{transform.Translation{}, transform.LocalToWorld{}} }, ""},
		{"a child", func(b *bench) []any {
			return []any{transform.Translation{}, transform.LocalToWorld{}, transform.LocalToParent{}, transform.Parent{Entity: b.root(transform.Translation{})}}
		}, ""},
		{"a local child", func(b *bench) []any {
			return []any{transform.At[float32](1, 2, 3), transform.LocalToWorld{}, transform.Parent{Entity: b.root(transform.Translation{})}}
		}, ""},
		{"one's own matrix", func(*bench) []any { return []any{transform.LocalToWorld{M: transform.IdentityMatrix[float32]()}} }, ""},
		{"one's own by write group", func(b *bench) []any {
			return []any{claiming{}, transform.Translation{}, transform.LocalToWorld{}, transform.Parent{Entity: b.root(transform.Translation{})}}
		}, ""},
		{"a link of one's own", func(b *bench) []any { return []any{transform.Parent{Entity: b.root(transform.Translation{})}} }, ""},
		{"no LocalToParent", func(b *bench) []any {
			return []any{transform.Translation{}, transform.LocalToWorld{}, transform.Parent{Entity: b.root(transform.Translation{})}}
		},
			"transform: the LocalToWorld of # stays as it is: Translation and Parent, but no LocalToParent"},
		{"no LocalToParent, and no part", func(b *bench) []any {
			return []any{transform.LocalToWorld{}, transform.Parent{Entity: b.root(transform.Translation{})}}
		},
			"transform: the LocalToWorld of # stays as it is: Parent, but no LocalToParent"},
		{"no LocalToParent64", func(b *bench) []any {
			return []any{transform.Translation64{}, transform.LocalToWorld64{}, transform.LocalToParent{}, transform.Parent{Entity: b.root(transform.Translation{}, transform.LocalToWorld64{})}}
		}, "transform: the LocalToWorld of # stays as it is: Translation64 and Parent, but no LocalToParent64"},
		{"no Parent", func(*bench) []any {
			return []any{transform.Rotation{W: 1}, transform.LocalToWorld{}, transform.LocalToParent{}}
		},
			"transform: the LocalToWorld of # stays as it is: LocalToParent, but no Parent"},
		{"two kinds", func(*bench) []any {
			return []any{transform.Scale{}, transform.LocalTransform{}, transform.LocalToWorld{}}
		},
			"transform: the LocalToWorld of # stays as it is: LocalTransform and Scale: one of them must go"},
		{"no LocalToWorld", func(b *bench) []any {
			return []any{transform.Translation{}, transform.LocalToParent{}, transform.Parent{Entity: b.root(transform.Translation{})}}
		},
			"transform: # Parent, but no LocalToWorld: add it, or nothing is computed"},
	} {
		for _, n := range []int{1, 300} {
			b := newBench(t)
			values := tt.values(b)
			var first ecs.Entity
			for i := range n {
				if e := b.w.Spawn(values...); i == 0 {
					first = e
				}
			}
			b.update()
			hash, version := b.w.Hash(), b.w.Version()
			got := system.Warnings(b.w)
			name, verb := "entity "+first.String(), " has"
			if n > 1 {
				name, verb = fmt.Sprintf("entity %v and %d more", first, n-1), " have"
			}
			if strings.HasPrefix(tt.want, "transform: # ") {
				name += verb
			}
			want := strings.ReplaceAll(tt.want, "#", name)
			if len(got) > 1 || strings.Join(got, "") != want {
				t.Errorf("%s, %d of them: warnings %q, want %q", tt.name, n, got, want)
			}
			if want != "" && !slices.Contains(system.Explain(b.w).Advice, want) {
				t.Errorf("%s: the advice is %q", tt.name, system.Explain(b.w).Advice)
			}
			if b.w.Hash() != hash || b.w.Version() != version {
				t.Errorf("%s: the warnings have changed the world", tt.name)
			}
		}
	}
}

// If children have a parent without a matrix, the advice reports this after the update that has found
// it. There may be any number of children, in one or several chunks. There is no advice about a parent
// that no longer exists.
func TestAdviseOnBareParents(t *testing.T) {
	b := newBench(t)
	gone, bare := b.w.Spawn(transform.Translation{}), b.w.Spawn(transform.Translation{X: 1})
	narrow := b.root(transform.Translation{})
	b.child(gone, transform.Translation{})
	b.ok(b.w.Destroy(gone))
	b.update()
	if ws := system.Warnings(b.w); len(ws) > 0 {
		t.Errorf("of a parent that does not exist: %q", ws)
	}
	var last ecs.Entity
	for range 300 {
		last = b.child(bare, transform.Translation{})
	}
	wide := b.w.Spawn(transform.Translation64{}, transform.LocalToParent64{}, transform.LocalToWorld64{}, transform.Parent{Entity: narrow})
	for range 3 {
		b.update()
	}
	want := func(n, child, parent string) {
		t.Helper()
		text := "transform: " + n + " made a root so far for want of a parent with LocalToWorld of the width, such as " + child + ", a child of " + parent
		if ws := system.Warnings(b.w); len(ws) != 1 || !strings.HasPrefix(ws[0], text) {
			t.Errorf("warnings %q, want %q", ws, text)
		}
	}
	want("301 children", wide.String(), narrow.String())
	b.ok(ecs.Add(b.w, last, transform.Parent{Entity: bare}))
	b.ok(ecs.Add(b.w, last, transform.LocalToParent{}))
	b.update()
	want("302 children", last.String(), bare.String())
}

// There is advice about a world without the group: a world of ecs.NewWorld, and a world of NewWorld
// with Only. There is no such advice if the world has the plugin or its system types.
func TestAdviseOnTheGroup(t *testing.T) {
	only, err := system.NewWorld("", system.Only())
	if err != nil {
		t.Fatal(err)
	}
	with, err := system.NewWorld("", system.Only(), system.WithPlugins(transform.Systems()))
	if err != nil {
		t.Fatal(err)
	}
	late := ecs.NewWorld("")
	if err := system.AddSystems(late, append([]*system.Type{system.Of[system.Simulation]()}, transform.Systems().Types...)...); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		w    *ecs.World
		want int
	}{{only, 2}, {ecs.NewWorld(""), 2}, {with, 0}, {late, 0}} {
		if ws := system.Warnings(tt.w); len(ws) != 0 {
			t.Errorf("warnings of an empty world: %q", ws)
		}
		for range 300 {
			tt.w.Spawn(transform.Translation{}, transform.LocalToWorld{})
		}
		e := tt.w.Spawn(transform.LocalTransform64{}, transform.LocalToWorld64{})
		ws := system.Warnings(tt.w)
		if len(ws) != tt.want {
			t.Errorf("warnings %q, want %d", ws, tt.want)
			continue
		}
		for i, subject := range []string{"and 299 more have", "entity " + e.String() + " has"}[:tt.want] {
			if text := subject + " LocalToWorld and what it is made of, and the world has no transform.Group"; !strings.Contains(ws[i], text) {
				t.Errorf("warning %q, want %q", ws[i], text)
			}
		}
	}
	if err := system.Update(with); err != nil {
		t.Error(err)
	}
}
