package random

import (
	"fmt"
	"math/rand/v2"
)

// MaxStream is the largest stream of a [Key].
const MaxStream = 1<<24 - 2

// A Key selects a set of numbers: the numbers of one simulation (Seed), at one time
// (Tick), for one purpose (Stream). Keys that differ in any field have
// independent numbers.
//
// A stream is a small constant. Use a different one for each place in the program that draws,
// because two kinds of draws with one key would use the same words. The stream is at most
// [MaxStream].
type Key struct {
	Seed   uint64
	Tick   uint32
	Stream uint32
}

// Rows describes the rows of a lane for which numbers are drawn. The rows are selected by index or
// by id. [Key.Rows] and [Key.IDs] create them.
type Rows struct {
	key   Key
	first uint64
	ids   []uint64
	byID  bool
}

// Rows draws by index: the first row of a lane gets the numbers of index first,
// the second row gets those of first+1, and so on. So a lane may be split anywhere: if each part is
// drawn with the index of its first row, the rows get the same numbers as without the split. Four
// rows share a block of words, so this is the fastest way to draw one number for each row.
//
// Rows panics if the stream is larger than [MaxStream].
func (k Key) Rows(first uint64) Rows { return Rows{key: k.checkStream("Key.Rows"), first: first} }

// IDs draws by id: row i gets the numbers of ids[i]. These numbers do not depend on the lane or
// the row in which the id is. For example, an entity keeps its numbers when its row moves. Ids
// need no order and may occur more than once. IDs keeps the slice and does not copy it.
//
// IDs panics if the stream is larger than [MaxStream].
func (k Key) IDs(ids []uint64) Rows { return Rows{key: k.checkStream("Key.IDs"), ids: ids, byID: true} }

// A Row is one row for which numbers are drawn. The functions for one Row and those for [Rows]
// return exactly the same numbers.
type Row struct {
	key  Key
	id   uint64
	byID bool
}

// Row returns the row with the given index; see [Key.Rows]. Row panics if
// the stream is larger than [MaxStream].
func (k Key) Row(index uint64) Row { return Row{key: k.checkStream("Key.Row"), id: index} }

// ID returns the row with the given id; see [Key.IDs]. ID panics if the
// stream is larger than [MaxStream].
func (k Key) ID(id uint64) Row { return Row{key: k.checkStream("Key.ID"), id: id, byID: true} }

// checkStream returns the key. It panics if the stream is larger than MaxStream. One of the
// larger streams is reserved for seedOf.
func (k Key) checkStream(name string) Key {
	if k.Stream > MaxStream {
		panic(fmt.Sprintf("random: %s: the stream is %d, the largest is %d", name, k.Stream, MaxStream))
	}
	return k
}

// AppendIDs appends the ids of entities, which are of type ecs.Entity or a similar type. The lower
// half of an id is the entity's index, the upper half its version. So an entity that reuses the
// index of an older entity gets different numbers.
func AppendIDs[E ~struct{ Index, Version int32 }](ids []uint64, entities []E) []uint64 {
	for _, e := range entities {
		ids = append(ids, EntityID(e))
	}
	return ids
}

// EntityID returns the id that [AppendIDs] appends for one entity. Use it with
// [Key.ID].
func EntityID[E ~struct{ Index, Version int32 }](e E) uint64 {
	p := struct{ Index, Version int32 }(e)
	return uint64(uint32(p.Index)) | uint64(uint32(p.Version))<<32
}

// checkIDs panics if rows are drawn by id and there are not n ids.
func (r *Rows) checkIDs(name string, n int) {
	if r.byID && len(r.ids) != n {
		panic(fmt.Sprintf("random: %s: len(ids) is %d, there are %d rows", name, len(r.ids), n))
	}
}

// checkLengths panics unless all lanes have the same number of rows.
func checkLengths(name string, rows ...int) {
	for i, n := range rows {
		if n != rows[0] {
			panic(fmt.Sprintf("random: %s: lane 0 has %d rows, lane %d has %d", name, rows[0], i, n))
		}
	}
}

// rowAt returns row i.
func (r *Rows) rowAt(i int) Row {
	if r.byID {
		return Row{key: r.key, id: r.ids[i], byID: true}
	}
	return Row{key: r.key, id: r.first + uint64(i)}
}

// Source returns the words of one row in order, two at a time. It implements rand.Source of
// math/rand/v2, for packages that draw from such a source, for example gonum's distributions. It
// never ends. [Row.Source] creates one. Only one goroutine may
// use a Source at a time.
//
// A source begins with the same words that UniformOf[float64] uses for the row. So use a row either
// for a source or for other draws, but not for both.
type Source struct {
	row      Row
	nextWord uint64
	block    [4]uint32
}

var _ rand.Source = (*Source)(nil)

// Source returns a source that begins with the first words of the row. Source
// allocates the source. A source of a row by id is several times as fast as a source by index. The
// reason is that a block has four words of one id, but only one word of each of four indices.
func (r Row) Source() *Source { return &Source{row: r} }

// Reset moves the source to the first words of another row.
func (s *Source) Reset(r Row) { *s = Source{row: r} }

// Uint64 returns the next two words. The first of them is in the lower half.
func (s *Source) Uint64() uint64 {
	n := s.nextWord
	s.nextWord++
	if !s.row.byID {
		return s.row.word64(n)
	}
	if n%2 == 0 {
		s.block = s.row.block(n / 2)
		return uint64(s.block[0]) | uint64(s.block[1])<<32
	}
	return uint64(s.block[2]) | uint64(s.block[3])<<32
}
