// Package render draws a world: it finds the entities that each camera sees and passes them, in
// batches, to a renderer. Without a renderer it computes the same batches and draws nothing.
//
//	assets := render.NewAssets()
//	boat := assets.Shape(render.Shape{Name: "boat", Positions: [][3]float32{{0, 1, 0}, {-1, -1, 0}, {1, -1, 0}}})
//	paint := assets.Material(render.Material{Name: "paint", Color: color.NRGBA{200, 40, 30, 255}})
//
//	err := render.Install(w, render.Options{Renderer: r, Assets: assets})
//	w.Spawn(render.Look{Shape: boat, Material: paint}, transform.Translation{X: 3}, transform.LocalToWorld{})
//	w.Spawn(render.Camera{Height: 40})
//
// # Concepts
//
// A [Shape] is the mesh: points, lines, triangles or a sprite. A [Material] is its color and image.
// A [Look] is the pair of ids of both, and a layer; entities with an equal Look are instances that
// are drawn together. A box is a middle and half a size along the axes (an AABB). Frustum culling
// leaves out entities whose box is outside of the planes of a camera. A [View] is the picture of
// one camera in one frame. A [Batch] is one draw call of a view, with one Look, and a [Part] is the
// share of one chunk in it.
//
// # A frame
//
// The systems in the world's Presentation, in this order:
//
//	MissingBounds   adds Bounds, WorldBounds and ChunkBounds to entities with a Look
//	Interpolate     computes the places of entities with Previous between two fixed steps
//	Bootstrap       prepares the cameras
//	UpdateBounds    computes WorldBounds and ChunkBounds of chunks that have changed
//	ChooseLevels    chooses the level of detail of each group for each camera
//	FilterLevels    leaves out entities of other levels
//	DrawMeshes      culls, makes batches and calls the renderer
//
// A system that moves entities in the Presentation must run before [MissingBounds]. KeepPrevious is
// in FixedStep: it records the places before each step.
//
// # Promises
//
// Views and batches are the same on every machine and for any number of workers. Culling tests a
// chunk before its rows, and finds the same rows as a test of every row, because the box of a chunk
// has a margin for rounding. Only chunks that have changed are computed again. The steady state
// allocates nothing. A renderer that fails, or panics, fails only its frame.
//
// Bounds are components, so they are part of a world's hash. Everything else in a world has the
// same hash with and without this package, and with and without a renderer.
//
// # Design
//
// A scene is the state that the systems of a world share. It has a slot for each chunk that can be
// drawn, with the addresses of its columns, the rows that can be drawn (drawableRows) and their box. It has
// a view for each camera, with a mask and a count for each slot. A slot has builtAt, the number of
// the build that filled it. While the camera stays the same, a view's masks are valid for slots
// whose builtAt is not newer than the view's culledBuild. Therefore the cost of a frame is proportional to the
// changes, and a frame without changes only compares these numbers.
//
// [slots.refresh] may be called by any system that needs slots, with a query of [drawn], because it
// skips chunks that an earlier call in the frame has handled.
//
// Groups of levels have a row each in a table, and each view has a level for each row. Links store
// the group of each row of a slot. If rows have a [Level], each view replaces drawableRows by its drawableAtLevel,
// because cameras see different levels; when these change, the view culls again. Entities with
// [Previous] have [Drawn], which replaces LocalToWorld in bounds, slots and cameras.
//
// A scene with a feed shows another world. Its slots and groups are copies of that world's, with
// the same build numbers, made by [Extract], and it does not use its own queries.
package render
