package images_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/images"
)

// A builder that was not made says so, and can be closed.
func TestZeroBuilder(t *testing.T) {
	for _, b := range []*images.Builder{nil, {}} {
		b.Close()
		_, errChunk := b.Chunk(images.Chunk{}, 1)
		m, errImage := b.Image()
		for _, err := range []error{b.State(images.State{}), b.Shared(images.Shared{}), b.Archetype(images.Archetype{}), errChunk, errImage} {
			if !errors.Is(err, ecs.ErrState) || !strings.Contains(err.Error(), "images.NewBuilder") {
				t.Errorf("got error %v", err)
			}
		}
		if b.Close(); m != nil {
			t.Error("there is an image")
		}
	}
}

// Functions of an image panic when it is released: those that count, too.
func TestReleased(t *testing.T) {
	w := ecs.NewWorld(t.Name())
	w.Spawn(Place{})
	m, err := ecs.Capture(w, nil)
	if err != nil {
		t.Fatal(err)
	}
	if images.Len(m) != 1 {
		t.Errorf("%d entities", images.Len(m))
	}
	if err := m.Release(); err != nil {
		t.Fatal(err)
	}
	for what, f := range map[string]func(*ecs.Image){
		"StateOf":      func(m *ecs.Image) { images.StateOf(m) },
		"NameOf":       func(m *ecs.Image) { images.NameOf(m, ecs.Entity{}) },
		"SharedOf":     func(m *ecs.Image) { images.SharedOf(m) },
		"ArchetypesOf": func(m *ecs.Image) { images.ArchetypesOf(m) },
		"ChunkOf":      func(m *ecs.Image) { images.ChunkOf(m, 0, 0) },
		"Parts":        func(m *ecs.Image) { images.Parts(m) },
		"SharesChunk":  func(m *ecs.Image) { images.SharesChunk(m, m, 0, 0) },
		"Len":          func(m *ecs.Image) { images.Len(m) },
	} {
		for _, m := range []*ecs.Image{m, nil} {
			err := func() (err error) {
				defer func() { err, _ = recover().(error) }()
				f(m)
				return nil
			}()
			if !errors.Is(err, ecs.ErrArgument) || !strings.HasPrefix(err.Error(), "ecs: images."+what+": ") {
				t.Errorf("%s: got error %v", what, err)
			}
		}
	}
}
