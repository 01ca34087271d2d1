package ecs_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// A builder that NewImageBuilder has not created returns errors, and can be closed.
func TestZeroBuilder(t *testing.T) {
	for _, b := range []*ecs.ImageBuilder{nil, {}} {
		b.Close()
		_, errChunk := b.AddChunk(ecs.ImageChunk{}, 1)
		m, errImage := b.Image()
		for _, err := range []error{b.AddState(ecs.ImageState{}), b.AddShared(ecs.ImageShared{}), b.AddArchetype(ecs.ImageArchetype{}), errChunk, errImage} {
			if !errors.Is(err, ecs.ErrState) || !strings.Contains(err.Error(), "NewImageBuilder") {
				t.Errorf("got error %v", err)
			}
		}
		if b.Close(); m != nil {
			t.Error("there is an image")
		}
	}
}

// Methods of a released image panic, even methods that only return a count.
func TestReleased(t *testing.T) {
	w := ecs.NewWorld(t.Name())
	w.Spawn(Place{})
	m, err := ecs.Capture(w, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m.Len() != 1 {
		t.Errorf("%d entities", m.Len())
	}
	if err := m.Release(); err != nil {
		t.Fatal(err)
	}
	for what, f := range map[string]func(*ecs.Image){
		"State":       func(m *ecs.Image) { m.State() },
		"EntityName":  func(m *ecs.Image) { m.EntityName(ecs.Entity{}) },
		"Shared":      func(m *ecs.Image) { m.Shared() },
		"Archetypes":  func(m *ecs.Image) { m.Archetypes() },
		"Chunk":       func(m *ecs.Image) { m.Chunk(0, 0) },
		"Columns":     func(m *ecs.Image) { m.Columns() },
		"SharesChunk": func(m *ecs.Image) { m.SharesChunk(m, 0, 0) },
		"Len":         func(m *ecs.Image) { m.Len() },
	} {
		for _, m := range []*ecs.Image{m, nil} {
			err := func() (err error) {
				defer func() { err, _ = recover().(error) }()
				f(m)
				return nil
			}()
			if !errors.Is(err, ecs.ErrArgument) || !strings.HasPrefix(err.Error(), "ecs: Image."+what+": ") {
				t.Errorf("%s: got error %v", what, err)
			}
		}
	}
}
