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

// Renderer draws what the cameras of a world see. All its methods are called by the
// owner of the world, in its presentation, Size from [Bootstrap], the others from
// [DrawMeshes]. It may look at the world, and must not change it.
//
// What it returns, or panics with, becomes an error of the frame that names camera and
// batch. It harms nothing else: the other cameras are drawn all the same.
type Renderer interface {
	// Size returns the size of a target in pixels. Cameras of a target without
	// pixels draw nothing.
	Size(target int32) (width, height int)

	// Begin begins the picture of a frame. If it fails nothing is drawn in this
	// frame, and End is not called.
	Begin(f *Frame) error

	// Draw draws what one camera sees: they come by Order, a camera over those
	// before it. What v holds is good until Draw returns.
	Draw(v *View) error

	// End ends the picture.
	End() error
}

// Frame is the frame that is drawn. It is good until End returns.
type Frame struct {
	Number  uint64  // counts the presentations of the world, from 1
	Delta   float64 // the time's step, in seconds
	Elapsed float64 // seconds since the world began
	Alpha   float64 // how far the frame is between the last fixed step and the next: from 0 to 1

	scene *scene
}

// World returns the world that is drawn.
func (f *Frame) World() *ecs.World { return f.scene.world }

// Range runs a job over [0, n), in blocks of grain, on all workers of the world, and waits
// for it; grain 0 chooses. It does not allocate. A panic in it is returned as a
// *jobs.PanicError.
func (f *Frame) Range(job jobs.RangeJob, n, grain int) error {
	return f.scene.world.Pool().ParallelFor(job, n, grain).Wait()
}

// View is what one camera sees in one frame.
type View struct {
	Entity   ecs.Entity      // the camera
	Camera   Camera          // as it was when Bootstrap looked
	Place    [16]float32     // the camera's LocalToWorld
	Matrix   [16]float32     // from the world to clip space, see Camera.Matrix
	Width    int             // of the whole target, in pixels
	Height   int             // of the whole target, in pixels
	Viewport image.Rectangle // the camera's part of it
	Frame    *Frame

	// Batches are in the order in which they are to be drawn: by layer; in a layer
	// first what is opaque, by material and shape, then the rest, by Camera.Sort.
	// They are the same for any number of workers.
	Batches []Batch

	Seen   int // entities in the batches
	Culled int // entities that the camera's layers have, and that it does not see

	// Fresh says that something of the batches may be another than in the view of
	// the same camera in the frame before, or the camera itself.
	Fresh bool

	at int // the batch that was looked at last; -1 at first
}

// Batch is what is drawn with one Look in one camera in one go. It is good until Draw
// returns.
type Batch struct {
	Look     Look
	Shape    *Shape
	Material *Material
	First    int // rows of the view that come before it
	Count    int // entities; of labels, characters

	view        *View
	index       int32
	first, last int32 // of the view's parts, or of its sorted rows
	sorted      bool
}

// Part is a batch's share of a chunk, or of what was sorted: the rows whose bit in Mask
// is set, row i in bit i%64 of word i/64. It is good until the loop goes on.
type Part struct {
	Entities []ecs.Entity
	Matrices [][16]float32 // LocalToWorld of the rows
	Tints    []color.NRGBA // of the rows; nil if they have none
	Cells    []int32       // of the material's image, that the rows show; nil: the first
	Mask     []uint64
	Count    int // bits in Mask
}

// ToScreen is [Camera.ToScreen] of the view's camera and target.
func (v *View) ToScreen(wx, wy, wz float32) (x, y, depth float32, ok bool) {
	return v.Camera.ToScreen(&v.Place, v.Width, v.Height, wx, wy, wz)
}

// ToWorld is [Camera.ToWorld] of the view's camera and target.
func (v *View) ToWorld(x, y, depth float32) (wx, wy, wz float32, ok bool) {
	return v.Camera.ToWorld(&v.Place, v.Width, v.Height, x, y, depth)
}

// DrawError says that a renderer could not draw what a camera sees, or panicked.
type DrawError struct {
	Camera ecs.Entity
	Batch  int  // which of the View's was looked at last; -1: none
	Look   Look // of that batch
	Err    error
}

// Error names camera and batch.
func (e *DrawError) Error() string {
	if e.Batch < 0 {
		return fmt.Sprintf("render: camera %v, before the first batch: Draw: %v", e.Camera, e.Err)
	}
	return fmt.Sprintf("render: camera %v, batch %d (layer %d, material %v, shape %v): Draw: %v", e.Camera, e.Batch, e.Look.Layer, e.Look.Material, e.Look.Shape, e.Err)
}

// Unwrap returns what Draw has returned, or a *[PanicError].
func (e *DrawError) Unwrap() error { return e.Err }

// PanicError is what a method of a renderer panicked with.
type PanicError struct {
	Value any
	Stack []byte
}

// Error tells the value; the stack is in Stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the panic's value where it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

func panicked(v any) error { return &PanicError{v, debug.Stack()} }

// guarded calls a method of the renderer, and makes an error of a panic.
func guarded(call func() error) (err error) {
	done := false
	defer func() {
		if done {
			return
		}
		if v := recover(); v != nil {
			err = panicked(v)
		} else { // runtime.Goexit: what is returned is not seen
			err = errors.New("the renderer called runtime.Goexit")
		}
	}()
	err = call()
	done = true
	return err
}
