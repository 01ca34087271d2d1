// Package scene stores entities in text files that people write, with names, components and
// references, and in a baked form of the text that loads at the speed of memory.
//
// [Parse] reads a text, and [Document.Bake] makes an image of it. [ReadFile] and [BakeFile] do both
// for files, and keep the baked file next to the text. For example:
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
// The text is JSON with comments and trailing commas. Nothing is guessed: a name, field or
// component that does not exist, a number that does not fit and a duplicate are errors, with file,
// line, column and the nearest existing name.
//
// # The text
//
// The text is an object with "prefabs" and "entities", each an object of entities by name. A name
// is any text that is not empty, does not begin with "@" and has neither ":" nor a control
// character. The names of a file are unique.
//
// An entity is an object of components by the names of their types. The bare name is enough if only
// one registered component has it ("Mass", "Buffer[Waypoint]", "LinkedGroup"); otherwise use the
// package too ("physics.Mass") or the full path ("example.org/game/physics.Mass").
// TranslationOf[float32] has the name of its alias in Go, Translation, and TranslationOf[float64]
// is Translation64. The program must contain the package of the type, and the component must be
// registered: see [ecs.RegisterComponent]. The following keys are not components:
//
//   - "of" names a prefab. The entity has the components and children of the prefab; its own text overrides
//     them field by field.
//   - "children" are entities too. Their names are parent/child, and they have the component Parent, whose single field of
//     type [ecs.Entity] is the parent. If several components have that name, it is the one of ecs/transform. A child overrides
//     the child of the same name in the prefab of its parent.
//   - "remove" lists components of the prefab that this entity does not have.
//   - "disabled" and "enabled" list enableable components that are off, or on although they are off
//     in the prefab.
//
// A struct is an object with some of its fields; the other fields are zero or those of the prefab.
// Numbers, bools and strings are JSON values. An array has all of its elements, and a buffer is an
// array of any length; both replace the value of the prefab. A tag is {}. Floats may be "NaN",
// "+Inf" and "-Inf". A type with UnmarshalText is a string. Shared and managed components may also
// have slices, maps with string keys and pointers, and any value that their UnmarshalJSON reads.
//
// An [ecs.Entity] is null, "@name" for an entity of this file, "@scene:name" for an entity of
// another scene, or "@:name" for an entity of the world with that name. The last two are null in
// the image; [Baked.Outward] lists them, so that a program can resolve them.
//
// Prefabs are entities with [ecs.Prefab]: queries do not match them, and a program finds them by
// name to instantiate them. A prefab with children has [ecs.LinkedGroup], and so has an entity that
// is "of" it. As in [ecs.World.Instantiate], references inside of the prefab refer to the copies in
// a copy.
//
// # Promises
//
// Equal texts give equal images on every machine and for any number of workers. A text from an
// untrusted source can make a reader fail, but the memory that it takes is limited: see [MaxBytes].
// An error changes nothing.
//
// # Design
//
// Parse scans the text once and cuts it into pieces, one for each component. It merges prefabs and
// entities as lists of pieces without decoding them. Bake sorts entries into archetypes and chunks,
// and workers decode the pieces into the columns of an [ecs.ImageBuilder]: by offsets into bytes if
// the type is plain memory, because that is fastest, and otherwise through package reflect. The
// index of an entry is the index of its id in the image, so that references need no second pass.
package scene
