// Package scene keeps entities in files that people write: a text that names them, their
// components and what refers to what, and a baked form of it that loads at the speed of memory.
//
// [Parse] reads a text, [Document.Bake] makes an image of it, [ReadFile] and [BakeFile] do both
// for files, with the baked form beside the text:
//
//	{
//		"prefabs": {
//			"lamp": {"Mass": {"Kg": 2}, "children": {"bulb": {"Light": {"Lumen": 800}}}},
//		},
//		"entities": {
//			"wheel":  {"Position": {"Y": 3}},
//			"lamp/1": {"of": "lamp", "Mass": {"Kg": 3}, "Parent": {"Entity": "@wheel"}}, // heavier
//		},
//	}
//
// It is JSON with comments and commas behind the last one. Nothing is guessed: names, fields and components
// that do not exist, numbers that do not fit and things that are said twice are errors with file, line and column, and with
// the nearest name that does exist.
//
// # The text
//
// The text is an object with "prefabs" and "entities", each an object of entities by their names. A name is
// any text that is not empty, does not begin with "@" and has no ":" or control character. All names of
// a file are different. An entity is an object of components, by the names of their types: the name alone while
// only one registered component has it ("Mass", "Buffer[Waypoint]", "LinkedGroup"), with the package ("physics.Mass"), or in full
// ("example.org/game/physics.Mass"). TranslationOf[float32] is called as its alias in Go, Translation, and TranslationOf[float64] Translation64. The package that has a type must be part of the program, and
// the component registered: see [ecs.RegisterComponent]. These keys are no components:
//
//   - "of" names a prefab. The entity has its components and children, and what it writes
//     itself lies over them, field by field.
//   - "children" are entities too. They are named parent/child, and have the component Parent (that of ecs/transform if several are called so), whose
//     one field of type [ecs.Entity] is the parent. Children of what is "of" a prefab lie over its children of the same name.
//   - "remove" is a list of components of the prefab that this entity has not.
//   - "disabled" and "enabled" are lists of enableable components that are off, or on although
//     those of the prefab are off.
//
// A struct is an object with some of its fields, the others are zero, or what the prefab says; a number, bool or string is
// itself. Arrays have all of their elements, buffers are arrays of any length; both replace what the prefab says. A tag is {}.
// Floats may be "NaN", "+Inf" and "-Inf". A type with UnmarshalText is a string. Shared and managed components may
// have slices, maps with strings as keys, and pointers too, and what UnmarshalJSON reads.
//
// An [ecs.Entity] is null, or "@name" for an entity of this file, "@scene:name" for one of another
// scene, and "@:name" for one that the world has by this name. The last two are null in the
// image: [Baked.Outward] lists them for programs that can resolve them.
//
// Prefabs are entities as well, with [ecs.Prefab]: queries do not see them, and a program finds them by their
// names to make more of them. One with children has [ecs.LinkedGroup], as has what is "of" it, and references between
// them lead to the copies in the copies, as [ecs.World.Instantiate] does it.
//
// # Inside
//
// Parse scans the text once and cuts it into pieces, one for each component that is written; prefabs
// are laid over each other as lists of pieces, without a look into them. Bake sorts entries into archetypes and
// chunks, and workers decode the pieces straight into the lanes of an [ecs.ImageBuilder]: by offsets
// into bytes where the type is plain memory, through package reflect where it is not. An entry's place in
// the document is its id in the image, so that references need no second pass.
package scene
