package chunk

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lanewise/lanewise/soa"
)

// ErrTooLarge is returned when one row of an archetype does not fit in a chunk.
var ErrTooLarge = errors.New("row does not fit in a chunk")

// Size is the size of a block in bytes.
const Size = 16384

const (
	entityBytes = 8  // an entity id
	rowAlign    = 16 // capacities and scratch rows count by this
)

// Column holds the offsets of one component's lanes in a block.
type Column struct {
	// Offsets holds the offset of each lane in bytes, in the order of the lanes.
	// Offsets is empty for a component without lanes.
	Offsets []uint32

	// Stride is the distance between neighbouring lanes in bytes if all lanes
	// have the same size. In that case lane i starts at Offsets[0] + i*Stride. Stride is 0 if
	// sizes differ or there are no lanes.
	Stride uint32
}

// Layout holds the offsets of all lanes in the blocks of one archetype. Entity ids are at offset 0;
// the columns follow in the given order. NewLayout creates a Layout. A Layout never changes after
// NewLayout, so goroutines may share it.
type Layout struct {
	Capacity int      // rows in a block
	Columns  []Column // one for each component
	Used     int      // bytes up to the end of the last lane
}

// NewLayout returns the layout of an archetype whose components have the given
// lanes. The lanes of a component are adjacent and in order, and the size of each is rounded up to
// a multiple of 64 bytes.
//
// The capacity is the largest multiple of 16 rows that fits. If 16 rows do not fit, it is the
// largest number of rows that fits. If limit is not 0, the capacity is at most
// limit, which need not be a multiple of 16.
//
// NewLayout returns an error that wraps ErrTooLarge if not a single row fits. NewLayout panics if
// limit is negative.
func NewLayout(columns [][]soa.Lane, limit int) (*Layout, error) {
	if limit < 0 {
		panic(fmt.Sprintf("chunk: NewLayout: limit is %d", limit))
	}
	if need := blockBytes(columns, 1); need > Size {
		return nil, fmt.Errorf("chunk: layout of %s: %d bytes a row, %d of %d with every lane on %d bytes: %w",
			describe(columns), rowBytes(columns), need, Size, soa.Align, ErrTooLarge)
	}
	n := capacity(columns)
	if limit > 0 {
		n = min(n, limit)
	}
	l := &Layout{Capacity: n, Columns: make([]Column, len(columns))}
	end := laneBytes(n, entityBytes)
	for i, lanes := range columns {
		c := &l.Columns[i]
		c.Offsets = make([]uint32, len(lanes))
		for j, lane := range lanes {
			c.Offsets[j] = uint32(end)
			end += laneBytes(n, lane.Size)
		}
		c.Stride = stride(lanes, n)
	}
	l.Used = int(end)
	return l, nil
}

// RowsPadded returns the number of rows that kernels may touch if n rows are
// live in a chunk of the given capacity. These are the live rows and the scratch rows after them.
func RowsPadded(n, capacity int) int {
	return min((n+rowAlign-1)&^(rowAlign-1), capacity)
}

// capacity returns the number of rows that fit in a block. At least one row must fit. A binary
// search finds the number, because blockBytes never falls when rows are added.
func capacity(columns [][]soa.Lane) int {
	step := rowAlign
	if blockBytes(columns, rowAlign) > Size {
		step = 1
	}
	lo, hi := 0, Size/entityBytes/step+1 // lo steps fit, hi do not
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; blockBytes(columns, mid*step) <= Size {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo * step
}

// blockBytes returns the bytes of n rows, with every lane rounded up to a
// multiple of 64.
func blockBytes(columns [][]soa.Lane, n int) uint64 {
	sum := laneBytes(n, entityBytes)
	for _, lanes := range columns {
		for _, l := range lanes {
			sum += laneBytes(n, l.Size)
		}
	}
	return sum
}

// laneBytes returns the bytes of a lane of n rows, rounded up to a multiple of 64.
func laneBytes(n int, size uintptr) uint64 {
	return (uint64(n)*uint64(size) + soa.Align - 1) &^ (soa.Align - 1)
}

// stride returns the size in bytes of each of a component's lanes, or 0 if their sizes differ.
func stride(lanes []soa.Lane, n int) uint32 {
	if len(lanes) == 0 {
		return 0
	}
	for _, l := range lanes {
		if l.Size != lanes[0].Size {
			return 0
		}
	}
	return uint32(laneBytes(n, lanes[0].Size))
}

// rowBytes returns the bytes of one row without any rounding.
func rowBytes(columns [][]soa.Lane) uint64 {
	sum := uint64(entityBytes)
	for _, lanes := range columns {
		for _, l := range lanes {
			sum += uint64(l.Size)
		}
	}
	return sum
}

// describe returns the lanes of an archetype for a message, such as
// "{X float32, Y float32} {Mass float64}".
func describe(columns [][]soa.Lane) string {
	var b strings.Builder
	for i, lanes := range columns {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteByte('{')
		for j, l := range lanes {
			if j > 0 {
				b.WriteString(", ")
			}
			b.WriteString(l.String())
		}
		b.WriteByte('}')
	}
	return b.String()
}
