package render

import (
	"image/color"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/plumbing"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// scene is what the systems of one world share. All of it belongs to the world's owner;
// jobs write the parts of slots and eyes that are theirs.
type scene struct {
	world         *ecs.World
	assets        *Assets
	renderer      Renderer
	width, height int
	backs         uint32 // how often the world was restored

	frame     Frame
	turn      *system.Frame // of the system that is being updated
	slots     slots
	groups    groups
	feed      *feed         // nil: the scene shows its own world
	lends     bool          // another world shows this one
	posed     []posedCamera // the cameras of this frame
	links     links
	flipbooks flipbookJob
	fraction  fraction
	looks     looks
	viewers
	reported
}

// viewers are the eyes of a scene.
type viewers struct {
	eyes  []*eye  // of this frame's cameras, by Order
	views []*View // of the eyes
	spare []*eye  // the eyes of the frame before, while this one's are made
}

// reported is what was reported, and is not again.
type reported struct {
	blind  map[ecs.Entity]bool // cameras without planes
	unseen map[Look]bool       // looks without what they name
	misfit map[MaterialID]bool // materials, for cells that they have not
}

type sceneKey struct{}

func sceneOf(w *ecs.World) *scene {
	if s, ok := plumbing.Attached(w, sceneKey{}).(*scene); ok {
		return s
	}
	s := &scene{world: w, assets: NewAssets(), width: 1, height: 1}
	s.reported = reported{map[ecs.Entity]bool{}, map[Look]bool{}, map[MaterialID]bool{}}
	s.frame.scene, s.slots.scene, s.groups.scene, s.links.scene, s.flipbooks.scene = s, s, s, s, s
	s.slots.build = 1 // 0 is the stamp of eyes that have seen nothing
	plumbing.Attach(w, sceneKey{}, s)
	plumbing.OnCapture(w, s.keep)
	plumbing.OnRestore(w, s.back)
	return s
}

// forget makes the next frame begin from nothing.
func (s *scene) forget() {
	s.slots.seen, s.slots.stale = 0, true
	s.groups.stale = true
	clear(s.unseen)
	clear(s.misfit)
	s.looks.version = 0
	for _, e := range s.eyes {
		e.stamp = 0
	}
}

// run runs a job over [0, n) and waits for it.
func (s *scene) run(job jobs.RangeJob, n, grain int) error {
	if n == 0 {
		return nil
	}
	return s.turn.ParallelRange(job, n, grain, nil).Wait()
}

// open notes whose turn it is, for run.
func (s *scene) open(f *system.Frame) { s.turn = f }

// eye is a camera and what it saw last.
type eye struct {
	scene *scene
	view  View
	walls walls
	ready bool // the camera has planes
	room  [3]float64
	along [4]float32 // gives the depth of a place, or its height for SortY

	// Of each slot, by its index. They are good for slots that were filled by build
	// stamp or before; 0 is none.
	stamp  uint64
	masks  []uint64 // the rows that are seen
	counts []int32  // bits in masks

	levels  choices
	batches batches
	culled  bool  // there was something to find out in this frame
	failed  error // of this frame
}

// slots are what is kept of the chunks that can be drawn, one slot a chunk, by
// ecs.Chunk.Index in the query of [drawn]. A slot is filled by [slots.refresh] when its
// chunk has changed, and good until that changes again.
//
// The boxes of all rows lie here once more, one slot behind the other, so that to cull
// is to go along six lanes: in chunks, 16 KiB apart, it would take four times as long.
// Each slot has whole words of masks, as many as the chunk has room for.
type slots struct {
	scene  *scene
	query  *ecs.Query // of DrawMeshes
	list   []slot
	lanes  []lanes                // of each slot
	own    []uint64               // the rows that are not empty and not Hidden
	rows   kernels.Boxes[float32] // of all rows, 64 for each word of own
	chunks kernels.Boxes[float32] // of all slots, with the margin of margin.go
	inner  kernels.Boxes[float32] // the same with half sizes below 0
	refreshed
}

// slot is what is kept of one chunk, as far as every cull asks for it.
type slot struct {
	stamp  uint64 // the build that filled it
	base   int32  // its first word in own and in the masks of eyes
	words  int32  // as many as the chunk has room for
	n      int32  // rows
	count  int32  // bits in own
	look   int32  // in looks.list
	level  bool   // rows have a Level
	label  bool   // rows have a Label
	celled bool   // rows have a Label or a Flipbook
}

// lanes are where the lanes of a slot's chunk lie. They are good while the slot is: no
// row of the chunk has come or gone since it was filled, or it would be another.
type lanes struct {
	first     ecs.Entity // tells chunks apart, with the order version
	look      Look
	entities  []ecs.Entity
	matrices  [][16]float32 // that are drawn
	tints     []color.NRGBA // nil if the rows have none
	levels    levelLanes    // nil ones if the rows have none
	flipbooks flipbookLanes // nil ones if the rows have none, or labels
	labels    labelLanes    // nil ones if the rows have none
}

// mask is the slot's part of own or of the masks of an eye.
func (s *slot) mask(masks []uint64) []uint64 { return masks[s.base:][:kernels.MaskLen(int(s.n))] }

// grow makes a slice n long; what it had stays, as far as there is room.
func grow[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	bigger := make([]T, n, n+n/4)
	copy(bigger, s[:cap(s)])
	return bigger
}

// groups are the groups of levels of a world, in a table of their own: each has a row,
// which stays the same until entities with [Levels] come or go.
type groups struct {
	query    *ecs.Query // of ChooseLevels
	scene    *scene
	ids      []ecs.Entity
	places   kernels.Vec3s[float32]
	ends     [][8]float32 // where levels end; NaN behind the last
	leaves   [][8]float32 // where they are left outwards
	parents  []Level
	at       []int32             // the row after that of an entity, by Entity.Index; 0: it is no group
	before   []ecs.Entity        // ids before the last time that rows came or went
	from     []int32             // and where each row was then; -1: nowhere
	offsets  []int               // the first row of each chunk, by its index
	touched  []uint64            // by block: the build that filled rows of it last; jobs that fill chunks, two of which can share a block, store it, all the same one, and jobs behind them load it
	nested   atomic.Bool         // there are groups that have a parent: reset by the owner, set by jobs that fill rows, read behind them
	moves    uint64              // counts refreshes that found that rows came or went
	reported map[ecs.Entity]bool // groups that are none
	circles  map[ecs.Entity]bool // groups that were reported for being above themselves
	refreshed
}

// refreshed is how far a table that is kept of the chunks of a query is up to date.
type refreshed struct {
	build  uint64 // counts refreshes that found something
	orders uint32 // OrderCount of the query at the last refresh
	seen   uint32 // the world's version then
	stale  bool   // everything is to be looked at again
}

// begin begins a refresh: it has the query show what changed since the last one, and says whether there is anything, and
// whether rows came or went. Until end the table is stale.
func (r *refreshed) begin(f *system.Frame, q *ecs.Query) (orders uint32, moved, due bool) {
	orders = plumbing.OrderCount(q)
	moved = r.stale || orders != r.orders
	since := r.seen
	if moved {
		since = 0
	}
	q.SetSince(since)
	if !moved && plumbing.Quiet(q) {
		r.seen = f.World().Version()
		return orders, false, false
	}
	r.stale = true
	r.build++
	return orders, moved, true
}

// end ends a refresh.
func (r *refreshed) end(f *system.Frame, orders uint32) {
	r.seen, r.orders, r.stale = f.World().Version(), orders, false
}

// choices are the levels that an eye has chosen.
type choices struct {
	eye     *eye
	turned  bool        // the camera is another than it was, or elsewhere
	level   []uint8     // of each row of groups: 1 + the level; 0: it has none
	spare   []uint8     // level before, while that is made
	under   []uint8     // level, or 0 while a parent is at another one
	shown   []uint8     // under, or level if there are no parents
	squares []float32   // of distances, and then distances
	nested  bool        // shown is under
	build   uint64      // of groups when they were chosen
	changed atomic.Bool // levels are others: set by the jobs that choose, reset before them and read behind them
	chain   chain

	// For [FilterLevels]: of each slot the build of slots in which passes were found.
	passes  []uint64 // the rows that are own, and at their level
	stamps  []uint64
	renew   bool // shown has changed
	narrow  narrow
	altered atomic.Bool // rows of slots are others: set by the jobs that narrow, reset before them and read behind them
}

// chain finds which groups are shown although they have parents.
type chain struct{ l *choices }

// narrow finds which rows of slots are at their level.
type narrow struct{ l *choices }

// links are where the groups of rows with a [Level] stand in the table of groups.
type links struct {
	scene  *scene
	rows   []int32  // for each row of slots, 64 for each word of own: the row of its group; -1: none
	stamps []uint64 // of each slot: the build of slots in which its rows were found
	lost   []bool   // of each slot: rows have no group, which is to be reported
	moves  uint64   // of groups when rows were found
}

// flipbookJob is the job that finds the cells of slots that a camera sees.
type flipbookJob struct {
	scene *scene
	list  []flipbookCells
	found atomic.Bool // a fault: written by jobs, read and reset between them
	used  atomic.Bool // slots have cells: set by jobs that fill slots, read after them
}

// flipbookCells are what the rows of a slot show.
type flipbookCells struct {
	cells  []int32 // of each row; nil if none has a Flipbook
	stamp  uint64  // of the slot when they were found
	looks  uint64  // the looks that they were found with
	time   float64
	runs   bool   // they change with time
	bad    int32  // a row with a fault, from 1; 0: none
	turned uint64 // the frame in which they became others
}

// looks are the Looks that chunks have had, each with what it draws with.
type looks struct {
	list    []look
	index   map[Look]int32
	ranked  []int32 // of the list: by layer, then opaque ones first, then by material and shape
	version uint64  // of the assets that they were found in
	used    int     // of the list, that had chunks at the last sort
}

// look is a Look and what its ids stand for.
type look struct {
	Look
	shape    *Shape // nil if one of the two is not registered
	material *Material
	sorted   bool    // drawn after what is opaque
	written  bool    // some are labels
	chunks   []int32 // slots, in order
}

// batches are the batches of an eye and what they consist of.
type batches struct {
	parts  []int32 // slots, batch by batch
	starts []int32 // where the rows of each part begin among all of the view
	sorted sorted
	stamp  uint64 // the cull that they were made for
	looks  uint64 // the looks that they were made with
	part   Part
	ones   []uint64
	job    gather
}

// sorted are the rows of a view that are drawn in an order of their own, copied into
// it: those of the looks that are not opaque, layer after layer. It is done in steps:
// each row gets a key, of which the upper half is how far away it is and the lower one
// where it is; the keys are sorted; the rows are copied.
type sorted struct {
	matrices [][16]float32
	entities []ecs.Entity
	tints    []color.NRGBA
	cells    []int32

	parts  []int32  // slots of the layer in work, in order
	starts []int32  // of the keys of each
	keys   []uint64 // of the layer: see key
	spare  []uint64
	first  int     // of the layer's rows
	places []int32 // of each key, the first of its rows: labels have several; empty where all keys have one
	flat   bool    // keys are in the order of parts and rows
	copies copies
}

// gather copies rows of an eye's parts.
type gather struct {
	eye   *eye
	first int // part
	start int // of dst among the rows of the view
	dst   [][16]float32
	tints []color.NRGBA
	cells []int32
}

// copies copies the rows of the layer in work.
type copies struct{ eye *eye }

// feed is what a scene gets from that of another world.
type feed struct {
	from, to *scene
	backs    uint32 // how often from was restored
	build    uint64 // of from's slots that was copied last
	orders   uint32 // of from's slots when they were
	since    uint64 // the build before, while slots are copied
	cameras  []posedCamera
	time     Frame
}

// posedCamera is a camera, and where it is.
type posedCamera struct {
	id     ecs.Entity
	camera Camera
	place  [16]float32
}

// fraction is where a frame is between the last fixed steps.
type fraction struct {
	stepping bool    // there was a step since the last presentation
	steps    int     // how many steps [Previous] is back
	t        float32 // how far the frame is from Previous to now
}

// walls are the planes of a camera, and those that chunks are tested with.
type walls struct {
	n                  int
	rows, outer, inner [6]kernels.Plane[float32]
	finite             bool // chunks can be tested
}

// wordSlots is how many slots are one index of a cull: a word of a mask of them.
const wordSlots = 64

type flipbookLanes = struct {
	First, Count []int32
	Rate         []float32
	Start        []float64
	Once         []bool
}

type labelLanes struct {
	Cells  [][labelRoom]uint16
	Length []uint8
	Anchor []float32
}

// labelRoom is how many characters a Label has room for.
const labelRoom = 32
