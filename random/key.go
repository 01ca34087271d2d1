package random

import "fmt"

// MaxStream is the largest stream that a [Key] may name.
const MaxStream = 1<<24 - 2

// A Key says whose numbers are drawn: those of one simulation (Seed), at one
// time (Tick), for one purpose (Stream). Keys that differ in anything have
// numbers that have nothing to do with each other.
//
// A stream is a small number of one's own, a constant for each place in the
// program that draws: two kinds of draws with one key would be made of the same
// words. It is at most [MaxStream].
type Key struct {
	Seed   uint64
	Tick   uint32
	Stream uint32
}

// Rows says from where a lane is drawn: by the index of its rows or by ids.
// Make it by [Key.Rows] or [Key.IDs].
type Rows struct {
	key   Key
	first uint64
	ids   []uint64
	byID  bool
}

// Rows draws by index: the first row of a lane gets the numbers of row first,
// those behind it the ones that follow. So a lane may be cut anywhere: its parts,
// each with the index of its first row, get the same numbers. Four rows share the
// work of a block, which makes it the fastest way to draw one number a row.
//
// It panics if the stream is larger than [MaxStream].
func (k Key) Rows(first uint64) Rows { return Rows{key: k.checked("Key.Rows"), first: first} }

// IDs draws by id: row i gets the numbers of ids[i], wherever it lies and
// whatever else is there. Ids need no order and may occur more than once. The lane
// is kept, not copied.
//
// It panics if the stream is larger than [MaxStream].
func (k Key) IDs(ids []uint64) Rows { return Rows{key: k.checked("Key.IDs"), ids: ids, byID: true} }

// A Row is one row to draw from: the scalar of [Rows], with the same bits.
type Row struct {
	key  Key
	id   uint64
	byID bool
}

// Row draws for the row with this index: what [Key.Rows] gives it.
// It panics if the stream is larger than [MaxStream].
func (k Key) Row(index uint64) Row { return Row{key: k.checked("Key.Row"), id: index} }

// ID draws for one id: what [Key.IDs] gives it.
// It panics if the stream is larger than [MaxStream].
func (k Key) ID(id uint64) Row { return Row{key: k.checked("Key.ID"), id: id, byID: true} }

// checked returns the key, whose stream must leave room for that of renewals.
func (k Key) checked(name string) Key {
	if k.Stream > MaxStream {
		panic(fmt.Sprintf("random: %s: the stream is %d, the largest is %d", name, k.Stream, MaxStream))
	}
	return k
}

// AppendIDs appends the ids of entities, ecs.Entity or the like: the index is the
// lower half, the version the upper. An entity that takes the place of an older
// one has other numbers.
func AppendIDs[E ~struct{ Index, Version int32 }](ids []uint64, entities []E) []uint64 {
	for _, e := range entities {
		ids = append(ids, EntityID(e))
	}
	return ids
}

// EntityID returns the id of one entity, as [AppendIDs] does.
func EntityID[E ~struct{ Index, Version int32 }](e E) uint64 {
	p := struct{ Index, Version int32 }(e)
	return uint64(uint32(p.Index)) | uint64(uint32(p.Version))<<32
}

// fits panics unless n rows can be drawn.
func (r *Rows) fits(name string, n int) {
	if r.byID && len(r.ids) != n {
		panic(fmt.Sprintf("random: %s: len(ids) is %d, there are %d rows", name, len(r.ids), n))
	}
}

// same panics unless lanes have equally many rows.
func same(name string, rows ...int) {
	for i, n := range rows {
		if n != rows[0] {
			panic(fmt.Sprintf("random: %s: lane 0 has %d rows, lane %d has %d", name, rows[0], i, n))
		}
	}
}

// at returns row i by itself.
func (r *Rows) at(i int) Row {
	if r.byID {
		return Row{key: r.key, id: r.ids[i], byID: true}
	}
	return Row{key: r.key, id: r.first + uint64(i)}
}
