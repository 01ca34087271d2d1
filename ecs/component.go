package ecs

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lanewise/lanewise/internal/spell"
	"github.com/lanewise/lanewise/soa"
)

// component describes a component type. The process has one description for each type. A description
// never changes after registration, so all goroutines read it without a lock.
type component struct {
	key      key
	typ      reflect.Type
	name     string // package path and type name
	index    int    // order of registration; only sets use it, because the order differs from run to run
	kind     kind
	category uint8

	lanes            []soa.Lane    // the lanes that a chunk stores
	numberRuns       [][]numberRun // for each lane: its numbers, for the hash
	fields           []field       // for each lane: its place in a Go value
	layoutKind       uint8         // how its values are stored
	reachKind        uint8         // the kind of its reaches
	size             uintptr       // size of a Go value, in bytes
	refOffsets       []uintptr     // offsets of the entity ids in a Go value, if chunks store it
	boxedRefOffsets  []uintptr     // offsets of the entity ids in a shared or managed value
	mayHoldInterface bool          // shared values can hold an interface, whose content may be not comparable
	maxChunkRows     int           // largest number of rows in a chunk; 0: no limit
	viewLanes        []int         // for each slice of the view: the index of its lane; nil without a view
	buffer           bufferType
	perChunkValue    *component     // of a PerChunk: the component of its value
	writeGroups      []reflect.Type // the components to whose write groups it belongs

	worldwide bool // it is a Worldwide type and no component of entities
}

// field is the position of a lane in a Go value of the component.
type field struct{ offset, size uintptr }

// typeCache holds registered components that were used recently. The index is a hash of their type
// or key. The cache avoids taking the registry's lock. Any goroutine may store an entry. The
// component to which an entry points never changes.
var typeCache [256]atomic.Pointer[component]

// registry holds all component types of the process. A type is never removed.
var registry struct {
	sync.RWMutex
	byType map[reflect.Type]*component
	all    []*component
}

// componentFor returns the component T, and registers it if it is new.
func componentFor[T any](op string) (*component, error) {
	return componentOf(op, reflect.TypeFor[T]())
}

// componentOf returns the component of type t, and registers it if it is new.
func componentOf(op string, t reflect.Type) (*component, error) {
	c, err := componentOrWorldwide(op, t)
	if err == nil && c.worldwide {
		e := fault(ErrArgument, op, "it is not a component, because a world has it only once: declare it with Read or Write, as a term of a query or for AddAccess")
		e.Component = c.name
		return nil, e
	}
	return c, err
}

// Worldwide marks the type that embeds it as one object for each world. Such an object is not part
// of any entity. A query, or [Scheduler.AddAccess], declares access to it with a Read or Write
// term. Jobs that access a Worldwide object are ordered in the same way as jobs that access a
// component. A Worldwide type does not change which entities a query matches. No archetype
// contains it, and no other kind of term accepts it. For example, a system.Resource is Worldwide.
type Worldwide struct{}

func (Worldwide) worldwide() {}

// isWorldwide reports whether t embeds Worldwide.
func isWorldwide(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[interface{ worldwide() }]())
}

// componentOrWorldwide does the same as componentOf, but also accepts Worldwide types.
func componentOrWorldwide(op string, t reflect.Type) (*component, error) {
	recent := &typeCache[typeHash(t)%uint(len(typeCache))]
	if c := recent.Load(); c != nil && c.typ == t {
		return c, nil
	}
	registry.RLock()
	c := registry.byType[t]
	registry.RUnlock()
	if c != nil {
		recent.Store(c)
		return c, nil
	}
	c, err := describe(t)
	if err != nil {
		e := fault(ErrArgument, op, "cannot be registered").withCause(err)
		e.Component = fullName(t)
		return nil, e
	}
	registry.Lock()
	defer registry.Unlock()
	if old := registry.byType[t]; old != nil {
		return old, nil
	}
	if registry.byType == nil {
		registry.byType = map[reflect.Type]*component{}
	}
	c.index = len(registry.all)
	registry.all = append(registry.all, c)
	registry.byType[t] = c
	return c, nil
}

// allComponents returns all components registered so far, by index.
func allComponents() []*component {
	registry.RLock()
	defer registry.RUnlock()
	return registry.all
}

// fullName returns the name by which components are sorted and hashed.
func fullName(t reflect.Type) string {
	if t == nil {
		return "nil"
	}
	if t.Name() == "" || t.PkgPath() == "" {
		return t.String()
	}
	name := t.PkgPath() + "." + t.Name()
	if strings.Contains(name, "/ecs/blob.") {
		name = namesInFiles.Replace(name)
	}
	return name
}

// namesInFiles maps the names of types of package blob to the names that they had when they were
// in package ecs. Files, hashes and the order of archetypes use the old names, so these names must
// not change. The old names occur in the names of generic components, as type arguments.
var namesInFiles = strings.NewReplacer(
	"lanewise/ecs/blob.Ref[", "lanewise/ecs.Blob[",
	"lanewise/ecs/blob.Array[", "lanewise/ecs.BlobArray[",
	"lanewise/ecs/blob.Ptr[", "lanewise/ecs.BlobPtr[",
	"lanewise/ecs/blob.String", "lanewise/ecs.BlobString",
)

// describe builds the description of a component from its Go type. describe returns an error if the
// type cannot be a component.
func describe(t reflect.Type) (*component, error) {
	switch {
	case t == nil:
		return nil, fmt.Errorf("nil is no component")
	case t.Kind() == reflect.Pointer:
		return nil, fmt.Errorf("%v is a pointer, and no component: give the value, of type %v", t, t.Elem())
	case t.Name() == "" || t.PkgPath() == "":
		return nil, fmt.Errorf("%v is no component: declare a type of your own, as in `type Speed float32`", t)
	case t == reflect.TypeFor[Entity]():
		return nil, fmt.Errorf("every entity has its id: Chunk.Entities shows them; wrap it in a struct to refer to other entities")
	}
	if isWorldwide(t) {
		return describeWorldwide(t), nil
	}
	zero := reflect.Zero(t).Interface()
	c := &component{key: typeKey(t), typ: t, name: fullName(t), kind: kindOf(zero), size: t.Size()}
	if err := c.describeData(zero); err != nil {
		return nil, err
	}
	if err := checkKind(c.kind); err != nil {
		return nil, err
	}
	if len(c.lanes) == 0 && c.kind&(isShared|isManaged|isBuffer|isPerChunk) == 0 {
		c.kind |= isTag
	}
	if err := c.describeWriteGroups(zero); err != nil {
		return nil, err
	}
	c.layoutKind = c.findLayoutKind()
	c.reachKind = c.findReachKind()
	c.category = c.kind.category()
	if l, ok := zero.(interface{ ChunkCapacity() int }); ok {
		if c.maxChunkRows = l.ChunkCapacity(); c.maxChunkRows < 1 {
			return nil, fmt.Errorf("ChunkCapacity is %d: a chunk holds one row at least", c.maxChunkRows)
		}
	}
	return c, c.describeView()
}

// checkKind returns an error for markers that exclude each other.
func checkKind(k kind) error {
	switch {
	case k.has(isEnableable | isShared):
		return fmt.Errorf("a shared component cannot be Enableable: its bit would be each row's own")
	case k.has(isEnableable | isCleanup):
		return fmt.Errorf("a cleanup component cannot be Enableable")
	case k.has(isManaged | isShared):
		return fmt.Errorf("shared components may hold Go pointers anyway: leave out Managed")
	case k.has(isManaged | isBuffer):
		return fmt.Errorf("elements of a buffer cannot be Managed: keep a slice in a managed component")
	}
	return nil
}

// maxComponentBytes is the largest size of one component, in bytes.
const maxComponentBytes = 32767

// describeData finds the lanes of c, their positions in a Go value, and the entity ids in a value.
func (c *component) describeData(zero any) (err error) {
	switch {
	case c.kind.has(isShared):
		if !c.typ.Comparable() {
			return fmt.Errorf("a shared component must be comparable with ==")
		}
		c.boxedRefOffsets, c.mayHoldInterface = appendRefOffsets(c.typ, 0, nil), holdsInterface(c.typ)
		return nil
	case c.kind.has(isBuffer):
		return c.describeBuffer(zero.(bufferMarker).buffer())
	case c.kind.has(isPerChunk):
		return c.describePerChunk(zero.(perChunkMarker).perChunk())
	case c.kind.has(isManaged):
		c.boxedRefOffsets = appendRefOffsets(c.typ, 0, nil)
		return nil
	}
	if c.lanes, err = soa.Lanes(c.typ); errors.Is(err, soa.ErrPointer) {
		return fmt.Errorf("%w; or embed ecs.Managed, and it is a Go value, out of the reach of kernels", err)
	} else if err != nil {
		return err
	}
	total := uintptr(0)
	for _, l := range c.lanes {
		c.fields = append(c.fields, field{l.Offset, l.Type.Size()})
		c.numberRuns = append(c.numberRuns, numberRunsOf(l.Type))
		total += l.Size
	}
	if total > maxComponentBytes {
		return fmt.Errorf("it has %d bytes; the limit is %d: split it, or keep it in a Buffer", total, maxComponentBytes)
	}
	c.refOffsets = appendRefOffsets(c.typ, 0, nil)
	return nil
}

// findReachKind returns the reachKind of the component: how look-ups access the component's lanes.
func (c *component) findReachKind() uint8 {
	allOf := func(k reflect.Kind) bool {
		return !slices.ContainsFunc(c.lanes, func(l soa.Lane) bool { return l.Type.Kind() != k })
	}
	switch kind := c.layoutKind; {
	case kind == layoutOneLane:
		return reachOneLane
	case kind == layoutWords && allOf(reflect.Float32):
		return reachFloats
	case kind == layoutWords:
		return reachWords
	case kind == layoutLongWords && allOf(reflect.Float64):
		return reachDoubles
	case kind == layoutLongWords:
		return reachLongWords
	}
	return reachOther
}

// describeView checks the view that the component's Column method names, and finds the lane of each
// of its slices.
func (c *component) describeView() error {
	m, ok := c.typ.MethodByName("Column")
	if !ok || c.kind.has(isBuffer) {
		return nil
	}
	if m.Type.NumIn() != 1 || m.Type.NumOut() != 1 {
		return fmt.Errorf("its method Column must be `func (%s) Column() (c View)`", c.typ.Name())
	}
	if c.kind.has(isManaged) {
		return c.checkManagedView(m.Type.Out(0))
	}
	if c.kind.has(isShared) {
		return nil
	}
	if c.kind.has(isTag) {
		if v := m.Type.Out(0); v.Size() != 0 && (v.Kind() != reflect.Slice || v.Elem().Size() != 0) {
			return fmt.Errorf("the view of its method Column is %v, but a tag has no data to show: leave the method out", v)
		}
		return nil
	}
	view, err := soa.Bind(m.Type.Out(0), c.lanes)
	if err != nil {
		return fmt.Errorf("the view of its method Column does not fit: %w", err)
	}
	c.viewLanes = view
	return nil
}

// appendRefOffsets appends the offsets of all entity ids in a value of type t.
func appendRefOffsets(t reflect.Type, at uintptr, refs []uintptr) []uintptr {
	switch {
	case t == reflect.TypeFor[Entity]():
		return append(refs, at)
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			refs = appendRefOffsets(f.Type, at+f.Offset, refs)
		}
	case t.Kind() == reflect.Array:
		for i := range t.Len() {
			refs = appendRefOffsets(t.Elem(), at+uintptr(i)*t.Elem().Size(), refs)
		}
	}
	return refs
}

// compareComponents compares two components by their order in an archetype. It uses only category
// and name, because both are the same in every run.
func compareComponents(a, b *component) int {
	return cmp.Or(cmp.Compare(a.category, b.category), strings.Compare(a.name, b.name))
}

// RegisterComponent registers the component T under its full name, so that ComponentByName and
// files find it. Normally a type is registered when it is first used. But a program that reads a
// file must register the types in the file before it reads. Registering a type again changes
// nothing. It may be called on any goroutine, for example in an init function. It panics with an
// *Error if T is not a component.
func RegisterComponent[T any]() {
	if _, err := componentFor[T]("RegisterComponent"); err != nil {
		panic(err)
	}
}

// componentNamed returns the component with a full name.
func componentNamed(op, name string) (*component, error) {
	var found *component
	for _, c := range allComponents() {
		switch {
		case c.name != name || c.worldwide:
		case found != nil:
			return nil, fault(ErrArgument, op, "two types have this name, because they are declared inside functions: declare one of them outside").forComponent(c)
		default:
			found = c
		}
	}
	if found != nil {
		return found, nil
	}
	e := fault(ErrArgument, op, "no component of this name is registered: %s", nameSuggestion(name))
	e.Component = name
	return nil, e
}

// nameSuggestion returns the advice for a name that is not registered.
func nameSuggestion(name string) string {
	list := similarNames(name)
	if len(list) == 0 {
		return "name the type once before, with RegisterComponent"
	}
	names := make([]string, 0, 3)
	whole := !strings.Contains(name, ".") && list[0].distance == 0 // only the package path is missing
	for _, n := range list[:min(len(list), 3)] {
		if !whole || n.distance == 0 {
			names = append(names, n.name)
		}
	}
	if whole {
		return "write the full name: " + strings.Join(names, ", or ")
	}
	return "there is " + strings.Join(names, ", ") + "; name the type once before, with RegisterComponent"
}

// similarName is a registered name and its edit distance from a name that is not registered.
type similarName struct {
	name     string
	distance int
}

// similarNames returns the registered names that resemble a name, nearest first.
func similarNames(name string) []similarName {
	var list []similarName
	base := name[strings.LastIndexByte(name, '.')+1:]
	for _, c := range allComponents() {
		if c.worldwide {
			continue
		}
		own := c.name[strings.LastIndexByte(c.name, '.')+1:]
		if len(base) > 2*len(own)+2 {
			continue // too different; and a name from a file may be very long
		}
		if far := spell.Distance(base, own); far <= max(1, len(base)/3) && !slices.ContainsFunc(list, func(n similarName) bool { return n.name == c.name }) {
			list = append(list, similarName{c.name, far})
		}
	}
	slices.SortFunc(list, func(a, b similarName) int { return cmp.Or(a.distance-b.distance, strings.Compare(a.name, b.name)) })
	return list
}

// appendBoolOffsets appends the offsets of the bools in a value of type t. They must be checked, because a
// byte other than 0 or 1 is not a valid bool.
func appendBoolOffsets(t reflect.Type, at uintptr, list []uintptr) []uintptr {
	switch t.Kind() {
	case reflect.Bool:
		return append(list, at)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			list = appendBoolOffsets(f.Type, at+f.Offset, list)
		}
	case reflect.Array:
		for i := range t.Len() {
			list = appendBoolOffsets(t.Elem(), at+uintptr(i)*t.Elem().Size(), list)
		}
	}
	return list
}

// componentTypes holds the component types that a world uses, by name. It also holds the types
// that have a meaning for the world itself, such as Prefab.
type componentTypes struct {
	gate *gate

	// While a transaction has the world, the transaction owns this field.
	byName   map[string]*component
	admitted []bool // for each component index: whether the component is in names

	cleanupTag  *component // marks destroyed entities that wait for their cleanup
	chunkHeader *component // of meta entities
	prefab      *component
	inactive    *component
	ghost       *component
	linkedGroup *component // LinkedGroup
	omitGroup   *component

	setScratch []*component // scratch of newTypesCommand
}

// admit registers c by its name in this world. It refuses a second type with the same name, because
// components are ordered by name, and equal names would have no defined order.
func (ct *componentTypes) admit(op string, c *component) error {
	if c.index < len(ct.admitted) && ct.admitted[c.index] {
		return nil
	}
	if other := ct.byName[c.name]; other != nil && other != c {
		return ct.gate.fault(ErrArgument, op, "another type has the same name in this world: types declared inside functions share names, declare one of them outside").forComponent(c)
	}
	ct.byName[c.name] = c
	for len(ct.admitted) <= c.index {
		ct.admitted = append(ct.admitted, false)
	}
	ct.admitted[c.index] = true
	return nil
}

// componentOf returns the component of type t. Its errors name the world and the calling system.
func (ct *componentTypes) componentOf(op string, t reflect.Type) (*component, error) {
	c, err := componentOf(op, t)
	if err != nil {
		e := err.(*Error)
		e.World, e.System = ct.gate.name, ct.gate.callingSystem()
		return nil, e
	}
	return c, nil
}

// sortSet sorts a set of components in the order of archetypes, and refuses duplicates.
func (ct *componentTypes) sortSet(op string, set []*component) ([]*component, error) {
	slices.SortFunc(set, compareComponents)
	for i, c := range set {
		if i > 0 && set[i-1] == c {
			return nil, ct.gate.fault(ErrArgument, op, "the type is named twice").forComponent(c)
		}
	}
	return set, nil
}

// checkNoHeader returns an error if the set contains the chunk header, because only the world gives it to
// meta entities.
func (ct *componentTypes) checkNoHeader(op string, set ...*component) error {
	if slices.Contains(set, ct.chunkHeader) {
		return ct.gate.fault(ErrArgument, op, "only the world makes meta entities: add a PerChunk component to the entities of the chunk").forComponent(ct.chunkHeader)
	}
	return nil
}

// componentIn returns the component T for an operation of w. A job may call componentIn,
// because the operation itself refuses the job later.
func componentIn[T any](w *World, op string) (*component, error) {
	if w == nil {
		return nil, noWorldError(op)
	}
	return cachedComponentIn[T](w, op)
}

// cachedComponentIn does the work of componentIn for a world that is not nil.
func cachedComponentIn[T any](w *World, op string) (*component, error) {
	k := keyOf[T]()
	recent := &typeCache[k.hash()%uint(len(typeCache))]
	if c := recent.Load(); c != nil && c.key == k && !c.worldwide {
		return c, nil
	}
	c, err := w.types.componentOf(op, reflect.TypeFor[T]())
	if err == nil {
		recent.Store(c)
	}
	return c, err
}

// forComponent sets the component of an error.
func (e *Error) forComponent(c *component) *Error { e.Component = c.name; return e }
