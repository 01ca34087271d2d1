package ecs

import (
	"fmt"
	"reflect"
)

// This file has the String methods of the handles of a world, so that package fmt does not print their fields: the fields are
// long, and jobs may be writing them.

// String names the world and counts what is in it: world "arena": 2 entities, 1 archetype.
func (w *World) String() string {
	switch {
	case w == nil:
		return "<nil>"
	case w.lent != nil:
		return fmt.Sprintf("world %q, lent to a transaction", w.name)
	case w.version == 0:
		return "the zero World"
	case !w.alive:
		return fmt.Sprintf("world %q, closed", w.name)
	}
	return fmt.Sprintf("world %q: %s, %s", w.name, plural(w.entities.live()-w.metas, "entity", "entities"), plural(len(w.archetypes), "archetype", "archetypes"))
}

// plural is a number and what it counts.
func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// String counts what is in the image.
func (m *Image) String() string {
	switch {
	case m == nil:
		return "<nil>"
	case m.pool == nil:
		return "an image that is released, or the zero Image"
	}
	return fmt.Sprintf("image of %s, %s", plural(m.rows, "entity", "entities"), plural(len(m.archetypes), "archetype", "archetypes"))
}

// String names the buffer and counts what it has recorded, without what jobs have: see [Commands.Len].
func (c *Commands) String() string {
	switch {
	case c == nil:
		return "<nil>"
	case c.world == nil:
		return "the zero Commands"
	case c.played:
		return fmt.Sprintf("buffer %q of world %q, played", c.name, c.world.name)
	}
	return fmt.Sprintf("buffer %q of world %q: %s", c.name, c.world.name, plural(len(c.list), "command", "commands"))
}

// String names the components of the chunk and counts its rows.
func (c *Chunk) String() string {
	switch {
	case c == nil:
		return "<nil>"
	case c.n < 0 || c.rec == nil:
		return "a chunk whose loop or job is over"
	}
	return fmt.Sprintf("chunk %d of %v: %s", c.index, c.rec.arch, plural(c.n, "row", "rows"))
}

// String names the component and the world.
func (l *Lookup[T]) String() string {
	switch {
	case l == nil:
		return "<nil>"
	case l.world == nil:
		return "the zero Lookup"
	}
	return fmt.Sprintf("look-up of %v in world %q", reflect.TypeFor[T](), l.world.name)
}
