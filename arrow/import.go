package arrow

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/tool"
)

// ErrBatch is wrapped when a batch does not fit the components: a column of another type, a null
// where there is no room for one.
var ErrBatch = errors.New("the batch does not fit the components")

// Importer makes entities of batches. It is for the owner of the world.
type Importer struct {
	world    *ecs.World
	types    []tool.TermType
	columns  []column
	ids      map[ecs.Entity]ecs.Entity // of the batches, and what they are here
	asked    bool                      // a batch had ids
	same     bool                      // so far each entity has the id it had there
	refs     []reflect.Type            // components that refer to entities
	made     []ecs.Entity              // if there are switches or references
	switches bool
	fresh    bool   // the world had no entities
	next     int32  // index of its next one
	late     []part // batches that wait for Close
	closed   bool
}

// NewImporter returns what makes entities of batches whose columns have the names that [New] gives
// those of the same terms: Read or Write of a component, With of a tag or of a shared value; Optional
// or AnyOf of what some entities shall lack, where the batch has nulls or, for a tag, false. A column
// that a batch lacks stays zero; columns of other names are left alone.
func NewImporter(w *ecs.World, terms ...ecs.Term) (*Importer, error) {
	columns, err := columnsOf(terms)
	if err != nil {
		return nil, err
	}
	im := &Importer{world: w, types: tool.TermTypes(terms...), columns: columns, ids: map[ecs.Entity]ecs.Entity{}, same: true, fresh: w.Len() == 0}
	for _, c := range columns {
		im.switches = im.switches || c.what == ofSwitch
		if c.what == ofLane && c.leaf.entity && !slices.Contains(im.refs, c.typ) {
			im.refs = append(im.refs, c.typ)
		}
	}
	return im, nil
}

// source is where the values of a column are in a batch.
type source struct {
	array  arrow.Array
	values []byte
	bit    int // of booleans: the first one
	valid  []byte
	offset int // of valid
}

// Add makes an entity of every row. If the error is not nil, no entity was made of this batch. In a
// world that has no entities yet, they get the ids of the batches if these are all that a new world
// would give: batches whose ids are out of order are kept until Close for that.
func (im *Importer) Add(b arrow.RecordBatch) error {
	if im.closed {
		return errors.New("arrow: Add: the importer is closed")
	}
	from := make([]source, len(im.columns))
	for i := range im.columns {
		var err error
		if from[i], err = im.columns[i].find(b); err != nil {
			return err
		}
	}
	if from[0].valid != nil {
		return fmt.Errorf("arrow: column entity has nulls: %w", ErrBatch)
	}
	runs, err := im.runs(from, int(b.NumRows()))
	if err != nil {
		return err
	}
	p := part{b, from, runs}
	if im.fresh && from[0].array != nil && (im.late != nil || !p.follows(&im.next)) {
		b.Retain()
		im.late = append(im.late, p)
		return nil
	}
	for _, r := range runs {
		if err := im.make(r, from); err != nil {
			return err
		}
	}
	return nil
}

// part is a batch that fits.
type part struct {
	batch arrow.RecordBatch
	from  []source
	runs  []run
}

// id returns the id of a row.
func (p *part) id(row int) ecs.Entity {
	return EntityOf(int64(binary.NativeEndian.Uint64(p.from[0].values[8*row:])))
}

// follows reports whether the ids of a batch are the next ones of a new world, and counts on if
// they are.
func (p *part) follows(next *int32) bool {
	n := int32(p.batch.NumRows())
	for row := range n {
		if p.id(int(row)).Index != *next+row {
			return false
		}
	}
	*next += n
	return true
}

// place is where an entity is in the batches.
type place struct {
	id             ecs.Entity
	part, run, row int
}

// settle makes the entities of the batches whose ids did not follow: in the order of their ids, so
// that they get the same ones if none was ever freed.
func (im *Importer) settle() error {
	var all []place
	for i := range im.late {
		p := &im.late[i]
		for k, r := range p.runs {
			for row := r.lo; row < r.hi; row++ {
				all = append(all, place{p.id(row), i, k, row})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b place) int { return cmp.Compare(a.id.Index, b.id.Index) })
	for lo := 0; lo < len(all); {
		hi, at := lo+1, all[lo]
		for hi < len(all) && all[hi].part == at.part && all[hi].run == at.run && all[hi].row == at.row+hi-lo {
			hi++
		}
		r := im.late[at.part].runs[at.run]
		r.lo, r.hi = at.row, at.row+hi-lo
		if err := im.make(r, im.late[at.part].from); err != nil {
			return err
		}
		lo = hi
	}
	for _, p := range im.late {
		p.batch.Release()
	}
	im.late = nil
	return nil
}

// run is neighbouring rows whose entities are of one kind.
type run struct {
	lo, hi int
	has    []bool // the optional components, by place among the types
	values []any  // shared
	arch   ecs.Archetype
}

// runs cuts a batch into runs. Everything that can be wrong with it is found here.
func (im *Importer) runs(from []source, n int) (list []run, err error) {
	for lo := 0; lo < n; {
		r := run{lo: lo, hi: n, has: make([]bool, len(im.types))}
		for i, t := range im.types {
			if err := im.extend(&r, i, from); err != nil {
				return nil, err
			}
			if t.Shared && r.has[i] {
				v, hi := im.sharedOf(t.Type, from, lo, r.hi)
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

// extend finds whether the entities of a run have type i, and ends the run where that changes.
func (im *Importer) extend(r *run, i int, from []source) error {
	t := im.types[i]
	r.has[i] = !t.Optional
	first := true
	for k := range im.columns {
		c, s := &im.columns[k], &from[k]
		if c.typ != t.Type || s.array == nil || c.what == ofIDs {
			continue
		}
		has, hi := s.present(c, r.lo, r.hi)
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
	if first && t.Optional { // the batch has none of its columns
		r.has[i] = false
	}
	return nil
}

// archetype returns the one of what the rows of a run have.
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
			terms = append(terms, tool.TermOf(ecs.With[struct{}](), t.Type))
		}
	}
	return im.world.Archetype(terms...), nil
}

// make makes the entities of a run.
func (im *Importer) make(r run, from []source) error {
	rows, err := tool.CreateSharing(im.world, r.arch, r.hi-r.lo, r.values...)
	if err != nil {
		return fmt.Errorf("arrow: %w", err)
	}
	row, first := r.lo, len(im.made)
	for c := range rows.Chunks() {
		n := c.Len()
		for i := range im.columns {
			if col, s := &im.columns[i], &from[i]; col.what == ofLane && s.array != nil && tool.HasOf(c, col.typ) {
				lane := tool.WriteLaneOf(c, col.typ, col.lane)
				if col.width == 0 {
					col.leaf.scatter(lane, s.values, uintptr(len(lane)/n), s.bit+row)
				} else {
					col.leaf.scatter(lane, s.values[row*col.width:(row+n)*col.width], uintptr(len(lane)/n), 0)
				}
			}
		}
		im.note(c.Entities(), from[0], row)
		row += n
	}
	return im.switchOff(r, from, first)
}

// switchOff switches off what is so in the batch: switches are on in new rows. The first entity of the run is the first-th that was made.
func (im *Importer) switchOff(r run, from []source, first int) error {
	for i := range im.columns {
		col, s := &im.columns[i], &from[i]
		if col.what != ofSwitch || s.array == nil || !slices.Contains(r.arch.Types(), col.typ) {
			continue
		}
		row := r.lo
		for _, e := range im.rows(r, first) {
			if !bitutil.BitIsSet(s.values, s.bit+row) {
				if err := tool.SetEnabledOf(im.world, e, col.typ, false); err != nil {
					return fmt.Errorf("arrow: %w", err)
				}
			}
			row++
		}
	}
	return nil
}

// note keeps what must be known of new entities, the first of which is row so much of the batch.
func (im *Importer) note(made []ecs.Entity, ids source, row int) {
	if im.switches || im.refs != nil {
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
		if old != e || im.refs != nil {
			im.ids[old] = e
		}
	}
}

// rows returns the entities of a run that was just made.
func (im *Importer) rows(r run, first int) []ecs.Entity {
	return im.made[first : first+r.hi-r.lo]
}

// Close completes the import: references among the entities of the batches lead to the new ones,
// others are null. It returns the ids that entities had in the batches and the ones they have
// here, of those that differ at least; nil if the batches had no ids, or all have kept them.
func (im *Importer) Close() (map[ecs.Entity]ecs.Entity, error) {
	if im.closed {
		return nil, nil
	}
	im.closed = true
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

// Read makes entities of the batches of a stream in the form of Arrow's IPC: see [Importer]. If the
// error is not nil, entities of the batches before the one at fault are there.
func Read(w *ecs.World, in io.Reader, terms ...ecs.Term) (map[ecs.Entity]ecs.Entity, error) {
	im, err := NewImporter(w, terms...)
	if err != nil {
		return nil, err
	}
	r, err := ipc.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("arrow: %w", err)
	}
	defer r.Release()
	return im.all(r)
}

func (im *Importer) all(r array.RecordReader) (map[ecs.Entity]ecs.Entity, error) {
	for r.Next() {
		if err := im.Add(r.RecordBatch()); err != nil {
			return nil, err
		}
	}
	if err := r.Err(); err != nil {
		return nil, fmt.Errorf("arrow: %w", err)
	}
	return im.Close()
}
