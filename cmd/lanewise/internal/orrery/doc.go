// Package orrery is the solar system as a world of the library: bodies are entities, their elements
// are components, and a step is an update of the world.
//
// A minor planet is one entity. A body with moons is a small tree, so that the
// spin of a planet does not move its moons:
//
//	place        Translation      position of the planet, ecliptic axes
//	├─ body      Rotation         the planet, spinning
//	├─ plane     Rotation         the reference plane of a moon's orbit
//	│  └─ moon   Translation      position of the moon in that plane
//	└─ plane …
//
// An update has these steps; each system runs over chunks in parallel:
//
//	Precess          angles, date           → heading of each ellipse that precesses
//	Walk             elements, date         → Translation
//	Spin             period, date           → Rotation
//	transform.Group  the trees, in float64  → LocalToWorld
package orrery
