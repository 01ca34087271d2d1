// Package images is for programs that write, read, compare or build images of worlds: an [ecs.Image]
// as plain values, and a [Builder] that makes an image of the same. [Fork] makes
// another world of an image. To take images and go back to them package ecs is enough: ecs.Capture, ecs.Restore and ecs.Image.
//
// Words:
//
//	state      what an image has beside its rows: free ids, names, sums. [StateOf] returns a State.
//	archetype  a set of components and the chunks with rows of it; a group of them has the same shared values.
//	chunk      rows: their ids, and a part for each component.
//	part       one column of one chunk: lanes as they lie in memory, bits, or a value.
//	builder    makes an image of states, archetypes, chunks and parts, and trusts none of them.
//
// What holds it together: State, Shared, Archetype and Chunk are all that there is. Whoever writes an image to a file writes these;
// what a file may leave out is said with each. Functions of an image may be called by several goroutines at once, and panic with an
// *ecs.Error of category ecs.ErrArgument if it is released. What they show of chunks is the image's own memory: to be read, and good as long
// as the image is not released. Bodies, and what images share, are in package ecs (ecs/image*.go, ecs/builder*.go), which has to know
// how rows lie in worlds. The types here are other words for types of that package, so that nothing is converted; [Part] has a
// field that only package ecs can look into. Errors are those of package ecs, and begin with "ecs: images.".
package images

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/sister"
)

// dynamic is where the bodies are. It has no fields: a call of a method is a call of that function.
var dynamic = ecs.Dynamic(sister.Key{}).Images()
