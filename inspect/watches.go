package inspect

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/lanewise/lanewise/ecs"
)

// A watch is a number that is sampled in each frame as long as a client
// requests it:
//
//	count Translation !Parent       number of entities that match a query
//	sum Health Player               sum of a number over the entities that match and have it
//	field 12:3 Translation.Y        a number of one entity
//	odd Translation.Y               how many values of a number are NaN or infinite, and the first of them
//	quantiles Health Player         the minimum, the quartiles and the maximum of a number over the entities that match
//
// A count or sum over many rows takes several frames, with a slice in each.
// Such a sample belongs to the frame in which it ended, and Over is the number
// of frames that it took. If a chunk changes during these frames, the sample
// includes the change only if it had not read the chunk before.

// Limits of watches.
const (
	maxWatches = 16
	keptValues = 600 // frames
)

// watches holds the watches of one world.
type watches struct {
	list       []*watch
	firstIndex int // index of the watch that comes first
}

// A watch holds a request to sample a number, and the samples taken so far.
type watch struct {
	spec   string
	kind   string
	query  *parsedQuery
	number numberField
	entity ecs.Entity

	lastRequest uint64 // frame of the last request for it
	frames      []uint64
	values      []float64 // width of them for each of frames
	width       int
	errorText   string

	walk         walk // of a sum or count in progress
	firstFrame   uint64
	sampleFrames int // number of frames of the last sample
	sum          float64
	n            int
	maskScratch  []byte
	quantiles    *quantiles // of a watch of quantiles
	passed, read int        // numbers of rows of its last sample: those that match, and those that were read
	first        *First     // the first odd value; it stays when all values are finite again, until the next odd value
	ids          []ecs.Entity
}

// parseWatch parses a watch.
func parseWatch(spec string) (*watch, error) {
	kind, rest, _ := strings.Cut(strings.TrimSpace(spec), " ")
	w := &watch{spec: spec, kind: kind, width: 1}
	var err error
	rest = strings.TrimSpace(rest)
	switch kind {
	case "count":
		w.query, err = parse(rest)
	case "sum", "odd", "quantiles":
		lane, query, _ := strings.Cut(rest, " ")
		if w.number, err = parseNumbers(lane); err != nil {
			return nil, err
		}
		if w.query, err = parse(query); err == nil {
			w.query = w.query.withNumber(w.number)
		}
	case "field":
		id, lane, _ := strings.Cut(rest, " ")
		if w.entity, err = parseEntity(id); err != nil {
			return nil, err
		}
		w.number, err = parseNumbers(strings.TrimSpace(lane))
	default:
		return nil, fmt.Errorf("inspect: a watch is count QUERY, sum NUMBER QUERY, quantiles NUMBER QUERY, odd NUMBER QUERY or field ENTITY NUMBER, not %q", clip(spec, 60))
	}
	if err != nil {
		return nil, err
	}
	if kind == "quantiles" {
		w.quantiles, w.width = &quantiles{values: make([]float64, 0, 2*maxQuantileRows)}, quantileLevels
	}
	if w.query != nil {
		w.restart()
	}
	return w, nil
}

// restart begins a new sample.
func (w *watch) restart() {
	w.walk, w.firstFrame, w.sum, w.n = walk{query: w.query}, 0, 0, 0
	if w.kind == "count" {
		w.walk.countAll = func(n int) bool { w.n += n; return true }
	}
	if w.quantiles != nil {
		w.quantiles.restart()
	}
}

// sample takes the samples of a frame. Only the owner may call it.
func (ws *watches) sample(l *ownerSlice, frame uint64) {
	if l.world.InTransaction() {
		return
	}
	ws.list = slices.DeleteFunc(ws.list, func(w *watch) bool { return frame-w.lastRequest > keptValues }) // not requested any more
	for _, w := range ws.list {
		if w.kind == "field" { // cheap, so it is read in every frame
			w.sample(l, frame)
		}
	}
	for k := range ws.list {
		w := ws.list[(ws.firstIndex+k)%len(ws.list)]
		if w.kind == "field" {
			continue
		}
		own, left := *l, l.until-now()
		own.until -= left - left/time.Duration(len(ws.list)-k) // its share of the remaining time
		if w.sample(&own, frame); l.isOver() {
			ws.firstIndex = (ws.firstIndex + k + 1) % len(ws.list) // those that had no turn come first next time
			return
		}
	}
}

// sample takes a sample, or continues a sample that takes several frames.
func (w *watch) sample(l *ownerSlice, frame uint64) {
	defer func() {
		if r := recover(); r != nil {
			w.errorText = clip(fmt.Sprint(r), 300)
		}
	}()
	if w.kind == "field" {
		if x, ok := w.field(l.world); ok {
			w.add(frame, x)
		}
		return
	}
	if w.quantiles != nil {
		w.sampleQuantiles(l, frame)
		return
	}
	if w.firstFrame == 0 {
		w.firstFrame = frame
	}
	if w.walk.next(l, func(a ecs.Archetype, chunk, n int, mask []uint64) bool {
		if w.n += n; w.kind == "count" {
			return true
		}
		lane, ok := w.number.find(a)
		if !ok {
			return true
		}
		w.chunk(l.world, frame, a, lane, chunk, mask)
		return !l.isOver()
	}) {
		return
	}
	x := float64(w.n)
	if w.kind != "count" {
		x = w.sum
	}
	if w.first != nil && x == 0 && w.first.Finite == 0 {
		w.first.Finite = frame
	}
	w.add(frame, x)
	w.sampleFrames, w.errorText = int(frame-w.firstFrame+1), ""
	w.restart()
}

// chunk adds the numbers of a chunk to the sum, or counts the odd numbers among
// them: NaN and infinities.
func (w *watch) chunk(of *ecs.World, frame uint64, a ecs.Archetype, lane ecs.LaneInfo, chunk int, mask []uint64) {
	w.maskScratch = a.AppendLane(w.maskScratch[:0], lane, chunk, 0, 1)
	eachRow(len(w.maskScratch)/lane.Size, mask, func(row int) {
		x := w.number.read(w.maskScratch[row*lane.Size:])
		if w.kind == "sum" {
			w.sum += x
			return
		}
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			return
		}
		if w.sum++; w.first == nil || w.first.Finite > 0 {
			w.ids = a.AppendEntities(w.ids[:0], chunk, 0, 1)
			since := uint64(0)
			if n := len(w.frames); n > 0 {
				since = w.frames[n-1] - uint64(w.sampleFrames) + 1
			}
			w.first = &First{Frame: frame, Since: since, Entity: w.ids[row].String(), Name: of.EntityName(w.ids[row]), Value: fmt.Sprint(x)}
		}
	})
}

// field reads the watched number of the watched entity.
func (w *watch) field(of *ecs.World) (float64, bool) {
	if !of.Exists(w.entity) {
		w.errorText = "the entity does not exist any more"
		return 0, false
	}
	a := of.ArchetypeOf(w.entity)
	lane, ok := w.number.find(a)
	if !ok {
		w.errorText = "the entity has no " + typeName(w.number.typ) + " now"
		return 0, false
	}
	row, err := of.Untyped().AppendRow(w.maskScratch[:0], w.entity, lane)
	if err != nil {
		w.errorText = err.Error()
		return 0, false
	}
	w.maskScratch, w.errorText = row, ""
	return w.number.read(row), true
}

// add stores a sample, which has as many numbers as the watch is wide.
func (w *watch) add(frame uint64, sample ...float64) {
	if len(w.frames) == keptValues {
		w.frames, w.values = slices.Delete(w.frames, 0, 1), slices.Delete(w.values, 0, w.width)
	}
	if w.frames == nil {
		w.frames, w.values = make([]uint64, 0, keptValues), make([]float64, 0, keptValues*w.width)
	}
	w.frames, w.values = append(w.frames, frame), append(w.values, sample...)
}

// find returns the watch with the same spec. If there is none, find adds w. If
// there are already too many watches, it returns nil.
func (ws *watches) find(w *watch) *watch {
	for _, own := range ws.list {
		if own.spec == w.spec {
			return own
		}
	}
	if len(ws.list) >= maxWatches {
		return nil
	}
	ws.list = append(ws.list, w)
	return w
}

// First is the first odd value of a watch, in the order of archetypes, chunks
// and rows of the first sample with odd values. It stays in the answers after
// all values are finite again, until the next sample with odd values.
type First struct {
	Frame   uint64   `json:"frame"`
	Since   uint64   `json:"since"`            // the frame of the last sample before, in which all values were finite; 0 if the first sample of the watch has the value, which may then be older than the watch
	Finite  uint64   `json:"finite,omitempty"` // the first frame after Frame in which all values were finite; 0 if there is none yet
	Entity  string   `json:"entity"`
	Name    string   `json:"name,omitempty"`
	Value   string   `json:"value"`
	Writers []string `json:"writers"` // systems that write the component; if there is only one, it made the value
	Wrote   *Wrote   `json:"wrote,omitempty"`
}

// Wrote describes the write that put the first NaN or infinity into a lane.
// The First of a watch has it only if package check observes the world.
type Wrote struct {
	System string `json:"system"` // empty if no system made the write
	Frame  uint64 `json:"frame"`
	Again  uint64 `json:"again,omitempty"` // the frame that Frame repeats, because the world has continued from a kept frame; 0 if it repeats none
	Entity string `json:"entity"`
	Number string `json:"number"` // for example transform.Translation.Y
	Value  string `json:"value"`
}
