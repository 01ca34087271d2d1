// Package scene stores entities in text files that people write. A text contains names, components
// and references. The package also has a baked form of a text, which loads as fast as memory can be
// copied.
//
// [Parse] reads a text, and [Document.Bake] creates an image from it. [ReadFile] and [BakeFile] do
// both for files. The baked file is next to the text. For example:
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
// The text is JSON with comments and trailing commas. The package guesses nothing. Parsing
// returns an error if a name, field or component does not exist, if a number is out of range, or
// if a name occurs twice. The error contains the file, the line, the column and the nearest
// existing name.
//
// # The text
//
// The text is an object with the members "prefabs" and "entities". "prefabs" and "entities" are
// objects that map names to entities. A name is any text that is not empty, does not begin with
// "@", and contains neither ":" nor a control character. The names in a file are unique.
//
// An entity is an object that maps the names of component types to values. If only one registered
// component has a certain name, that name is enough ("Mass", "Buffer[Waypoint]", "LinkedGroup").
// If several components have that name, add the package ("physics.Mass") or the full path
// ("example.org/game/physics.Mass"). For TranslationOf[float32], write the name of its alias in Go,
// Translation. For TranslationOf[float64], write Translation64. The program must import the package
// of the type, and the component must be registered: see [ecs.RegisterComponent]. The following
// keys are not components:
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
// A struct is an object with some of the struct's fields. The fields that are not in the text are
// zero, or have the values of the prefab. Numbers, bools and strings are JSON values. An array
// must have all of its elements. A buffer is an array of any length. An array or a buffer
// replaces the whole value of the prefab. A tag is {}. A float may also be "NaN", "+Inf" or
// "-Inf". A type with the method UnmarshalText is a string. Shared and managed components may
// also contain slices, maps with string keys, and pointers. A component with the method
// UnmarshalJSON may contain any value that the method accepts.
//
// An [ecs.Entity] is null, "@name" for an entity of this file, "@scene:name" for an entity of
// another scene, or "@:name" for the entity of that name in the world. In the image, references
// to entities outside of the scene are null. [Baked.Outward] lists them, so that a program can
// resolve them.
//
// Prefabs are entities with [ecs.Prefab]. Queries do not match prefabs. A program finds them by
// name and instantiates them. A prefab with children has an [ecs.LinkedGroup]. An entity that is
// "of" that prefab has one too. If one entity of the prefab refers to another one, the copy refers
// to the copy of that entity, as in [ecs.World.Instantiate].
//
// # Promises
//
// Equal texts produce equal images on every machine and for any number of workers. A text from an
// untrusted source can make a reader fail, but the memory that the reader uses is limited: see
// [MaxBytes]. After an error, nothing has changed.
//
// # Design
//
// Parse scans the text once and cuts it into pieces. Each piece is the text of one component. Parse
// merges prefabs and entities as lists of pieces, without decoding the pieces. Bake sorts entries
// into archetypes and chunks. Workers then decode the pieces into the columns of an
// [ecs.ImageBuilder]. If a type is plain memory, the workers write its fields at offsets into
// bytes, because that is fastest. Otherwise they use package reflect. The index of an entry is the
// index of its id in the image, so references need no second pass.
package scene
