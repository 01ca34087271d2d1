package ecs

// spill is the heap blocks of one buffer column of a chunk. The rows are made
// when the first of them is needed.
type spill struct{ rows [][]uint64 }

// fit makes room for so many rows, of which some live.
func (l *spill) fit(live, rows int) {
	if l.rows != nil && len(l.rows) != rows {
		l.rows = append(make([][]uint64, 0, rows), l.rows[:live]...)[:rows]
	}
}

// copyWithin moves the heap blocks of n rows from one place to another.
func (l *spill) copyWithin(to, from, n int) {
	if l.rows != nil {
		copy(l.rows[to:], l.rows[from:from+n])
	}
}

// clear forgets the heap blocks of n rows.
func (l *spill) clear(first, n int) {
	if l.rows != nil {
		clear(l.rows[first : first+n])
	}
}
