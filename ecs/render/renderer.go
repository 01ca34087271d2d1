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

// Renderer draws the views of a world's cameras. The owner of the world calls its methods in the
// world's presentation: Size from [Bootstrap], the others from [DrawMeshes]. A Renderer may read
// the world, and must not change it.
//
// If a method returns an error or panics, the frame returns an error that names the camera and the
// batch. The other cameras are drawn even so.
type Renderer interface {
	// Size returns the size of a target in pixels. If a size is 0, the cameras of that target draw
	// nothing.
	Size(target int32) (width, height int)

	// Begin begins the picture of a frame. If it returns an error, nothing is drawn in this frame,
	// and End is not called.
	Begin(f *Frame) error

	// Draw draws the view of one camera. Views come by Camera.Order, and a later one is drawn over
	// the earlier ones. The contents of v are valid until Draw returns.
	Draw(v *View) error

	// End ends the picture.
	End() error
}

// Frame is the frame that is drawn. It is valid until End returns.
type Frame struct {
	Number  uint64  // number of the presentation in its world, from 1
	Delta   float64 // the time step in seconds
	Elapsed float64 // seconds since the world began
	Alpha   float64 // time between the last fixed step and the next: from 0 to 1

	scene *scene
}

// World returns the world that is drawn.
func (f *Frame) World() *ecs.World { return f.scene.world }

// Range runs a job over [0, n), in blocks of grain indices, on all workers of the world, and waits
// for it. If grain is 0 the pool chooses it. It does not allocate. A panic in the job is returned
// as a *jobs.PanicError.
func (f *Frame) Range(job jobs.RangeJob, n, grain int) error {
	return f.scene.world.Pool().ParallelFor(job, n, grain).Wait()
}

// View is the picture of one camera in one frame.
type View struct {
	Entity   ecs.Entity      // the camera
	Camera   Camera          // its component when Bootstrap ran
	Place    [16]float32     // the camera's LocalToWorld
	Matrix   [16]float32     // from the world to clip space, see Camera.Matrix
	Width    int             // of the whole target, in pixels
	Height   int             // of the whole target, in pixels
	Viewport image.Rectangle // the camera's part of the target
	Frame    *Frame

	// Batches are in the order in which they are to be drawn: by layer; in a layer first the opaque
	// ones, by material and shape, then the others, by Camera.Sort. They are the same for any
	// number of workers.
	Batches []Batch

	Seen   int // entities in the batches
	Culled int // entities in the camera's layers that it does not see

	// Fresh says that the batches or the camera may differ from the view of the same camera in the
	// frame before. A renderer may reuse its buffers if it is false.
	Fresh bool

	currentBatch int // the batch that the renderer looked at last; -1 at first
}

// Batch is one draw call: rows with the same Look in one view. It is valid until Draw returns.
type Batch struct {
	Look     Look
	Shape    *Shape
	Material *Material
	First    int // rows of the view before the batch
	Count    int // number of entities or, for labels, of characters

	view        *View
	index       int32
	first, last int32 // range of the view's parts or of its sorted rows
	sorted      bool
}

// Part is the share of one chunk, or of the sorted rows, in a batch: the rows whose bit in Mask is
// set, with row i in bit i%64 of word i/64. It is valid until the next iteration of the loop.
type Part struct {
	Entities []ecs.Entity
	Matrices [][16]float32 // LocalToWorld of the rows
	Tints    []color.NRGBA // of the rows; nil if they have none
	Cells    []int32       // cells of the material's image; nil if all rows show the first
	Mask     []uint64
	Count    int // number of bits in Mask
}

// ToScreen is [Camera.ToScreen] for the view's camera and target.
func (v *View) ToScreen(wx, wy, wz float32) (x, y, depth float32, ok bool) {
	return v.Camera.ToScreen(&v.Place, v.Width, v.Height, wx, wy, wz)
}

// ToWorld is [Camera.ToWorld] for the view's camera and target.
func (v *View) ToWorld(x, y, depth float32) (wx, wy, wz float32, ok bool) {
	return v.Camera.ToWorld(&v.Place, v.Width, v.Height, x, y, depth)
}

// DrawError is the error of a renderer that returned an error, or panicked, while it drew a view.
type DrawError struct {
	Camera ecs.Entity
	Batch  int  // index of the batch that the renderer looked at last; -1 for none
	Look   Look // of that batch
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

// PanicError is the error that a panic in a method of a renderer becomes.
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

// callGuarded calls a method of the renderer and returns a panic as an error.
func callGuarded(call func() error) (err error) {
	done := false
	defer func() {
		if done {
			return
		}
		if v := recover(); v != nil {
			err = panicError(v)
		} else { // runtime.Goexit: the result is not used
			err = errors.New("the renderer called runtime.Goexit")
		}
	}()
	err = call()
	done = true
	return err
}
