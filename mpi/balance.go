package mpi

import (
	"github.com/lanewise/lanewise/order"
)

// If the largest load of a rank is more than above times the mean, Balance
// moves the cuts between bricks so that all ranks have about the same load. For
// example, 1.1 means that a tenth more is allowed. Balance reports whether it
// has moved cuts. If so, the next Migrate or Exchange moves the rows. Loads are
// counts of rows, or the results of [Split.Load], and never times, so that the
// same run has the same cuts. Call Balance occasionally, between two ticks. The
// results of the model do not depend on when it is called.
func (d *Domain[T]) Balance(above float64) (moved bool, err error) {
	const op = "Balance"
	if err := d.early.checkEnded(d.comm, op); err != nil {
		return false, err
	}
	cells := d.loadedCells()
	own := int64(0)
	for _, c := range cells {
		own += c.load
	}
	most, total := []int64{own}, []int64{own}
	if err := d.comm.wait(op, d.comm.wire.Max(most), d.comm.wire.Sum(total)); err != nil {
		return false, err
	}
	mean := float64(total[0]) / float64(d.comm.Size())
	if float64(most[0]) <= float64(above*mean) {
		return false, nil
	}
	b := d.bricks
	before := [3][]int32{b.cuts[0], b.cuts[1], b.cuts[2]}
	slabs := 1
	for a, n := range b.n {
		across := b.axes[a].cells
		load := make([]int64, slabs*across)
		for _, c := range cells {
			load[c.slab*across+c.at[a]] += c.load
		}
		if err := d.comm.wait(op, d.comm.wire.Sum(load)); err != nil {
			return false, err
		}
		b.cuts[a] = nil
		for s := range slabs {
			b.cuts[a] = appendCuts(b.cuts[a], load[s*across:][:across], n)
		}
		b.index()
		for i := range cells {
			c := &cells[i]
			c.slab = c.slab*n + int(b.brick[a][c.slab*across+c.at[a]])
		}
		slabs *= n
	}
	for a := range before {
		for i := range before[a] {
			moved = moved || before[a][i] != b.cuts[a][i]
		}
	}
	if moved {
		d.cut()
	}
	return moved, nil
}

// loaded is a cell that contains rows, and the cell's load.
type loaded struct {
	at   [3]int
	load int64
	slab int // its slab, among those that are cut so far
}

// loadedCells returns the cells that contain rows of this rank.
func (d *Domain[T]) loadedCells() (cells []loaded) {
	var keys []uint64
	n := [3]int{d.bricks.axes[0].cells, d.bricks.axes[1].cells, d.bricks.axes[2].cells}
	for c := range d.own.Chunks() {
		p := d.points(c, []int{0, 1, 2}[:d.dims])
		for i := range p.ids {
			at := d.bricks.cellOf(p.point(int32(i)))
			keys = append(keys, uint64((at[2]*n[1]+at[1])*n[0]+at[0]))
		}
	}
	var s order.Sorter[uint64, struct{}]
	s.Sort(keys)
	for lo := 0; lo < len(keys); {
		hi := lo + 1
		for hi < len(keys) && keys[hi] == keys[lo] {
			hi++
		}
		k := int(keys[lo])
		c := loaded{at: [3]int{k % n[0], k / n[0] % n[1], k / n[0] / n[1]}, load: int64(hi - lo)}
		if d.split.Load != nil {
			c.load = d.split.Load(hi - lo)
		}
		cells = append(cells, c)
		lo = hi
	}
	return cells
}

// appendCuts appends the cuts that divide columns with the given loads into n
// parts of at least one column each.
func appendCuts(cuts []int32, load []int64, n int) []int32 {
	total := int64(0)
	for _, l := range load {
		total += l
	}
	cuts = append(cuts, 0)
	at, sum := 0, int64(0)
	for k := 1; k < n; k++ {
		want := total/int64(n)*int64(k) + total%int64(n)*int64(k)/int64(n)
		first, last := at+1, len(load)-(n-k)
		for at < first || at < last && sum+load[at]/2 < want {
			sum += load[at]
			at++
		}
		cuts = append(cuts, int32(at))
	}
	return append(cuts, int32(len(load)))
}
