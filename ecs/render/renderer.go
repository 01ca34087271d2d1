package render

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"runtime/debug"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// Renderer draws the views of a world's cameras. [Bootstrap] calls Size, and [DrawMeshes]
// calls the other methods. All calls come from the owner of the world, in its presentation. A Renderer may
// read the world but must not change it.
//
// If a method returns an error or panics, the frame returns an error that names the camera and the
// batch. The other cameras are still drawn.
type Renderer interface {
	// Size returns the size of a target in pixels. If a size is 0, the cameras of that target draw
	// nothing.
	Size(target int32) (width, height int)

	// Begin begins the picture of a frame. If Begin returns an error, nothing is drawn in this frame,
	// and End is not called.
	Begin(f *Frame) error

	// Draw draws the view of one camera. Views are drawn in increasing Camera.Order, so a later
	// view covers the earlier ones. The contents of v are valid until Draw returns.
	Draw(v *View) error

	// End ends the picture.
	End() error
}

// Frame describes the frame that is being drawn. A Frame is valid until End returns.
type Frame struct {
	Number  uint64  // number of the presentation in its world, from 1
	Delta   float64 // the time step in seconds
	Elapsed float64 // seconds since the world began
	Alpha   float64 // time since the last fixed step, as a fraction of the step: from 0 to 1

	scene *scene
}

// World returns the world that is drawn.
func (f *Frame) World() *ecs.World { return f.scene.world }

// Range runs a job over [0, n) in blocks of grain indices, and waits for it. All workers of the
// world may run blocks. If grain is 0, the pool chooses it. Range does not allocate. If the job
// panics, Range returns a *jobs.PanicError.
func (f *Frame) Range(job jobs.RangeJob, n, grain int) error {
	return f.scene.world.Pool().ParallelFor(job, n, grain).Wait()
}

// View is the picture of one camera in one frame.
type View struct {
	Entity   ecs.Entity      // the entity of the camera
	Camera   Camera          // the camera component when Bootstrap ran
	Place    [16]float32     // the camera's LocalToWorld
	Matrix   [16]float32     // matrix from the world to clip space, see Camera.Matrix
	Width    int             // width of the whole target in pixels
	Height   int             // height of the whole target in pixels
	Viewport image.Rectangle // part of the target in which the camera draws
	Frame    *Frame

	// Batches are in the order in which they must be drawn. They are ordered by layer. In a layer,
	// the opaque batches come first, by material and shape, and then the other batches in the
	// order of Camera.Sort. The batches are the same for any number of workers.
	Batches []Batch

	Seen   int // number of entities in the batches
	Culled int // number of entities in the camera's layers that the camera does not see

	// Fresh says that the batches or the camera may differ from the view that the camera had in the
	// previous frame. If Fresh is false, a renderer may reuse its buffers.
	Fresh bool

	currentBatch int // the last batch that the renderer accessed; -1 at first
}

// Batch is one draw call. A batch consists of the rows of one view that have the same Look. A Batch is
// valid until Draw returns.
type Batch struct {
	Look     Look
	Shape    *Shape
	Material *Material
	First    int // number of rows of the view that come before the batch
	Count    int // number of entities, or of characters if they are labels

	view        *View
	index       int32
	first, last int32 // range in the view's parts or in its sorted rows
	sorted      bool
}

// Part is the rows of a batch that are in one chunk, or in one range of the sorted rows. The rows
// of the part are those whose bit in Mask is set. The bit of row i is bit i%64 of word i/64. A
// Part is valid until the next iteration of the loop.
type Part struct {
	Entities []ecs.Entity
	Matrices [][16]float32 // LocalToWorld of the rows
	Tints    []color.NRGBA // tints of the rows; nil if the rows have none
	Cells    []int32       // cells of the material's image; nil if all rows show the first cell
	Mask     []uint64
	Count    int // number of bits in Mask
}

// ToScreen calls [Camera.ToScreen] for the view's camera and target.
func (v *View) ToScreen(wx, wy, wz float32) (x, y, depth float32, ok bool) {
	return v.Camera.ToScreen(&v.Place, v.Width, v.Height, wx, wy, wz)
}

// ToWorld calls [Camera.ToWorld] for the view's camera and target.
func (v *View) ToWorld(x, y, depth float32) (wx, wy, wz float32, ok bool) {
	return v.Camera.ToWorld(&v.Place, v.Width, v.Height, x, y, depth)
}

// DrawError is the error of a renderer that failed or panicked while it drew a view.
type DrawError struct {
	Camera ecs.Entity
	Batch  int  // index of the last batch that the renderer accessed; -1 if there is none
	Look   Look // look of that batch
	Err    error
}

// Error returns a text that names the camera and the batch.
func (e *DrawError) Error() string {
	if e.Batch < 0 {
		return fmt.Sprintf("render: camera %v, before the first batch: Draw: %v", e.Camera, e.Err)
	}
	return fmt.Sprintf("render: camera %v, batch %d (layer %d, material %v, shape %v): Draw: %v", e.Camera, e.Batch, e.Look.Layer, e.Look.Material, e.Look.Shape, e.Err)
}

// Unwrap returns the error of Draw, or a *[PanicError].
func (e *DrawError) Unwrap() error { return e.Err }

// PanicError is the error for a panic in a method of a renderer.
type PanicError struct {
	Value any
	Stack []byte
}

// Error returns the panic's value as text, without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the panic's value if that is an error, and nil otherwise.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

func panicError(v any) error { return &PanicError{v, debug.Stack()} }

// callGuarded calls a method of the renderer. If the method panics, callGuarded returns the panic
// as an error.
func callGuarded(call func() error) (err error) {
	done := false
	defer func() {
		if done {
			return
		}
		if v := recover(); v != nil {
			err = panicError(v)
		} else { // call ended with runtime.Goexit, so the result is not used
			err = errors.New("the renderer called runtime.Goexit")
		}
	}()
	err = call()
	done = true
	return err
}
