package inspect

import (
	"context"
	"math"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// samples is how many entities a picture is made of at most, about.
const samples = 20_000

// Picture is the answer of /api/picture: numbers of the entities that match a query.
type Picture struct {
	Query  string `json:"query"`
	Kind   string `json:"kind"` // heat, scatter or histogram
	Frame  uint64 `json:"frame"`
	Count  int    `json:"count"`  // entities that match and have the numbers
	Seen   int    `json:"seen"`   // of these, those that were looked at: every step-th
	Frames int    `json:"frames"` // over how many frames
	Odd    int    `json:"odd"`    // of these, those with a NaN or an infinity
	X      Axis   `json:"x"`
	Y      *Axis  `json:"y,omitempty"`
	C      *Axis  `json:"c,omitempty"`

	W      int          `json:"w,omitempty"` // of a heat map or histogram: cells in a row
	H      int          `json:"h,omitempty"`
	Cells  []int        `json:"cells,omitempty"`  // how many entities are in each, rows from the top
	Means  []float64    `json:"means,omitempty"`  // the mean of c there; 0 where there is none
	Points [][3]float64 `json:"points,omitempty"` // of a scatter plot: x, y and c
	IDs    []string     `json:"ids,omitempty"`    // the entities of the points
}

// Axis is one of the numbers of a picture.
type Axis struct {
	Lane string  `json:"lane"`
	Min  float64 `json:"min"` // what is shown: all but one of 400 at each end
	Max  float64 `json:"max"`
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"` // the least and the greatest there is
	High float64 `json:"high"`
}

// Sizes of pictures.
const (
	heatW, heatH = 240, 150
	bins         = 64
	mostPoints   = 5000
)

// sheet is the numbers of a sample of entities.
type sheet struct {
	ids     []ecs.Entity
	columns [][]float64
}

func (v *view) picture(ctx context.Context, c *choice, kind string, lanes []numbers) (*Picture, error) {
	out := &Picture{Query: c.text, Kind: kind}
	need := *c
	for _, n := range lanes {
		if !slices.Contains(need.types, n.typ) {
			need.types = append(slices.Clone(need.types), n.typ)
			need.terms = append(slices.Clone(need.terms), with.Of(n.typ))
			need.text += " " + typeName(n.typ)
		}
	}
	s, err := v.sample(ctx, out, &need, lanes)
	if err != nil {
		return nil, err
	}
	out.draw(s, lanes)
	return out, nil
}

// piece is the copied bytes of one chunk.
type piece struct {
	ids   []ecs.Entity
	bytes [3][]byte
	size  [3]int
	mask  []uint64
}

// sample copies the numbers of every step-th entity.
func (v *view) sample(ctx context.Context, out *Picture, c *choice, lanes []numbers) (*sheet, error) {
	count, get := walk{c: c}, walk{c: c}
	counted := false
	step, skip := 1, 0
	var pieces []piece
	var err error
	out.Frames, err = v.at(ctx, "picture", func(l *look) (bool, error) {
		if v.world.Lent() {
			return false, lent(v)
		}
		if !counted {
			if count.next(l, func(_ ecs.Archetype, _, n int, _ []uint64) bool { out.Count += n; return true }) {
				return true, nil
			}
			counted, step = true, max(1, (out.Count+samples-1)/samples)
			out.Frame = v.number.Load()
		}
		return get.next(l, func(a ecs.Archetype, chunk, n int, mask []uint64) bool {
			p := piece{}
			first, every := skip, step
			if mask != nil { // rows are chosen from the copy
				first, every = 0, 1
				p.mask = slices.Clone(mask)
			} else if skip -= n; skip < 0 {
				skip = (step + skip%step) % step
			}
			for k := range lanes {
				lane, ok := lanes[k].find(a)
				if !ok {
					return true
				}
				p.bytes[k], p.size[k] = a.AppendLane(nil, lane, chunk, first, every), lane.Size
			}
			p.ids = a.AppendEntities(nil, chunk, first, every)
			pieces = append(pieces, p)
			return !l.over()
		}), nil
	})
	if err != nil {
		return nil, err
	}
	s := &sheet{columns: make([][]float64, len(lanes))}
	passed := 0
	for _, p := range pieces {
		each(len(p.ids), p.mask, func(row int) {
			if p.mask != nil {
				if passed++; passed%step != 0 {
					return
				}
			}
			s.ids = append(s.ids, p.ids[row])
			for k := range lanes {
				s.columns[k] = append(s.columns[k], lanes[k].read(p.bytes[k][row*p.size[k]:]))
			}
		})
	}
	return s, nil
}

// draw makes the picture of the numbers.
func (out *Picture) draw(s *sheet, lanes []numbers) {
	out.Seen = len(s.ids)
	axes := make([]Axis, len(lanes))
	for k := range lanes {
		axes[k] = axisOf(lanes[k].text, s.columns[k])
	}
	out.X = axes[0]
	if len(axes) > 1 {
		out.Y = &axes[1]
	}
	if len(axes) > 2 {
		out.C = &axes[2]
	}
	finite := func(row int) bool {
		for _, c := range s.columns {
			if math.IsNaN(c[row]) || math.IsInf(c[row], 0) {
				return false
			}
		}
		return true
	}
	var sums []float64
	switch out.Kind {
	case "histogram":
		out.W, out.H = bins, 1
	case "heat":
		out.W, out.H = heatW, heatH
	}
	out.Cells = make([]int, out.W*out.H)
	if out.C != nil {
		sums = make([]float64, len(out.Cells))
	}
	every := max(1, (out.Seen+mostPoints-1)/mostPoints)
	for row := range s.ids {
		if !finite(row) {
			out.Odd++
			continue
		}
		if out.Kind == "scatter" {
			if row%every == 0 {
				p := [3]float64{s.columns[0][row], s.columns[1][row], 0}
				if out.C != nil {
					p[2] = s.columns[2][row]
				}
				out.Points, out.IDs = append(out.Points, p), append(out.IDs, entityText(s.ids[row]))
			}
			continue
		}
		x, inside := axes[0].cell(s.columns[0][row], out.W)
		y := 0
		if out.Kind == "heat" {
			k, in := axes[1].cell(s.columns[1][row], out.H)
			y, inside = out.H-1-k, inside && in
		}
		if !inside {
			continue
		}
		at := y*out.W + x
		out.Cells[at]++
		if sums != nil {
			sums[at] += s.columns[2][row]
		}
	}
	for k := range sums {
		if sums[k] /= float64(max(out.Cells[k], 1)); math.IsInf(sums[k], 0) || math.IsNaN(sums[k]) {
			sums[k] = 0 // too large to be added up
		}
	}
	out.Means = sums
}

// cell returns which of n cells along the axis a number is in.
func (a *Axis) cell(x float64, n int) (int, bool) {
	k := int(math.Floor((x - a.Min) / (a.Max - a.Min) * float64(n)))
	if x == a.Max {
		k = n - 1
	}
	return k, k >= 0 && k < n
}

// axisOf finds the bounds of numbers: all but a few at each end, which would make the rest small.
func axisOf(lane string, all []float64) Axis {
	a := Axis{Lane: lane, Max: 1}
	var list []float64
	sum := 0.0
	for _, x := range all {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			list = append(list, x)
			sum += x
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
	const far = 1e300 // what is beyond is not drawn: differences must be numbers
	a.Min, a.Max = min(max(a.Min, -far), far), min(max(a.Max, -far), far)
	if a.Min == a.Max {
		half := max(0.5, float64(math.Abs(a.Min)/(1<<20)))
		a.Min, a.Max = a.Min-half, a.Max+half
	}
	return a
}
