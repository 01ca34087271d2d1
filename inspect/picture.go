package inspect

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/lanewise/lanewise/chunk"
	"github.com/lanewise/lanewise/ecs"
)

// maxSampled is the approximate largest number of entities of a picture.
const maxSampled = 20_000

// Picture is the answer of /api/picture: numbers of the entities that match a
// query.
type Picture struct {
	Query  string `json:"query"`
	Kind   string `json:"kind"` // heat, scatter or histogram
	Frame  uint64 `json:"frame"`
	Count  int    `json:"count"`  // number of entities that match and have the numbers
	Seen   int    `json:"seen"`   // number of these that were read: every step-th
	Frames int    `json:"frames"` // number of frames over which they were read
	Odd    int    `json:"odd"`    // number of the read ones with a NaN or an infinity
	X      Axis   `json:"x"`
	Y      *Axis  `json:"y,omitempty"`
	C      *Axis  `json:"c,omitempty"` // colour
	Z      *Axis  `json:"z,omitempty"` // distance, of a scatter plot

	W      int          `json:"w,omitempty"` // of a heat map or histogram: cells in a row
	H      int          `json:"h,omitempty"`
	Cells  []int        `json:"cells,omitempty"`  // number of entities in each cell, with rows from the top
	Means  []float64    `json:"means,omitempty"`  // mean of c in each cell; 0 in an empty cell
	Points [][4]float64 `json:"points,omitempty"` // of a scatter plot: x, y, c and z; 0 where the picture has no c or z
	IDs    []string     `json:"ids,omitempty"`    // entities of the points
}

// Axis is one axis of a picture: the number that it shows, and its range.
type Axis struct {
	Lane string  `json:"lane"`
	Min  float64 `json:"min"` // the range that is shown: without one of 400 values at each end
	Max  float64 `json:"max"`
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"` // the smallest and the largest value
	High float64 `json:"high"`
	Odd  string  `json:"odd,omitempty"` // the first NaN or infinity of the read ones: NaN, +Inf or -Inf
}

// Sizes of pictures.
const (
	heatW, heatH = 240, 150
	bins         = 64
	maxPoints    = 5000
)

// sampleTable holds the numbers of a sample of entities.
type sampleTable struct {
	ids     []ecs.Entity
	columns [][]float64
	row     []byte // bytes of the lane that is being read
}

// pictureLanes are the numbers of a picture. axes has a letter for each of them: x, y, c or z.
type pictureLanes struct {
	numbers []numberField
	axes    string
}

func picturePage(ctx context.Context, v *view, c *parsedQuery, kind string, lanes pictureLanes) (*Picture, error) {
	out := &Picture{Query: c.text, Kind: kind}
	need := c
	for _, n := range lanes.numbers {
		need = need.withNumber(n)
	}
	s, err := sampleOf(ctx, v, out, need, lanes.numbers)
	if err != nil {
		return nil, err
	}
	out.draw(s, lanes)
	sampleTables.Put(s)
	return out, nil
}

// sampleTables keeps the memory of earlier pictures, so that later pictures can reuse it.
var sampleTables = sync.Pool{New: func() any { return new(sampleTable) }}

// newSampleTable returns a table with memory for the given number of columns, so that
// the owner of the world need not allocate memory.
func newSampleTable(columns int) *sampleTable {
	s := sampleTables.Get().(*sampleTable)
	s.ids = slices.Grow(s.ids[:0], maxSampled+1)
	for len(s.columns) < columns {
		s.columns = append(s.columns, nil)
	}
	for k := range columns {
		s.columns[k] = slices.Grow(s.columns[k][:0], maxSampled+1)
	}
	s.columns = s.columns[:columns]
	s.row = slices.Grow(s.row[:0], chunk.Size)
	return s
}

// sampleOf copies the numbers of every step-th entity.
func sampleOf(ctx context.Context, v *view, out *Picture, c *parsedQuery, lanes []numberField) (*sampleTable, error) {
	s := newSampleTable(len(lanes))
	at, next := 0, 0 // number of entities that were passed, and index of the next one to take
	count, get := walk{query: c}, walk{query: c}
	count.countAll = func(n int) bool { out.Count += n; return true }
	get.countAll = func(n int) bool {
		if at+n > next {
			return false
		}
		at += n
		return true
	}
	counted, step := false, 1
	var err error
	out.Frames, err = v.runBetween(ctx, "picture", func(l *ownerSlice) (bool, error) {
		if err := l.checkNotLent(); err != nil {
			return false, err
		}
		if !counted {
			if count.next(l, func(_ ecs.Archetype, _, n int, _ []uint64) bool { out.Count += n; return true }) {
				return true, nil
			}
			counted, step = true, max(1, (out.Count+maxSampled-1)/maxSampled)
			out.Frame = v.lastFrame.Load()
		}
		return get.next(l, func(a ecs.Archetype, c, n int, mask []uint64) bool {
			first := next - at
			if at += n; first >= n {
				return true
			}
			next += (n - first + step - 1) / step * step
			s.addRows(a, c, first, step, mask, lanes)
			return !l.isOver()
		}), nil
	})
	if err != nil {
		return nil, err // the owner may still be writing to it
	}
	return s, nil
}

// addRows copies the numbers of every step-th row of a chunk. If there is a
// mask, only rows of the mask count. Only the owner may call it.
func (s *sampleTable) addRows(a ecs.Archetype, c, first, step int, mask []uint64, lanes []numberField) {
	if mask != nil {
		at := 0
		eachRow(0, mask, func(row int) {
			if at == first {
				s.addRows(a, c, row, a.Capacity(), nil, lanes)
				first += step
			}
			at++
		})
		return
	}
	for k := range lanes {
		lane, ok := lanes[k].find(a)
		if !ok {
			return
		}
		s.row = a.AppendLane(s.row[:0], lane, c, first, step)
		for at := 0; at < len(s.row); at += lane.Size {
			s.columns[k] = append(s.columns[k], lanes[k].read(s.row[at:]))
		}
	}
	s.ids = a.AppendEntities(s.ids, c, first, step)
}

// draw computes the picture of the numbers.
func (out *Picture) draw(s *sampleTable, lanes pictureLanes) {
	out.Seen = len(s.ids)
	for k, n := range lanes.numbers {
		a := axisOf(n.text, s.columns[k])
		switch lanes.axes[k] {
		case 'x':
			out.X = a
		case 'y':
			out.Y = &a
		case 'c':
			out.C = &a
		case 'z':
			out.Z = &a
		}
	}
	put := out.cell
	switch out.Kind {
	case "scatter":
		put = func(s *sampleTable, row int) { out.point(s, row, lanes.axes) }
	case "histogram":
		out.W, out.H = bins, 1
	case "heat":
		out.W, out.H = heatW, heatH
	}
	out.Cells = make([]int, out.W*out.H)
	if out.C != nil {
		out.Means = make([]float64, len(out.Cells)) // first sums, at the end divided by the counts
	}
	for row := range s.ids {
		if s.finite(row) {
			put(s, row)
		} else {
			out.Odd++
		}
	}
	for k := range out.Means {
		if out.Means[k] /= float64(max(out.Cells[k], 1)); math.IsInf(out.Means[k], 0) || math.IsNaN(out.Means[k]) {
			out.Means[k] = 0 // the sum overflows
		}
	}
}

// finite reports whether all numbers of a row are finite.
func (s *sampleTable) finite(row int) bool {
	for _, c := range s.columns {
		if math.IsNaN(c[row]) || math.IsInf(c[row], 0) {
			return false
		}
	}
	return true
}

// point adds a row to a scatter plot, unless the plot is full.
func (out *Picture) point(s *sampleTable, row int, axes string) {
	if every := max(1, (out.Seen+maxPoints-1)/maxPoints); row%every != 0 {
		return
	}
	p := [4]float64{}
	for k := range s.columns {
		p[strings.IndexByte("xycz", axes[k])] = s.columns[k][row]
	}
	out.Points, out.IDs = append(out.Points, p), append(out.IDs, s.ids[row].String())
}

// cell counts a row in its cell of a heat map or histogram.
func (out *Picture) cell(s *sampleTable, row int) {
	x, inside := out.X.cell(s.columns[0][row], out.W)
	y := 0
	if out.Kind == "heat" {
		k, in := out.Y.cell(s.columns[1][row], out.H)
		y, inside = out.H-1-k, inside && in
	}
	if !inside {
		return
	}
	at := y*out.W + x
	out.Cells[at]++
	if out.Means != nil {
		out.Means[at] += s.columns[2][row]
	}
}

// cell returns the index of the cell of a number, if the axis is divided into n
// cells.
func (a *Axis) cell(x float64, n int) (int, bool) {
	k := int(math.Floor((x - a.Min) / (a.Max - a.Min) * float64(n)))
	if x == a.Max {
		k = n - 1
	}
	return k, k >= 0 && k < n
}

// axisOf chooses the range of an axis. It ignores a few numbers at each end,
// because outliers would compress all other numbers into a few cells.
func axisOf(lane string, all []float64) Axis {
	a := Axis{Lane: lane, Max: 1}
	var list []float64
	sum := 0.0
	for _, x := range all {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			list = append(list, x)
			sum += x
		} else if a.Odd == "" {
			a.Odd = fmt.Sprint(x)
		}
	}
	if len(list) == 0 {
		return a
	}
	slices.Sort(list)
	n := len(list)
	a.Low, a.High, a.Mean = list[0], list[n-1], sum/float64(n)
	a.Min, a.Max = list[n/400], list[n-1-n/400]
	if math.IsInf(a.Mean, 0) {
		a.Mean = list[n/2]
	}
	const far = 1e300 // larger numbers are not drawn, because their differences could overflow
	a.Min, a.Max = min(max(a.Min, -far), far), min(max(a.Max, -far), far)
	if a.Min == a.Max {
		half := max(0.5, float64(math.Abs(a.Min)/(1<<20)))
		a.Min, a.Max = a.Min-half, a.Max+half
	}
	return a
}
