// Package render draws a world. The package finds the entities that each camera sees, and passes them
// to a renderer in batches. Without a renderer, the package computes the same batches and draws
// nothing.
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
// A [Shape] is the mesh: points, lines, triangles or a sprite. A [Material] is the color and the
// image of a shape. A [Look] consists of the ids of a shape and a material, and of a layer.
// Entities with an equal Look are instances that are drawn together. A box (an AABB) is stored as
// its middle and half its size along each axis. Frustum culling skips the entities whose box is
// outside of a camera's planes. A [View] is the picture of one camera in one frame. A [Batch] is
// one draw call of a view. All its rows have the same Look. A [Part] is the rows of a batch that
// are in one chunk.
//
// # A frame
//
// These are the systems in the world's Presentation, in this order:
//
//	MissingBounds   adds Bounds, WorldBounds and ChunkBounds to entities with a Look
//	Interpolate     computes the places of entities with Previous between two fixed steps
//	Bootstrap       prepares the cameras
//	UpdateBounds    computes WorldBounds and ChunkBounds of chunks that have changed
//	ChooseLevels    chooses the level of detail of each group for each camera
//	FilterLevels    leaves out entities of other levels
//	DrawMeshes      culls, makes batches and calls the renderer
//
// If a system of the Presentation moves entities, it must run before [MissingBounds]. The system
// KeepPrevious is in FixedStep, because it records where entities are before each step.
//
// # Promises
//
// Views and batches are the same on every machine and for any number of workers. Culling tests a
// chunk before its rows. Culling finds the same rows as a test of every row would, because the box
// of the chunk has a margin for rounding. Only chunks that have changed are recomputed. In the
// steady state, the package allocates nothing. If a renderer returns an error or panics, only that
// frame fails.
//
// Bounds are components, so they are part of the world's hash. Apart from them, a world has the
// same hash with and without this package, and with and without a renderer.
//
// # Design
//
// A scene is the state that the systems of a world share. A scene has a slot for each chunk that can be drawn.
// The slot holds the addresses of the chunk's columns, the mask of the rows that can be drawn (drawableRows),
// and the box of the chunk. A scene has a view for each camera, with a mask and a count for each slot. The
// field builtAt of a slot is the number of the build that filled the slot. While the camera stays the same,
// the masks of a view are valid for slots whose builtAt is not newer than the view's culledBuild. Therefore
// the cost of a frame is proportional to the changes. A frame without changes only compares these numbers.
//
// Each system that needs slots may call [slots.refresh] with a query of [drawn], because refresh
// skips chunks that an earlier call in the frame has handled.
//
// Each group of levels has a row in a table, and each view stores a level for each row. For each row of a slot,
// groupLinks stores the row of its group. If rows have a [Level], each view uses its own drawableAtLevel in place
// of drawableRows, because cameras choose different levels. When drawableAtLevel changes, the view culls again.
// Entities with [Previous] also have [Drawn], which replaces LocalToWorld in bounds, slots and cameras.
//
// A scene with a feed shows the entities of another world. [Extract] copies that world's slots and
// groups, with the same build numbers. The scene then does not use its own queries.
package render
