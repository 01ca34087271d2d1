package arrow

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanewise/lanewise/ecs"
)

// ErrBatch is wrapped by the error for a batch that does not fit the
// components. For example, a column may have another type, or a null where none
// is allowed.
var ErrBatch = errors.New("the batch does not fit the components")

// Importer makes entities from batches. Only the owner of the world may use an Importer.
type Importer struct {
	world    *ecs.World
	types    []ecs.TermType
	columns  []column
	ids      map[ecs.Entity]ecs.Entity // entity here for each id in the batches
	asked    bool                      // a batch had ids
	same     bool                      // so far each entity has kept its id
	refs     []reflect.Type            // component types that refer to entities
	made     []ecs.Entity              // if there are references
	row      []ecs.Entity              // memory for the entities of one batch
	fresh    bool                      // the world had no entities at first
	next     int32                     // while the ids are those that a new world would give: the index of the next one
	versions map[int32]int32           // versions of ids before next that are not 1
	jumbled  bool                      // the ids of a batch were not the next ones of a new world
	hold     bool                      // all batches wait for Close
	late     []part                    // batches that wait for Close
	closed   bool
	restores *int // counts the Restores of the world
	begun    int  // its initial value
}

// restoresKey is the key under which a world stores its count of Restores.
type restoresKey struct{}

// restoresOf returns a counter of the Restores of w since the first call.
func restoresOf(w *ecs.World) *int {
	if n, ok := w.Hooks().Attached(restoresKey{}).(*int); ok {
		return n
	}
	n := new(int)
	w.Hooks().Attach(restoresKey{}, n)
	w.Hooks().OnRestore(func(*ecs.Image) { *n++ })
	return n
}

// checkRestored returns an error if the world was restored since the importer began.
func (im *Importer) checkRestored(call string) error {
	if im.world == nil {
		return fmt.Errorf("arrow: Importer.%s: the importer is the zero Importer: make it with NewImporter: %w", call, ecs.ErrState)
	}
	if *im.restores == im.begun {
		return nil
	}
	return fmt.Errorf("arrow: Importer.%s: world %q was restored since NewImporter, and the ids of the entities that were made may be those of others: make another Importer, and add all batches to that: %w", call, im.world.Name(), ecs.ErrState)
}

// NewImporter returns an importer for batches with the columns that [New] gives
// for the same terms. A term is Read or Write of a component, or With of a tag
// or of a shared value. Use Optional or AnyOf for components that some entities lack. For
// such an entity, the batch has a null or, for a tag, false. A missing column leaves zeros;
// columns with other names are ignored.
func NewImporter(w *ecs.World, terms ...ecs.Term) (*Importer, error) {
	columns, err := columnsOf(terms)
	if err != nil {
		return nil, err
	}
	im := &Importer{world: w, types: ecs.TermTypes(terms...), columns: columns, ids: map[ecs.Entity]ecs.Entity{}, same: true, fresh: w.Len() == 0, restores: restoresOf(w)}
	im.begun = *im.restores
	for _, c := range columns {
		if (c.what == ofLane || c.what == ofShared) && c.leaf.entity && !slices.Contains(im.refs, c.typ) {
			im.refs = append(im.refs, c.typ)
		}
	}
	return im, nil
}

// source holds a batch's array for a column, and the position of the column's values in it.
type source struct {
	array  arrow.Array
	values []byte
	bit    int // of booleans: index of the first bit
	valid  []byte
	offset int // of valid

	has               bool // whether the rows before until that were looked at last have a value
	until, equalUntil int  // end of the run, and end of the rows with an equal shared value
}

// Add makes an entity of every row. If Add returns an error, it has created no
// entity for this batch, and the caller may add the next batch.
//
// In a world without earlier entities, the new entities get the ids of the
// batches if a new world would assign exactly these ids. To this end, Add
// copies batches whose ids are out of order, and keeps them until Close. Two
// rows must not have the same id, and no row may have the null id, 0;
// otherwise references to them would be ambiguous.
func (im *Importer) Add(b arrow.RecordBatch) error {
	if im.closed {
		return fmt.Errorf("arrow: Importer.Add: the importer is closed: make another one: %w", ecs.ErrState)
	}
	if err := im.checkRestored("Add"); err != nil {
		return err
	}
	p, err := im.part(b)
	if err != nil {
		return err
	}
	ordered := im.fresh && !im.jumbled && p.follows(im)
	if !ordered {
		if err := im.unique(p); err != nil {
			return err
		}
	}
	jumbled := im.fresh && !ordered && p.from[0].array != nil
	im.jumbled = im.jumbled || jumbled
	switch {
	case im.hold:
		b.Retain()
	case jumbled:
		if p, err = im.copyPart(p); err != nil {
			im.forget(p)
			return err
		}
	default:
		return im.makeAll([]part{p}, p.appendPlaces(0, nil))
	}
	p.jumbled = jumbled
	im.late = append(im.late, p)
	return nil
}

// part is a batch whose columns have been found to fit the components.
type part struct {
	batch   arrow.RecordBatch
	from    []source
	runs    []run
	jumbled bool // its entities are made in the order of their ids
}

// part finds the columns of a batch. It checks everything in the batch except the ids.
func (im *Importer) part(b arrow.RecordBatch) (part, error) {
	if b.NumRows() > math.MaxInt32 {
		return part{}, fmt.Errorf("arrow: a batch of %d rows: %w: a world has room for 2^31 entities", b.NumRows(), ErrBatch)
	}
	from := make([]source, len(im.columns))
	for i := range im.columns {
		var err error
		if from[i], err = im.columns[i].find(b); err != nil {
			return part{}, err
		}
	}
	if from[0].valid != nil {
		return part{}, fmt.Errorf("arrow: column entity has nulls: %w", ErrBatch)
	}
	runs, err := im.divideIntoRuns(from, int(b.NumRows()))
	return part{batch: b, from: from, runs: runs}, err
}

// copyPart returns a copy of a part. The copy is needed because the owner of a
// batch may reuse the batch's memory, as Views does.
func (im *Importer) copyPart(p part) (part, error) {
	var fields []arrow.Field
	var list []arrow.Array
	defer func() {
		for _, a := range list {
			a.Release()
		}
	}()
	for i := range p.from {
		if a := p.from[i].array; a != nil {
			c, err := array.Concatenate([]arrow.Array{a}, memory.DefaultAllocator) //lanewise:inexact its assembly fills memory with one byte
			if err != nil {
				return p, fmt.Errorf("arrow: %w", err)
			}
			fields, list = append(fields, arrow.Field{Name: im.columns[i].name, Type: a.DataType(), Nullable: true}), append(list, c)
		}
	}
	b := array.NewRecordBatch(arrow.NewSchema(fields, nil), list, p.batch.NumRows())
	next, err := im.part(b)
	if err != nil {
		b.Release()
		return p, err
	}
	return next, nil
}

// id returns the id of a row.
func (p *part) id(row int) ecs.Entity {
	return EntityOf(int64(binary.NativeEndian.Uint64(p.from[0].values[8*row:])))
}

// ids returns the number of rows with ids in the batch.
func (p *part) ids() int {
	if p.from[0].array == nil {
		return 0
	}
	return int(p.batch.NumRows())
}

// follows reports whether the ids of a batch are the ids that a new world would
// assign next. If they are, follows records these ids.
func (p *part) follows(im *Importer) bool {
	if p.from[0].array == nil {
		return false
	}
	for row := range p.ids() {
		if id := p.id(row); int(id.Index) != int(im.next)+row || id == (ecs.Entity{}) {
			return false
		}
	}
	for row := range p.ids() {
		if id := p.id(row); id.Version != 1 {
			if im.versions == nil {
				im.versions = map[int32]int32{}
			}
			im.versions[id.Index] = id.Version
		} else if im.versions != nil {
			delete(im.versions, id.Index)
		}
	}
	im.next += int32(p.ids())
	return true
}

// unique adds the ids of a batch to the set of imported ids. It refuses the null id, and an
// id that another row has.
func (im *Importer) unique(p part) error {
	for row := range p.ids() {
		id, why := p.id(row), ""
		_, again := im.ids[id]
		switch {
		case id == (ecs.Entity{}):
			why = "is the null id, which refers to no entity: number the rows from 1"
		case again || im.isFollowed(id):
			why = "was the id of a row before: give each row its own"
		default:
			im.ids[id] = ecs.Entity{}
			continue
		}
		for k := range row {
			delete(im.ids, p.id(k))
		}
		return fmt.Errorf("arrow: row %d: entity %d %s, or leave out the column: %w", row, IDOf(id), why, ErrBatch)
	}
	return nil
}

// isFollowed reports whether an id is among the ids that follows has recorded.
func (im *Importer) isFollowed(id ecs.Entity) bool {
	version, odd := im.versions[id.Index]
	if !odd {
		version = 1
	}
	return id.Index >= 0 && id.Index < im.next && id.Version == version
}

// forget removes the recorded ids of a batch.
func (im *Importer) forget(p part) {
	for row := range p.ids() {
		id := p.id(row)
		delete(im.ids, id)
		if im.isFollowed(id) { // the ids from next on belong to this batch as well
			delete(im.versions, id.Index)
			im.next = min(im.next, id.Index)
		}
	}
}

// A place is the position of an entity in the batches.
type place struct {
	id                ecs.Entity // of the sorted rows
	part, run, row, n int
}

// appendPlaces appends the positions of the entities of a part. It appends one position
// for each run. If the ids of the part are out of order, it appends one position for each
// row instead, because settle sorts them.
func (p *part) appendPlaces(at int, list []place) []place {
	for k, r := range p.runs {
		if !p.jumbled {
			list = append(list, place{part: at, run: k, row: r.lo, n: r.hi - r.lo})
			continue
		}
		for row := r.lo; row < r.hi; row++ {
			list = append(list, place{p.id(row), at, k, row, 1})
		}
	}
	return list
}

// settle makes the entities of the waiting batches, whose ids were out of
// order. It makes them in the order of ids, so that they get the same ids if no id was ever
// freed.
func (im *Importer) settle() error {
	var list, jumbled []place
	for i := range im.late {
		if p := &im.late[i]; p.jumbled {
			jumbled = p.appendPlaces(i, jumbled)
		} else {
			list = p.appendPlaces(i, list)
		}
	}
	slices.SortStableFunc(jumbled, func(a, b place) int { return cmp.Compare(a.id.Index, b.id.Index) })
	for _, at := range jumbled {
		if k := len(list) - 1; k >= 0 && list[k].part == at.part && list[k].run == at.run && list[k].row+list[k].n == at.row {
			list[k].n++
		} else {
			list = append(list, at)
		}
	}
	err := im.makeAll(im.late, list)
	im.release()
	return err
}

// release releases the waiting batches.
func (im *Importer) release() {
	for _, p := range im.late {
		p.batch.Release()
	}
	im.late = nil
}

// makeAll makes the entities of a list of rows. If it fails, or if a method of
// a shared value panics, makeAll destroys the entities that it has created.
func (im *Importer) makeAll(parts []part, list []place) error {
	made := im.row[:0]
	done, asked, same, before := false, im.asked, im.same, len(im.made)
	defer func() {
		if done {
			return
		}
		im.asked, im.same, im.made = asked, same, im.made[:before]
		for _, p := range parts {
			im.forget(p)
		}
		_ = ecs.DestroyAll(im.world, ecs.Entities(made)) // it cannot fail, because the world has just made them
	}()
	for _, at := range list {
		r := parts[at.part].runs[at.run]
		r.lo, r.hi = at.row, at.row+at.n
		var err error
		if made, err = im.make(r, parts[at.part].from, made); err != nil {
			return err
		}
	}
	done = true
	im.row = made[:0]
	return nil
}

// A run is a range of rows whose entities have one archetype.
type run struct {
	lo, hi int
	has    []bool // the optional components, by index among the types
	values []any  // shared
	arch   ecs.Archetype
}

// divideIntoRuns divides a batch into runs. It finds all errors of a batch.
func (im *Importer) divideIntoRuns(from []source, n int) (list []run, err error) {
	for lo := 0; lo < n; {
		r := run{lo: lo, hi: n, has: make([]bool, len(im.types))}
		for i, t := range im.types {
			if err := im.extend(&r, i, from); err != nil {
				return nil, err
			}
			if t.Shared && r.has[i] {
				v, hi, err := im.sharedOf(t.Type, from, lo, r.hi)
				if err != nil {
					return nil, err
				}
				r.values, r.hi = append(r.values, v), hi
			}
		}
		if r.arch, err = im.archetype(r.has); err != nil {
			return nil, err
		}
		list = append(list, r)
		lo = r.hi
	}
	return list, nil
}

// extend finds out whether the entities of a run have the component type with index i. If
// the answer is not the same for all rows of the run, extend shortens the run.
func (im *Importer) extend(r *run, i int, from []source) error {
	t := im.types[i]
	r.has[i] = !t.Optional
	first := true
	for k := range im.columns {
		c, s := &im.columns[k], &from[k]
		if c.typ != t.Type || s.array == nil || c.what == ofIDs {
			continue
		}
		has, hi := s.isPresent(c, r.lo, r.hi)
		switch {
		case first && t.Optional:
			r.has[i], r.hi = has, hi
		case has != r.has[i]:
			return fmt.Errorf("arrow: row %d: %s is null: %w: every entity needs it, or none of %v's columns may have a value there", r.lo, c.name, ErrBatch, t.Type)
		default:
			r.hi = hi
		}
		first = false
	}
	if first && t.Optional { // the batch has no column of it
		r.has[i] = false
	}
	return nil
}

// archetype returns the archetype for the rows of a run.
func (im *Importer) archetype(has []bool) (a ecs.Archetype, err error) {
	defer func() {
		if p := recover(); p != nil {
			wrong, ok := p.(*ecs.Error)
			if !ok {
				panic(p)
			}
			err = fmt.Errorf("arrow: %w", wrong)
		}
	}()
	var terms []ecs.Term
	for i, t := range im.types {
		if has[i] {
			terms = append(terms, ecs.With[struct{}]().OfType(t.Type))
		}
	}
	return im.world.Archetype(terms...), nil
}

// make makes the entities of a run, and appends them to a list.
func (im *Importer) make(r run, from []source, made []ecs.Entity) ([]ecs.Entity, error) {
	rows, err := im.world.CreateShared(r.arch, r.hi-r.lo, r.values...)
	if err != nil {
		return made, fmt.Errorf("arrow: %w", err)
	}
	row, first := r.lo, len(made)
	for c := range rows.Chunks() {
		n := c.Len()
		for i := range im.columns {
			if col, s := &im.columns[i], &from[i]; col.what == ofLane && s.array != nil && c.HasType(col.typ) {
				lane := c.WriteLaneBytes(col.typ, col.lane)
				if col.width == 0 {
					col.leaf.scatter(lane, s.values, uintptr(len(lane)/n), s.bit+row*col.leaf.count())
				} else {
					col.leaf.scatter(lane, s.values[row*col.width:(row+n)*col.width], uintptr(len(lane)/n), 0)
				}
			}
		}
		im.note(c.Entities(), from[0], row)
		made = append(made, c.Entities()...)
		row += n
	}
	return made, im.switchOff(r, from, made[first:])
}

// switchOff disables the components that are disabled in the batch, because
// components of new rows are enabled.
func (im *Importer) switchOff(r run, from []source, made []ecs.Entity) error {
	for i := range im.columns {
		col, s := &im.columns[i], &from[i]
		if col.what != ofSwitch || s.array == nil || !slices.Contains(r.arch.Types(), col.typ) {
			continue
		}
		row := r.lo
		for _, e := range made {
			if !bitutil.BitIsSet(s.values, s.bit+row) {
				if err := im.world.Untyped().SetEnabled(e, col.typ, false); err != nil {
					return fmt.Errorf("arrow: %w", err)
				}
			}
			row++
		}
	}
	return nil
}

// note records the new entities; the first of them was made from the given row
// of the batch.
func (im *Importer) note(made []ecs.Entity, ids source, row int) {
	if im.refs != nil {
		im.made = append(im.made, made...)
	}
	if ids.array == nil {
		return
	}
	im.asked = true
	for i, e := range made {
		old := EntityOf(int64(binary.NativeEndian.Uint64(ids.values[8*(row+i):])))
		if old != e {
			im.same = false
		}
		if _, noted := im.ids[old]; noted || old != e || im.refs != nil {
			im.ids[old] = e
		}
	}
}

// Close completes the import. In components that refer to entities of the batches, it
// replaces these references by the new entities. All other references become null. Close
// returns a map from the ids in the batches to the new ids. The map contains at least the
// ids that differ, and is nil if the batches had no ids, or if all ids were kept. If the
// world was restored since [NewImporter], the ids may now belong to other entities. In
// this case Add and Close change nothing, and return an error that wraps [ecs.ErrState].
func (im *Importer) Close() (map[ecs.Entity]ecs.Entity, error) {
	if im.closed {
		return nil, nil
	}
	im.closed = true
	if err := im.checkRestored("Close"); err != nil {
		im.release()
		return nil, err
	}
	if err := im.settle(); err != nil {
		return nil, err
	}
	if im.asked && len(im.refs) > 0 {
		if err := im.refer(); err != nil {
			return nil, err
		}
	}
	if im.same {
		return nil, nil
	}
	return im.ids, nil
}
