// Package render shows a world: it finds which entities each camera sees and hands them,
// in batches, to a renderer that draws them. Without a renderer everything is computed.
//
//	assets := render.NewAssets()
//	boat := assets.Shape(render.Shape{Name: "boat", Positions: [][3]float32{{0, 1, 0}, {-1, -1, 0}, {1, -1, 0}}})
//	paint := assets.Material(render.Material{Name: "paint", Color: color.NRGBA{200, 40, 30, 255}})
//
//	err := render.Install(w, render.Options{Renderer: r, Assets: assets})
//	w.Spawn(render.Look{Shape: boat, Material: paint}, transform.Translation{X: 3}, transform.LocalToWorld{})
//	w.Spawn(render.Camera{Height: 40})
//
// # The words
//
// A shape is points, lines, triangles or a sprite; a material is its colour; a [Look] is
// the ids of both, and a layer. A box is a middle and half a size along the axes. A
// camera sees what lies inside of its planes; to cull is to leave out what does not. A
// view is what one camera sees in one frame, a batch what is drawn in it with one Look,
// a part a batch's share of one chunk.
//
// # A frame
//
// In the world's Presentation, in this order:
//
//	MissingBounds   gives entities with a Look Bounds, WorldBounds and ChunkBounds
//	Interpolate     finds where entities with Previous are between two fixed steps
//	Bootstrap       prepares the cameras
//	UpdateBounds    computes WorldBounds and ChunkBounds of chunks that have changed
//	ChooseLevels    finds at which level of detail each group is for each camera
//	FilterLevels    leaves out what is of other levels
//	DrawMeshes      culls, makes batches, has the renderer draw
//
// What moves something in the presentation does so before [MissingBounds]. KeepPrevious
// stands in FixedStep: it notes where things are before each step.
//
// # Promises
//
// Views and batches are the same on every machine and for any number of workers. A chunk
// is tested before its rows, and the rows that are seen are those that a test of every
// row would find, because its box has a margin: see cull.go. What has not changed is not computed again. The steady
// state allocates nothing. A renderer that fails, or panics, fails its frame and no
// other.
//
// Bounds are components and are hashed as others are; everything else in a world has the
// same hash with this package and without, with a renderer and without.
//
// # Inside
//
// A scene is the state that the systems of a world share. It has a slot for each chunk that can be
// drawn, with the addresses of its lanes, the rows that can be seen (own) and their box;
// and an eye for each camera, with a mask and a count for each slot. A slot
// has a stamp, the number of the build that filled it: an eye's masks are valid for slots that
// are not newer than its own stamp, while its camera stays. So a frame costs as much as has
// changed, and a frame without changes costs the comparison of stamps.
//
// [slots.refresh] may be called by any system that needs slots, with a query of [drawn]:
// what an earlier one has done in the frame is not done again.
//
// Groups of levels have a row each in a table, and each eye has a level for each row;
// links have the group of each row of a slot. Where rows have a [Level],
// an eye has an own of its own: its passes. If these change the eye culls anew. What has
// [Previous] has [Drawn], which stands for LocalToWorld in bounds, slots and cameras.
//
// A scene that has a feed shows another world: its slots and groups are copies of that
// one's, with the same stamps, made by [Extract]; its own queries are not asked.
package render
