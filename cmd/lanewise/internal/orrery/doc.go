// Package orrery is the solar system as a world of the library: bodies are
// entities, their elements components, and a step is an update of the world.
//
// A minor planet is one entity. What has moons is a small tree, so that the
// spin of a planet does not drag its moons along:
//
//	place        Translation      where the planet is, ecliptic axes
//	├─ body      Rotation         the planet, spinning
//	├─ plane     Rotation         the reference plane of a moon's orbit
//	│  └─ moon   Translation      where the moon is in it
//	└─ plane …
//
// One update, in order; each system runs over chunks in parallel:
//
//	Precess          angles, date           → heading of each ellipse that precesses
//	Walk             elements, date         → Translation
//	Spin             period, date           → Rotation
//	transform.Group  the trees, in float64  → LocalToWorld
package orrery
