package ecs

import (
	"reflect"
	"slices"
	"sync"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// ImageBuilder builds an [Image] from parts that come from a file or from another machine, and
// checks all parts. Add the state first, then the shared values, then each archetype followed by
// its chunks, and then call Image:
//
//	b := ecs.NewImageBuilder()
//	err := b.AddState(state)
//	err = b.AddShared(shared)         // for each shared component that has values
//	err = b.AddArchetype(archetype)   // and for each of its chunks:
//	chunk, err := b.AddChunk(c, rows) //   fill chunk.Entities, and the Lanes, On and Value of chunk.Columns
//	chunk.Filled()                    //   optional, when nothing more is written to the chunk
//	image, err := b.Image()
//
// The arguments have the form that [Image.State], [Image.Shared], [Image.Archetypes] and
// [Image.Chunk] return. Until Image is called, several goroutines may fill chunks, but only one may
// fill each chunk. All other calls must come from one goroutine at a time.
//
// Every error names the call and is of category [ErrArgument], unless AddState says otherwise.
// After an error the building has ended: all later calls return that error, and there is no image.
// A program that stops for another reason must call Close. AddChunk allocates memory for the rows
// of one chunk, and [ImageColumn.SetBuffer] allocates memory for a capacity. So a program that
// reads untrusted bytes must limit these numbers. The builder reuses the memory of an earlier image
// that was built and then released by [Image.Release]. [Fork] creates a world from the image.
type ImageBuilder struct {
	image        *Image
	layoutWorld  *World // an empty world that has the layouts of the archetypes
	state        ImageState
	stateAdded   bool               // AddState was called
	chunkColumns [][]ImageColumn    // for each chunk
	newestGiven  []bool             // for each archetype: whether the caller gave NewestVersions
	unchecked    [][]bool           // for each archetype and component: whether its lanes may contain any bytes
	namePages    <-chan []*namePage // delivers the names, if a goroutine lays them out
	targetWorld  *World             // the world whose memory gets the rows; nil after Image
	ended        *bool              // set when building has ended; chunks that outlive the builder check it
	err          error
}

// builderPool holds the memory of released images, so that the next builder can use it.
var builderPool = sync.Pool{New: func() any { return &imagePool{forBuilder: true} }}

// NewImageBuilder returns a builder for an empty image. With the option [OnPool], the workers of
// that pool compute the hash of the image. Other options have no effect.
func NewImageBuilder(opts ...Option) *ImageBuilder {
	w, pool := uncountedWorld("image", opts...), builderPool.Get().(*imagePool)
	pool.workerPool = w.gate.jobs.pool
	return &ImageBuilder{image: &Image{pool: pool}, layoutWorld: w, ended: new(bool)}
}

// failure returns the error that has ended the building, or nil.
func (b *ImageBuilder) failure() error {
	if b == nil || b.image == nil {
		return fault(ErrState, "ImageBuilder", "the builder is the zero ImageBuilder: make it with NewImageBuilder")
	}
	return b.err
}

// fail records an error that ends the building, and returns it.
func (b *ImageBuilder) fail(op, text string, args ...any) error {
	b.err = fault(ErrArgument, "ImageBuilder."+op, text, args...)
	return b.err
}

// AddState sets the parts of the image that belong to no archetype. It may be called once, before
// the other methods. All fields may be zero. A Version of 0 means 1. The builder reads the lists
// until Image or Close returns.
//
// If the field For names a world, the builder puts the rows into the memory of that world.
// [Restore] of the image into that world then uses the rows as chunks without a copy, and releases
// the image. In all other respects, the image is like any other image. The contents of the world do
// not change before Restore. Only the goroutine that owns the world may use the builder and the
// image. The world refuses changes, with an error of category [ErrState], until Image has returned
// an image or Close was called. After that, until the image is restored or released, the world
// refuses only Compact and Defragment. The error is of category [ErrState] or [ErrDisposed] if the
// world cannot change now.
func (b *ImageBuilder) AddState(s ImageState) error {
	const op = "AddState"
	switch {
	case b.failure() != nil:
		return b.failure()
	case b.stateAdded || len(b.image.stores)+len(b.image.archetypes) > 0:
		return b.fail(op, "it comes once, before shared values and archetypes")
	}
	b.stateAdded = true
	if s.For != nil {
		if b.err = b.lockTarget(s.For); b.err != nil {
			return b.err
		}
	}
	if s.Version == 0 {
		s.Version = 1
	}
	for i, e := range s.Free {
		if e.Index < 0 || e.Version < 1 {
			return b.fail(op, "free id %d is %v: an index is 0 at least, a version 1", i, e)
		}
	}
	for i, index := range s.Retired {
		if index < 0 || i > 0 && index <= s.Retired[i-1] {
			return b.fail(op, "retired slot %d is %d: they are in order, and 0 at least", i, index)
		}
	}
	for i := range s.Sums {
		if s.Sums[i].Name == "" {
			return b.fail(op, "sum %d has no name", i)
		}
		b.image.namedHashes = append(b.image.namedHashes, namedHash{s.Sums[i].Name, s.Sums[i].Sum})
	}
	b.state = s
	b.image.changeVersion, b.image.freeIDs = s.Version, slices.Clone(s.Free)
	b.layoutNamesAsync()
	return nil
}

// asyncNamesMin is the smallest number of names for which a goroutine lays out the names while the
// caller fills chunks.
const asyncNamesMin = 4096

// layoutNamesAsync starts a goroutine that lays out the names, if there are many. At this time the
// entities are not known yet. So the goroutine refuses names with very large indices, which would make
// the table much longer than the list.
func (b *ImageBuilder) layoutNamesAsync() {
	list := b.state.Names
	n := len(list)
	if n < asyncNamesMin || int(list[n-1].Entity.Index) > 4*n {
		return
	}
	last := int32(-1)
	for i := range list {
		if list[i].Entity.Index <= last {
			return // the method ids reports the error
		}
		last = list[i].Entity.Index
	}
	done := make(chan []*namePage, 1)
	b.namePages = done
	go func() {
		var names entityNames
		names.setAll(list)
		done <- names.sharePages()
	}()
}

// AddShared sets the values of one shared component. It must come before the archetypes that have
// the component. A component without a call has only its default value. If the type has methods
// Hash and Equal, AddShared calls them for the values.
func (b *ImageBuilder) AddShared(s ImageShared) error {
	const op = "AddShared"
	if err := b.failure(); err != nil {
		return err
	}
	c, err := componentOf("ImageBuilder."+op, s.Component)
	switch {
	case err != nil:
		b.err = err
		return err
	case !c.kind.has(isShared):
		return b.fail(op, "%v is no shared component", s.Component)
	case b.storeFor(c) != nil:
		return b.fail(op, "the values of %v come twice, or behind an archetype that has it", s.Component)
	case len(s.Values) == 0:
		return b.fail(op, "%v has no values: the first one is the zero value", s.Component)
	}
	b.err = fault(ErrArgument, "ImageBuilder."+op, "a method of a value of %v has panicked", s.Component) // until all checks have passed, because a method may panic
	hashes, err := b.checkDistinct(c, &s)
	if err != nil {
		b.err = err
		return err
	}
	free := make([]bool, len(s.Values))
	for _, k := range s.Free {
		if k < 1 || int(k) >= len(free) || free[k] || s.Values[k] != nil {
			return b.fail(op, "place %d of %v is free twice, or has a value, or there is none", k, s.Component)
		}
		free[k] = true
	}
	for k, v := range s.Values {
		if v == nil && !free[k] {
			return b.fail(op, "place %d of %v has no value and is not free", k, s.Component)
		}
	}
	b.err = nil
	b.image.stores = append(b.image.stores, imageStore{comp: c, values: slices.Clone(s.Values), freeIndices: slices.Clone(s.Free), hashes: hashes})
	return nil
}

// checkDistinct checks that the shared values have the right type and that no two are equal.
// checkDistinct returns their hashes.
func (b *ImageBuilder) checkDistinct(c *component, s *ImageShared) ([]uint64, error) {
	const op = "AddShared"
	scratch := b.layoutWorld.shared.newStore(c)
	for i, v := range s.Values {
		switch {
		case v == nil && i > 0:
			scratch.values, scratch.refCounts = append(scratch.values, nil), append(scratch.refCounts, 0)
			if scratch.byHash != nil {
				scratch.hashes = append(scratch.hashes, 0)
			}
			continue
		case reflect.TypeOf(v) != s.Component:
			return nil, b.fail(op, "value %d of %v is a %T", i, s.Component, v)
		}
		at, hash, err := b.layoutWorld.shared.lookup("ImageBuilder."+op, scratch, v)
		switch {
		case err != nil:
			return nil, err
		case i == 0 && at != 0:
			return nil, b.fail(op, "the first value of %v is not the zero value", s.Component)
		case i > 0 && at >= 0:
			return nil, b.fail(op, "value %d of %v equals value %d", i, s.Component, at)
		case i > 0:
			scratch.insert(v, hash)
		}
	}
	return slices.Clone(scratch.hashes), nil
}

// AddArchetype begins the next archetype, to which the chunks of later AddChunk calls belong. The
// components may be in any order. NewestVersions and the Values of the groups must be in the order of
// Components. An archetype with chunk components needs two other archetypes, which must be added
// before it: the archetype of its meta entities, and the archetype to which Destroy moves these meta
// entities. The builder ignores Capacity, Chunks and Rows. If NewestVersions is missing, the builder
// computes it. If Chunks and PartialChunks of a group are missing, it uses the order of the chunks.
// Groups may be missing if there are no shared components.
func (b *ImageBuilder) AddArchetype(a ImageArchetype) error {
	const op = "AddArchetype"
	if err := b.failure(); err != nil {
		return err
	}
	at := len(b.image.archetypes)
	own, given, err := b.archetypeOf(a.Components)
	switch {
	case err != nil:
		b.err = err
		return err
	case own.index < at:
		return b.fail(op, "archetype %d, %v, is archetype %d already", at, own, own.index)
	case own.index > at:
		return b.fail(op, "archetype %d, %v, comes before %v, which is that of its meta entities or of what is left of them", at, own, b.layoutWorld.tables.archetypes[at])
	case a.NewestVersions != nil && len(a.NewestVersions) != len(given):
		return b.fail(op, "archetype %d, %v, has %d versions in NewestVersions, for %d components", at, own, len(a.NewestVersions), len(given))
	}
	for _, s := range own.sharedStores {
		if b.storeFor(s.comp) == nil { // the component has only its default value
			b.image.stores = append(b.image.stores, imageStore{comp: s.comp, values: slices.Clone(s.values), hashes: slices.Clone(s.hashes)})
		}
	}
	set := own.components()
	k := archetypeImage{
		components: set, orderCount: a.OrderCount, orderVersion: a.OrderVersion, worldMoveCount: a.MoveCount,
		newestVersions: make([]uint32, len(set)), capacity: own.capacity, createdGroups: len(a.Groups),
	}
	for i, v := range a.NewestVersions {
		k.newestVersions[own.findColumn(given[i].key)] = v
	}
	if own.sharedCount == 0 {
		if len(a.Groups) == 0 {
			a.Groups = []ImageGroup{{}}
		}
		if k.createdGroups = 0; len(a.Groups) != 1 {
			return b.fail(op, "archetype %d, %v, has %d groups and no shared component", at, own, len(a.Groups))
		}
	}
	if k.groups, err = b.checkGroups(at, own, given, a.Groups); err != nil {
		return err
	}
	b.image.archetypes, b.newestGiven = append(b.image.archetypes, k), append(b.newestGiven, a.NewestVersions != nil)
	b.unchecked = append(b.unchecked, componentsOfAnyBytes(set))
	return nil
}

// archetypeOf returns the archetype with the given types, and the components in the order of the
// types.
func (b *ImageBuilder) archetypeOf(types []reflect.Type) (own *archetype, given []*component, err error) {
	const op = "ImageBuilder.AddArchetype"
	given = make([]*component, len(types))
	for i, t := range types {
		if given[i], err = componentOf(op, t); err != nil {
			return nil, nil, err
		}
	}
	set, err := b.layoutWorld.types.sortSet(op, slices.Clone(given))
	if err != nil {
		return nil, nil, err
	}
	own, err = b.layoutWorld.tables.archetypeOf(op, set)
	return own, given, err
}

// checkGroups returns the chunk groups of an archetype. checkGroups returns an error if two of them
// have the same values.
func (b *ImageBuilder) checkGroups(at int, own *archetype, given []*component, groups []ImageGroup) ([]groupImage, error) {
	list := make([]groupImage, 0, len(groups))
	seen := map[string]bool{}
	for i := range groups {
		g := &groups[i]
		values, err := b.checkGroup(at, own, given, g)
		if err != nil {
			return nil, err
		}
		key := string(sliceBytes(values))
		if seen[key] {
			return nil, b.fail("AddArchetype", "archetype %d, %v, has two groups with the values %v", at, own, g.Values)
		}
		seen[key] = true
		list = append(list, groupImage{values, g.OrderCount, i, slices.Clone(g.PartialChunks), slices.Clone(g.Chunks)})
	}
	return list, nil
}

// storeFor returns the values of a shared component, or nil if there are none.
func (b *ImageBuilder) storeFor(c *component) *imageStore {
	for i := range b.image.stores {
		if b.image.stores[i].comp == c {
			return &b.image.stores[i]
		}
	}
	return nil
}

// checkGroup checks the shared values of a chunk group. The values of g are in the order of the given
// components. The result has them in the order of the archetype.
func (b *ImageBuilder) checkGroup(at int, own *archetype, given []*component, g *ImageGroup) ([]int32, error) {
	const op = "AddArchetype"
	if len(g.Values) != own.sharedCount {
		return nil, b.fail(op, "archetype %d, %v, has a group with %d shared values, and has %d shared components", at, own, len(g.Values), own.sharedCount)
	}
	values, i := make([]int32, own.sharedCount), 0
	for _, c := range given {
		if !c.kind.has(isShared) {
			continue
		}
		k, s := g.Values[i], b.storeFor(c)
		if k < 0 || int(k) >= len(s.values) || s.values[k] == nil {
			return nil, b.fail(op, "archetype %d, %v, has a group with value %d of %s: there is none", at, own, k, s.comp.name)
		}
		values[own.columns[own.findColumn(c.key)].sharedIndex] = k
		i++
	}
	return values, nil
}

// AddChunk adds a chunk with the given number of rows to the last archetype, and returns it. The
// caller fills in Entities, which are initially null. In each element of Columns, the caller fills in Version,
// ThroughVersion, and the fields for the column's kind of component: Lanes (initially zero), On (initially all
// rows are on), or the elements of Value if the component is managed. A buffer column has no Lanes here; its
// buffers are filled with [ImageColumn.SetBuffer]. If Overwrite is set, Entities and Lanes initially contain
// arbitrary bytes, because the caller promises to write all of them. An OrderVersion or Version of 0 means the
// version of the image. The builder ignores Entities and Columns of the argument.
func (b *ImageBuilder) AddChunk(c ImageChunk, rows int) (ImageChunk, error) {
	const op = "AddChunk"
	if err := b.failure(); err != nil {
		return ImageChunk{}, err
	}
	at := len(b.image.archetypes) - 1
	switch {
	case at < 0:
		return ImageChunk{}, b.fail(op, "there is no archetype yet")
	}
	a, own := &b.image.archetypes[at], b.layoutWorld.tables.archetypes[at]
	switch {
	case rows < 1 || rows > a.capacity:
		return ImageChunk{}, b.fail(op, "chunk %d of archetype %d, %v, has %d rows; 1 to %d fit", len(a.chunks), at, own, rows, a.capacity)
	case c.Group < 0 || c.Group >= len(a.groups):
		return ImageChunk{}, b.fail(op, "chunk %d of archetype %d, %v, is of group %d of %d", len(a.chunks), at, own, c.Group, len(a.groups))
	case c.MetaEntity.IsZero() != (own.meta == nil):
		return ImageChunk{}, b.fail(op, "chunk %d of archetype %d, %v, has the meta entity %v: chunks with chunk components have one, others do not", len(a.chunks), at, own, c.MetaEntity)
	}
	k := takeFree(&b.image.pool.freeChunks)
	k.id, k.groupIndex, k.count, k.orderVersion, k.meta, k.components = int32(len(b.image.byID)), int32(c.Group), rows, c.OrderVersion, c.MetaEntity, a.components
	place := b.image.placedRows.newPlace(own.shape, own.capacity, rows)
	if place.Nil() {
		k.idsOwner = b.image.pool.newIDs(rows)
	} else {
		k.idsOwner = imageIDsAt(place, rows)
	}
	k.idsOwner.refCount = 1
	k.ids, k.hasConsecutiveIDs, k.isValid = k.idsOwner.ids, false, false
	if !c.Overwrite {
		clear(k.ids)
	}
	if cap(k.versions) == 0 {
		k.versions = k.versionMemory[:0]
	}
	k.versions, k.columns = resize(k.versions, len(a.components)), resize(k.columns, len(a.components))
	if own.isMeta {
		k.throughVersions = resize(k.throughVersions, len(a.components))
	}
	for i := range a.components {
		k.columns[i] = b.newColumn(&own.columns[i], place, rows, c.Overwrite)
	}
	a.chunks, a.rowCount = append(a.chunks, k), a.rowCount+rows
	b.image.byID = append(b.image.byID, k)
	open := &openChunk{ended: b.ended, image: k, unchecked: b.unchecked[at]}
	parts := make([]ImageColumn, len(a.components))
	for i := range parts {
		if parts[i] = columnAt(b.image, at, len(a.chunks)-1, i); a.components[i].kind.has(isBuffer) {
			parts[i].Lanes, parts[i].source = nil, &openColumn{k.columns[i], open} // SetBuffer writes the lanes
		}
	}
	b.chunkColumns = append(b.chunkColumns, parts)
	return ImageChunk{Group: c.Group, OrderVersion: c.OrderVersion, MetaEntity: c.MetaEntity, Entities: k.ids, Columns: parts, Filled: open.Filled}, nil
}

// openChunk is the part of a new chunk to which the code that fills the chunk has a reference.
// Its methods test the flag ended, because the filling code may still run after the builder and
// the image are gone. The memory may then belong to another image.
type openChunk struct {
	ended     *bool // the field of the builder that says that it is over
	filled    bool
	image     *chunkImage
	unchecked []bool
}

// Filled implements ImageChunk.Filled.
func (o *openChunk) Filled() {
	if !*o.ended {
		o.filled = true
		o.image.checkFilled(o.unchecked)
	}
}

// openColumn is a column of buffers in a chunk that is being filled.
type openColumn struct {
	image *columnImage
	chunk *openChunk
}

// newColumn returns a column whose rows are zero, or have arbitrary values if the caller overwrites
// them. newColumn returns nil for a column that stores nothing, for example a tag.
func (b *ImageBuilder) newColumn(c *column, place *table.Place, rows int, overwrite bool) *columnImage {
	size := 0
	for _, l := range c.lanes {
		size += int(l.Size)
	}
	object := c.managedIndex >= 0 && c.comp != b.layoutWorld.types.chunkHeader
	if size == 0 && c.enabledIndex < 0 && !object {
		return nil
	}
	k := takeFree(&b.image.pool.freeColumns)
	k.comp, k.refCount = c.comp, 1
	switch {
	case size > 0 && !place.Nil():
		k.placedLanes = laneBytesAt(place, c.lanes, rows, overwrite && c.bufferIndex < 0)
	case size > 0:
		k.laneData = b.image.pool.takeZeroBytes(rows*size, overwrite && c.bufferIndex < 0)
	}
	if c.enabledIndex >= 0 {
		s := newEnabledBitsets(nil, 1, rows)
		s[0].turnOn(0, rows)
		k.enabledBits = s[0].words
	}
	if object {
		k.managedValues = newManagedColumn(c.comp.typ, rows)
	}
	return k
}
