package inspect

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/lanewise/lanewise/ecs"
)

// A watch is a number that is kept frame by frame as long as somebody asks for it:
//
//	count Translation !Parent       how many entities match a query
//	sum Health Player               the sum of a number over those that match and have it
//	field 12:3 Translation.Y        a number of one entity
//	odd Translation.Y               how many of a number are no number, or infinite; and the first that was
//
// Counts and sums over much take several frames, a slice in each. Such a sample stands at the frame in
// which it was done, and Over says how many frames before that it began: what changed meanwhile is
// in it or not, depending on when its chunk had its turn.

// Limits of watches.
const (
	mostWatches = 16
	keptValues  = 600 // frames
)

// watches is those of one world.
type watches struct {
	list []*watch
	turn int // whose slice comes first
}

// watch is one of them.
type watch struct {
	spec   string
	kind   string
	choice *choice
	number numbers
	entity ecs.Entity

	asked  uint64 // frame in which somebody asked last
	frames []uint64
	values []float64
	wrong  string

	walk  walk // of a sum or count that is going on
	began uint64
	over  int // frames that the last one took
	sum   float64
	n     int
	room  []byte
	first *First // that is odd, as long as some are
	ids   []ecs.Entity
}

// parseWatch understands a watch.
func parseWatch(spec string) (*watch, error) {
	kind, rest, _ := strings.Cut(strings.TrimSpace(spec), " ")
	w := &watch{spec: spec, kind: kind}
	var err error
	rest = strings.TrimSpace(rest)
	switch kind {
	case "count":
		w.choice, err = parse(rest)
	case "sum", "odd":
		lane, query, _ := strings.Cut(rest, " ")
		if w.number, err = parseNumbers(lane); err != nil {
			return nil, err
		}
		if w.choice, err = parse(query); err == nil {
			w.choice = w.choice.and(w.number)
		}
	case "field":
		id, lane, _ := strings.Cut(rest, " ")
		if w.entity, err = parseEntity(id); err != nil {
			return nil, err
		}
		w.number, err = parseNumbers(strings.TrimSpace(lane))
	default:
		return nil, fmt.Errorf("inspect: a watch is count QUERY, sum NUMBER QUERY, odd NUMBER QUERY or field ENTITY NUMBER, not %q", clip(spec, 60))
	}
	if err != nil {
		return nil, err
	}
	if w.choice != nil {
		w.again()
	}
	return w, nil
}

// again makes a sum or count begin.
func (w *watch) again() {
	w.walk, w.began, w.sum, w.n = walk{c: w.choice}, 0, 0, 0
	if w.kind == "count" {
		w.walk.whole = func(n int) bool { w.n += n; return true }
	}
}

// sample takes the samples of a frame. It is for the owner.
func (ws *watches) sample(l *look, frame uint64) {
	if l.world.InTransaction() {
		return
	}
	ws.list = slices.DeleteFunc(ws.list, func(w *watch) bool { return frame-w.asked > keptValues }) // nobody asks any more
	for _, w := range ws.list {
		if w.kind == "field" { // next to nothing, and of every frame
			w.sample(l, frame)
		}
	}
	for k := range ws.list {
		w := ws.list[(ws.turn+k)%len(ws.list)]
		if w.kind == "field" {
			continue
		}
		own, left := *l, l.until-now()
		own.until -= left - left/time.Duration(len(ws.list)-k) // its share of what is left
		if w.sample(&own, frame); l.over() {
			ws.turn = (ws.turn + k + 1) % len(ws.list) // those whose turn it was not come first
			return
		}
	}
}

// sample takes a sample, or goes on with one.
func (w *watch) sample(l *look, frame uint64) {
	defer func() {
		if r := recover(); r != nil {
			w.wrong = clip(fmt.Sprint(r), 300)
		}
	}()
	if w.kind == "field" {
		if x, ok := w.field(l.world); ok {
			w.add(frame, x)
		}
		return
	}
	if w.began == 0 {
		w.began = frame
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
		return !l.over()
	}) {
		return
	}
	x := float64(w.n)
	if w.kind != "count" {
		x = w.sum
	}
	if x == 0 {
		w.first = nil // all are numbers again
	}
	w.add(frame, x)
	w.over, w.wrong = int(frame-w.began+1), ""
	w.again()
}

// chunk adds the numbers of a chunk to the sum, or looks for those that are odd.
func (w *watch) chunk(of *ecs.World, frame uint64, a ecs.Archetype, lane ecs.LaneInfo, chunk int, mask []uint64) {
	w.room = a.AppendLane(w.room[:0], lane, chunk, 0, 1)
	each(len(w.room)/lane.Size, mask, func(row int) {
		x := w.number.read(w.room[row*lane.Size:])
		if w.kind == "sum" {
			w.sum += x
			return
		}
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			return
		}
		if w.sum++; w.first == nil {
			w.ids = a.AppendEntities(w.ids[:0], chunk, 0, 1)
			w.first = &First{Frame: frame, Entity: entityText(w.ids[row]), Name: of.EntityName(w.ids[row]), Value: fmt.Sprint(x)}
		}
	})
}

// field reads the number of the entity.
func (w *watch) field(of *ecs.World) (float64, bool) {
	if !of.Exists(w.entity) {
		w.wrong = "the entity does not exist any more"
		return 0, false
	}
	a := of.ArchetypeOf(w.entity)
	lane, ok := w.number.find(a)
	if !ok {
		w.wrong = "the entity has no " + typeName(w.number.typ) + " now"
		return 0, false
	}
	row, err := of.Untyped().AppendRow(w.room[:0], w.entity, lane)
	if err != nil {
		w.wrong = err.Error()
		return 0, false
	}
	w.room, w.wrong = row, ""
	return w.number.read(row), true
}

// add keeps a sample.
func (w *watch) add(frame uint64, x float64) {
	if len(w.frames) == keptValues {
		copy(w.frames, w.frames[1:])
		copy(w.values, w.values[1:])
		w.frames, w.values = w.frames[:keptValues-1], w.values[:keptValues-1]
	}
	if w.frames == nil {
		w.frames, w.values = make([]uint64, 0, keptValues), make([]float64, 0, keptValues)
	}
	w.frames, w.values = append(w.frames, frame), append(w.values, x)
}

// find returns the watch of the same spec, taking w if there is none; nil if there are too many.
func (ws *watches) find(w *watch) *watch {
	for _, own := range ws.list {
		if own.spec == w.spec {
			return own
		}
	}
	if len(ws.list) >= mostWatches {
		return nil
	}
	ws.list = append(ws.list, w)
	return w
}

// First is the first number that was odd, of a watch of such: in the order of archetypes, chunks and
// rows of the first sample that had some.
type First struct {
	Frame   uint64   `json:"frame"`
	Entity  string   `json:"entity"`
	Name    string   `json:"name,omitempty"`
	Value   string   `json:"value"`
	Writers []string `json:"writers"` // systems that write the component: one alone is to blame
	Wrote   *Wrote   `json:"wrote,omitempty"`
}

// Wrote is what wrote the first such number of the lane, if package check looks at the world.
type Wrote struct {
	System string `json:"system"` // empty if it was no system
	Frame  uint64 `json:"frame"`
	Entity string `json:"entity"`
	Value  string `json:"value"`
}
