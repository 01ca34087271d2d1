package snapshot

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/soa"
)

// migration converts the rows of an older type to the rows of a component.
type migration struct {
	oldType, newType reflect.Type
	oldLanes         []soa.Lane // lanes of the older type
	newLanes         []soa.Lane // lanes of the component
	convert          func(rows int, fill func(memory []byte) error) (memory []byte, err error)
}

// Migrate converts values of an older type Old in the snapshot to values of component T. The
// argument old is the full name that the component had when the snapshot was written. The type Old
// must have the lanes that the component had then, with the same names. The type Old is not a
// component of the program. The function f reads the rows of one chunk from in and sets the
// elements of out, which has the same length. Several goroutines may call f at the same time. The
// rows stay in their order. Therefore ids and enabled bits stay, too.
//
//	snapshot.Migrate("example.org/game.Body", func(in []body1, out []Body) error {
//		for i := range in {
//			out[i] = Body{Mass: float64(in[i].Mass)}
//		}
//		return nil
//	})
//
// Migrate is for components with lanes. For other components, Read returns an error of category
// ErrSchema. Without Migrate, a lane whose type has changed causes that error. If the rows need
// more memory than before, see [Recut].
func Migrate[Old, T any](old string, f func(in []Old, out []T) error) Option {
	m := &migration{oldType: reflect.TypeFor[Old](), newType: reflect.TypeFor[T]()}
	m.convert = func(rows int, fill func([]byte) error) ([]byte, error) {
		in, out := make([]Old, rows), make([]T, rows)
		if err := fill(memoryOf(in)); err != nil {
			return nil, err
		}
		err := catchPanic(func() error { return f(in, out) })
		return memoryOf(out), err
	}
	return func(o *options) {
		o.migrations[old] = m
		o.renamedTypes[old] = m.newType
	}
}

// matchMigration prepares a column of a file to be migrated.
func (o *options) matchMigration(m *migration, own *column, lanes [][2]string, wrong func(string, ...any) error) error {
	if own.kind&(isShared|isManaged|isBuffer|isTag|isPerChunk) != 0 {
		return wrong("Migrate is for components with lanes")
	}
	var err error
	if m.oldLanes, err = soa.Lanes(m.oldType); err != nil {
		return wrong("Migrate: %v", err)
	}
	if m.newLanes, err = soa.Lanes(m.newType); err != nil {
		return wrong("Migrate: %v", err)
	}
	own.lanes, own.migration = nil, m
	for _, l := range lanes {
		at := slices.IndexFunc(m.oldLanes, func(k soa.Lane) bool { return k.Name == l[0] })
		if at < 0 {
			return wrong("Migrate: %v has no lane %s, which the snapshot has as %q", m.oldType, l[0], l[1])
		}
		s, err := shapeOf(m.oldLanes[at].Type)
		if err != nil {
			return wrong("Migrate: %v", err)
		}
		if s.text != l[1] {
			return wrong("Migrate: lane %s was %q, and is %q in %v", l[0], l[1], s.text, m.oldType)
		}
		s.refs = &o.blobs
		own.lanes = append(own.lanes, lane{l[0], s, at})
	}
	return nil
}

// runMigration reads n rows of old lanes, converts them, and returns the rows of the component.
func (k *column) runMigration(d *frames.In, n int) ([]byte, error) {
	return k.migration.convert(n, func(memory []byte) error {
		for i := range k.lanes {
			if err := k.migration.gather(d, &k.lanes[i], n, memory); err != nil {
				return err
			}
		}
		return nil
	})
}

// gather reads n values of a lane, and stores them in memory as fields of the older type.
func (m *migration) gather(d *frames.In, l *lane, n int, memory []byte) error {
	b := d.Take(uint64(n) * uint64(l.fileSize))
	if d.Failed {
		return corrupt("it ends too early")
	}
	own := make([]byte, n*l.size)
	if err := l.decodeValues(own, b); err != nil {
		return err
	}
	for _, o := range boolOffsets(m.oldLanes[l.memoryIndex].Type, 0, nil) {
		for row := range n {
			if own[row*l.size+o] > 1 {
				return corrupt("a bool is %d", own[row*l.size+o])
			}
		}
	}
	size, at := int(m.oldType.Size()), int(m.oldLanes[l.memoryIndex].Offset)
	for row := range n {
		copy(memory[row*size+at:][:l.size], own[row*l.size:])
	}
	return nil
}

// boolOffsets appends the offsets of the bools in a type.
func boolOffsets(t reflect.Type, at int, list []int) []int {
	switch t.Kind() {
	case reflect.Bool:
		return append(list, at)
	case reflect.Struct:
		for i := range t.NumField() {
			list = boolOffsets(t.Field(i).Type, at+int(t.Field(i).Offset), list)
		}
	case reflect.Array:
		for i := range t.Len() {
			list = boolOffsets(t.Elem(), at+i*int(t.Elem().Size()), list)
		}
	}
	return list
}

// scatter copies rows of a component from memory to the lanes of a chunk.
func (m *migration) scatter(p *ecs.ImageColumn, to int, values []byte) {
	size := int(m.newType.Size())
	for i, l := range m.newLanes {
		width := int(l.Type.Size())
		for row := range len(values) / size {
			copy(p.Lanes[i][(to+row)*width:][:width], values[row*size+int(l.Offset):])
		}
	}
}

// droppedColumn returns the description of a column whose values must be skipped.
func droppedColumn(name string, kind uint32, lanes [][2]string, elem string) (column, error) {
	k := column{name: name, kind: kind}
	if kind&(isPerChunk|isCleanup) != 0 {
		return k, fmt.Errorf("snapshot: %w: %s cannot be dropped: it is a chunk component, or a cleanup component, which entities wait for", ErrSchema, name)
	}
	for _, l := range lanes {
		size, err := shapeSize(l[1])
		if err != nil {
			return k, err
		}
		k.lanes = append(k.lanes, lane{l[0], shape{fileSize: size}, -1})
	}
	size, err := shapeSize(elem)
	k.elemShape = shape{fileSize: size, size: size}
	return k, err
}

// fillMigrated fills a column with the migrated rows.
func (k *column) fillMigrated(d *frames.In, t *chunkTask, at int) error {
	values, err := k.runMigration(d, t.rows)
	if err != nil {
		return err
	}
	size := int(k.migration.newType.Size())
	for _, s := range t.segments {
		k.migration.scatter(s.columns[at], s.targetRow, values[s.sourceRow*size:][:s.count*size])
	}
	return nil
}
