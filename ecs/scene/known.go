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

// componentInfo describes a component that a text may have.
type componentInfo struct {
	ecs.ComponentType
	id   int32       // number of the type in this process
	plan *layoutPlan // layout of a value in a row, of an element of a buffer, or of the value of a PerChunk; nil for shared and managed components
}

// catalog maps names in texts to components. A name that several components have maps to an entry
// without a component.
type catalog struct {
	byName    map[string]*nameEntry
	byType    map[reflect.Type]*componentInfo
	sorted    []*componentInfo // sorted by full names
	typeCount int              // number of registered types when it was made: see fileCatalog
}

// nameEntry is a name that a text may use for a component. The component is nil if several
// components have the name.
type nameEntry struct {
	*componentInfo
	usedInText bool // the text uses the name
}

// ecsNames are the components of package ecs that a text may have, with their names.
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

// fileCatalog returns a catalog for reading baked files. Reading a file marks no names as used, so
// all readers share one catalog. It is made again only after more types were registered.
func fileCatalog() *catalog {
	n := len(ecs.ComponentTypes())
	if own := lastFileCatalog.Load(); own != nil && own.typeCount == n {
		return own
	}
	c := programCatalog()
	c.typeCount = n // a type that is registered meanwhile makes the next call build a new catalog
	lastFileCatalog.Store(c)
	return c
}

var lastFileCatalog atomic.Pointer[catalog] // the last result of fileCatalog

// addAliases adds the aliases that Go programs use for types of one kind of number. A type that has
// such a name itself keeps it alone.
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

// shortAlias returns the alias that package transform and others give a type of float32 or float64:
// Translation for TranslationOf[float32], Translation64 for TranslationOf[float64], and "" for
// other types. A second type argument becomes part of the name: TurnXYZ for TurnOf[float32,XYZ].
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

// findComponent returns the component with the given name. If there is none it returns the reason
// and a function that finds a similar name.
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

// nameOf returns the shortest name of a component that is unique.
func (c *catalog) nameOf(k *componentInfo) string {
	for _, n := range [...]string{ecsNames[k.Type], shortAlias(withoutPackages(k.Name)), withoutPackages(k.Name), shortAlias(withoutDirectories(k.Name)), withoutDirectories(k.Name)} {
		if own := c.byName[n]; n != "" && own != nil && own.componentInfo == k {
			return n
		}
	}
	return k.Name
}

// withoutDirectories returns a full name with only the last element of each package path.
func withoutDirectories(name string) string { return eachPath(name, '/') }

// withoutPackages returns a full name without packages.
func withoutPackages(name string) string { return eachPath(name, '.') }

// eachPath removes, from each type's name in a name such as "a.org/ecs.Buffer[b.org/game.Point]",
// everything up to the last byte of the given value.
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

// layoutPlan is the memory layout of a type of plain memory, by which a decoder writes a value to
// its bytes.
type layoutPlan struct {
	typ               reflect.Type
	kind              reflect.Kind
	size              int
	isEntity          bool
	hasUnmarshalText  bool // the type has UnmarshalText
	fieldsAreLanes    bool // each field is in the lane with its number
	fields            []field
	elem              *layoutPlan // of an array
	length            int         // length of the array
	unsupportedReason string      // the reason why the type has no text
}

// field is a field that a text can name.
type field struct {
	name      string
	offset    int // offset in bytes, or index of the lane
	typeIndex int // index of the field in the type
	plan      *layoutPlan
}

// maxFields limits the fields of a struct that a text can have, because fieldSet has a bit for each.
const maxFields = 256

var (
	componentInfos  sync.Map     // maps a reflect.Type to a *known
	lastComponentID atomic.Int32 // counts the componentInfos made for plans, by any goroutine; a number may be lost with its componentInfo, because numbers need only be different
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

// fieldsOf returns the fields of a struct that have a size and that a text can name.
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
