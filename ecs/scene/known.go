package scene

import (
	"encoding"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/blob"
	"github.com/lanewise/lanewise/soa"
)

// componentInfo describes a component that may occur in a text.
type componentInfo struct {
	ecs.ComponentType
	id   int32       // number of the type in this process
	plan *layoutPlan // layout of a value in a row, of an element of a buffer, or of the value of a PerChunk; nil for a shared or managed component
}

// catalog maps the names in texts to components. If several components have the same name, the catalog
// maps that name to an entry without a component.
type catalog struct {
	byName    map[string]*nameEntry
	byType    map[reflect.Type]*componentInfo
	sorted    []*componentInfo // sorted by their full names
	typeCount int              // number of registered types when the catalog was created: see fileCatalog
}

// nameEntry is a name by which a text may refer to a component. The component is nil if several
// components have the name.
type nameEntry struct {
	*componentInfo
	usedInText bool // the text uses the name
}

// ecsNames maps the components of package ecs that may occur in a text to their names.
var ecsNames = map[reflect.Type]string{
	reflect.TypeFor[ecs.Prefab]():      "Prefab",
	reflect.TypeFor[ecs.Inactive]():    "Inactive",
	reflect.TypeFor[ecs.OmitGroup]():   "OmitGroup",
	reflect.TypeFor[ecs.LinkedGroup](): "LinkedGroup",
}

var registerECS = sync.OnceFunc(func() {
	ecs.RegisterComponent[ecs.Prefab]()
	ecs.RegisterComponent[ecs.Inactive]()
	ecs.RegisterComponent[ecs.OmitGroup]()
	ecs.RegisterComponent[ecs.LinkedGroup]()
})

// programCatalog returns a catalog of all components that are registered now.
func programCatalog() *catalog {
	registerECS()
	c := &catalog{byName: map[string]*nameEntry{}, byType: map[reflect.Type]*componentInfo{}}
	for _, t := range ecs.ComponentTypes() {
		if t.Builtin && ecsNames[t.Type] == "" {
			continue // only worlds create this component
		}
		k := componentInfoOf(t)
		c.byType[t.Type] = k
		c.sorted = append(c.sorted, k)
		names := []string{t.Name, withoutDirectories(t.Name), withoutPackages(t.Name)}
		if own := ecsNames[t.Type]; own != "" {
			names = append(names, own)
		}
		slices.Sort(names)
		for _, n := range slices.Compact(names) {
			if _, twice := c.byName[n]; twice {
				c.byName[n].componentInfo = nil
			} else {
				c.byName[n] = &nameEntry{componentInfo: k}
			}
		}
	}
	slices.SortStableFunc(c.sorted, func(a, b *componentInfo) int { return strings.Compare(a.Name, b.Name) })
	c.addAliases()
	return c
}

// fileCatalog returns a catalog for reading baked files. All readers share one catalog, because
// reading a baked file does not mark names as used. A new catalog is created only after new types were
// registered.
func fileCatalog() *catalog {
	n := len(ecs.ComponentTypes())
	if own := lastFileCatalog.Load(); own != nil && own.typeCount == n {
		return own
	}
	c := programCatalog()
	c.typeCount = n // if a type is registered in the meantime, the next call creates a new catalog
	lastFileCatalog.Store(c)
	return c
}

var lastFileCatalog atomic.Pointer[catalog] // the last result of fileCatalog

// addAliases adds short names for instances of generic types. Go programs declare such aliases for
// types with one type of number, for example Translation for TranslationOf[float32]. If another type
// already has this name as its own name, the alias is not added.
func (c *catalog) addAliases() {
	added := map[string]bool{}
	for _, k := range c.sorted {
		for _, n := range [...]string{shortAlias(k.Name), shortAlias(withoutDirectories(k.Name)), shortAlias(withoutPackages(k.Name))} {
			switch own := c.byName[n]; {
			case n == "":
			case own == nil:
				c.byName[n], added[n] = &nameEntry{componentInfo: k}, true
			case added[n] && own.componentInfo != k:
				own.componentInfo = nil
			}
		}
	}
}

// shortAlias returns the alias that package transform and others use for a type of float32 or
// float64: Translation for TranslationOf[float32], and Translation64 for TranslationOf[float64].
// For other types it returns "". A second type argument is appended to the name: TurnXYZ for
// TurnOf[float32,XYZ].
func shortAlias(name string) string {
	base, args, ok := strings.Cut(name, "Of[")
	args, last := strings.CutSuffix(args, "]")
	list := strings.Split(args, ",")
	switch {
	case !ok || !last || strings.ContainsAny(args, "[]"):
		return ""
	case list[0] == "float64":
		base += "64"
	case list[0] != "float32":
		return ""
	}
	for _, arg := range list[1:] {
		base += withoutPackages(arg)
	}
	return base
}

// findComponent returns the component with the given name. If there is none, it returns why, and a
// function that finds a similar name.
func (c *catalog) findComponent(name string) (_ *componentInfo, why string, hint func() string) {
	own := c.byName[name]
	switch {
	case own != nil && own.componentInfo != nil:
		own.usedInText = true
		return own.componentInfo, "", nil
	case own != nil:
		var all []string
		for _, k := range c.sorted {
			if k.Name == name {
				return nil, fmt.Sprintf("two types have the name %q, for they are declared inside functions: declare one of them outside", name), nil
			}
			if withoutPackages(k.Name) == name || withoutDirectories(k.Name) == name {
				all = append(all, fmt.Sprintf("%q", k.Name))
			}
		}
		return nil, fmt.Sprintf("several components are called %q: write %s", name, strings.Join(all, " or ")), nil
	}
	return nil, fmt.Sprintf("no component %.100q is registered", name), func() string {
		if near := nearestNameHint(name, slices.Sorted(maps.Keys(c.byName))); near != "" {
			return near
		}
		return ": import the package that has it, or call ecs.RegisterComponent[T]() before"
	}
}

// nameOf returns the shortest name that only this component has.
func (c *catalog) nameOf(k *componentInfo) string {
	for _, n := range [...]string{ecsNames[k.Type], shortAlias(withoutPackages(k.Name)), withoutPackages(k.Name), shortAlias(withoutDirectories(k.Name)), withoutDirectories(k.Name)} {
		if own := c.byName[n]; n != "" && own != nil && own.componentInfo == k {
			return n
		}
	}
	return k.Name
}

// withoutDirectories returns a full name in which each package path is reduced to its last element.
func withoutDirectories(name string) string { return eachPath(name, '/') }

// withoutPackages returns a full name without package paths.
func withoutPackages(name string) string { return eachPath(name, '.') }

// eachPath shortens each type's name in a name such as "a.org/ecs.Buffer[b.org/game.Point]": it
// removes everything up to the last occurrence of the given byte.
func eachPath(name string, last byte) string {
	var out strings.Builder
	for len(name) > 0 {
		n := strings.IndexAny(name, "[],")
		if n < 0 {
			n = len(name)
		}
		atom := name[:n]
		if i := strings.LastIndexByte(atom, '/'); i >= 0 {
			atom = atom[i+1:]
		}
		if last == '.' {
			atom = atom[strings.LastIndexByte(atom, '.')+1:]
		}
		out.WriteString(atom)
		if n < len(name) {
			out.WriteByte(name[n])
			n++
		}
		name = name[n:]
	}
	return out.String()
}

// layoutPlan is the memory layout of a type of plain memory. A decoder uses it to write a value to
// bytes.
type layoutPlan struct {
	typ               reflect.Type
	kind              reflect.Kind
	size              int
	isEntity          bool
	hasUnmarshalText  bool // the type has the method UnmarshalText
	fieldsAreLanes    bool // field i is stored in lane i
	fields            []field
	elem              *layoutPlan // layout of an array's elements
	length            int         // length of the array
	unsupportedReason string      // why a text cannot contain the type
}

// field is a struct field that may occur in a text.
type field struct {
	name      string
	offset    int // offset in bytes, or index of the lane
	typeIndex int // index of the field in the type
	plan      *layoutPlan
}

// maxFields is the largest number of fields of a struct in a text, because fieldSet has one bit for
// each field.
const maxFields = 256

var (
	componentInfos  sync.Map     // maps a reflect.Type to a *componentInfo
	lastComponentID atomic.Int32 // the last id of a componentInfo; any goroutine may increment it, and ids may be skipped, because they only need to differ
)

// componentInfoOf returns the description of a component.
func componentInfoOf(t ecs.ComponentType) *componentInfo {
	if k, ok := componentInfos.Load(t.Type); ok {
		return k.(*componentInfo)
	}
	k := &componentInfo{ComponentType: t, id: lastComponentID.Add(1)}
	switch {
	case t.Shared || t.Managed:
	case t.Buffer:
		slice, _ := t.Type.MethodByName("Slice")
		k.plan = layoutPlanOf(slice.Type.Out(0).Elem())
	case t.PerChunk:
		k.plan = columnLayoutPlan(t.Type.Field(0).Type)
	default:
		k.plan = columnLayoutPlan(t.Type)
	}
	first, _ := componentInfos.LoadOrStore(t.Type, k)
	return first.(*componentInfo)
}

// columnLayoutPlan returns the layout of a type that is stored in lanes.
func columnLayoutPlan(t reflect.Type) *layoutPlan {
	p := layoutPlanOf(t)
	lanes, err := soa.Lanes(t)
	if err != nil || p.kind != reflect.Struct || p.hasUnmarshalText {
		return p
	}
	p.fieldsAreLanes = true
	for i := range p.fields {
		f := &p.fields[i]
		f.offset = slices.IndexFunc(lanes, func(l soa.Lane) bool { return l.Name == f.name })
	}
	return p
}

var (
	entityType  = reflect.TypeFor[ecs.Entity]()
	unmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// layoutPlanOf returns the layout of a type of plain memory.
func layoutPlanOf(t reflect.Type) *layoutPlan {
	p := &layoutPlan{typ: t, kind: t.Kind(), size: int(t.Size()), isEntity: t == entityType}
	switch {
	case p.isEntity:
		return p
	case reflect.PointerTo(t).Implements(unmarshaler):
		p.hasUnmarshalText = true
		return p
	}
	switch p.kind {
	case reflect.Struct:
		if isBlob(t) {
			p.unsupportedReason = fmt.Sprintf("%v refers to a blob, which no scene has: write its name in a field beside it, and let a system set it", t)
		}
		p.fields = fieldsOf(t)
		if len(p.fields) > maxFields {
			p.unsupportedReason = fmt.Sprintf("%v has %d fields; the limit is %d", t, len(p.fields), maxFields)
		}
	case reflect.Array:
		p.elem, p.length = layoutPlanOf(t.Elem()), t.Len()
	}
	return p
}

// fieldsOf returns the fields of a struct that have a size and that may occur in a text.
func fieldsOf(t reflect.Type) (list []field) {
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && f.Type.Size() > 0 {
			list = append(list, field{f.Name, int(f.Offset), i, layoutPlanOf(f.Type)})
		}
	}
	return list
}

// areBlobs reports whether t is a blob.Ref or an array of them.
func areBlobs(t reflect.Type) bool {
	for t.Kind() == reflect.Array {
		t = t.Elem()
	}
	return isBlob(t)
}

// isBlob reports whether t is a blob.Ref.
func isBlob(t reflect.Type) bool {
	_, is := blob.RootType(t)
	return is
}

// valueSize returns the size in bytes of a component, or of an element of a buffer.
func (k *componentInfo) valueSize() int { return k.plan.size }
