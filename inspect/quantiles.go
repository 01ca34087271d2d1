package inspect

import (
	"math"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// Sizes of the samples of quantiles.
const (
	maxQuantileRows = 8192 // more rows than this are thinned out, so that a sample takes few frames
	fewQuantileRows = 512  // the owner sorts so few numbers itself
	quantileLevels  = 5    // minimum, lower quartile, median, upper quartile, maximum
)

// quantiles is the sample of a watch of quantiles. It reads every step-th of the rows that match.
//
// Invariant: the read rows are those whose index is a multiple of step. So when there are too many of
// them, every second one is removed, and step is doubled.
//
// A goroutine sorts a large sample, because sorting takes longer than a slice of the owner. While sorted
// is not nil, only this goroutine uses values.
type quantiles struct {
	values   []float64
	step     int
	at, next int // number of rows that were passed, and index of the next one to read
	sorted   chan [quantileLevels]float64
	frame    uint64 // frame of the sample that is being sorted
}

// restart begins a new sample. It begins with the step that the sample before needed.
func (q *quantiles) restart() {
	step := 1
	for q.at/step > maxQuantileRows {
		step *= 2
	}
	q.values, q.step, q.at, q.next = q.values[:0], step, 0, 0
}

// rows reads the rows of a chunk, of which n match. It returns the memory for the next chunk.
func (q *quantiles) rows(number *numberField, a ecs.Archetype, lane ecs.LaneInfo, chunk, n int, mask []uint64, room []byte) []byte {
	first := q.next - q.at
	if q.at += n; first >= n {
		return room
	}
	q.next += (n - first + q.step - 1) / q.step * q.step
	if mask == nil {
		room = a.AppendLane(room[:0], lane, chunk, first, q.step)
		for at := 0; at < len(room); at += lane.Size {
			q.add(number.read(room[at:]))
		}
	} else {
		room = a.AppendLane(room[:0], lane, chunk, 0, 1)
		index, step := 0, q.step // add may change the step for later chunks
		eachRow(0, mask, func(row int) {
			if index >= first && (index-first)%step == 0 {
				q.add(number.read(room[row*lane.Size:]))
			}
			index++
		})
	}
	for len(q.values) > maxQuantileRows {
		q.thin()
	}
	return room
}

// add adds a number. A NaN has no place among other numbers, but it must keep its index until the sample is complete.
func (q *quantiles) add(x float64) { q.values = append(q.values, x) }

// thin removes every second row.
func (q *quantiles) thin() {
	for k := range (len(q.values) + 1) / 2 {
		q.values[k] = q.values[2*k]
	}
	q.values = q.values[:(len(q.values)+1)/2]
	if q.step *= 2; q.next%q.step != 0 {
		q.next += q.step / 2
	}
}

// digest returns the quantiles. Each of them is one of the numbers. Without any number, all are NaN.
func (q *quantiles) digest() (levels [quantileLevels]float64) {
	list := slices.DeleteFunc(q.values, math.IsNaN)
	slices.Sort(list)
	for k := range levels {
		if levels[k] = math.NaN(); len(list) > 0 {
			levels[k] = list[((len(list)-1)*k+(quantileLevels-1)/2)/(quantileLevels-1)]
		}
	}
	return levels
}

// sampleQuantiles takes a sample of quantiles, or continues it.
func (w *watch) sampleQuantiles(l *ownerSlice, frame uint64) {
	q := w.quantiles
	if q.sorted != nil {
		select {
		case levels := <-q.sorted:
			q.sorted = nil
			w.add(q.frame, levels[:]...)
			w.restart()
		default:
			return
		}
	}
	if w.firstFrame == 0 {
		w.firstFrame = frame
	}
	if w.walk.next(l, func(a ecs.Archetype, chunk, n int, mask []uint64) bool {
		if lane, ok := w.number.find(a); ok {
			w.maskScratch = q.rows(&w.number, a, lane, chunk, n, mask, w.maskScratch)
		}
		return !l.isOver()
	}) {
		return
	}
	w.sampleFrames, w.errorText, w.passed, w.read = int(frame-w.firstFrame+1), "", q.at, len(q.values)
	if len(q.values) <= fewQuantileRows {
		levels := q.digest()
		w.add(frame, levels[:]...)
		w.restart()
		return
	}
	sorted := make(chan [quantileLevels]float64, 1)
	q.sorted, q.frame = sorted, frame
	go func() { sorted <- q.digest() }()
}
