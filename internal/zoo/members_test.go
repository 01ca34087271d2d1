package zoo

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// library lists the packages that have component types or markers.
var library = []string{"ecs", "ecs/transform", "ecs/render", "ecs/scene", "ecs/host"}

// noMembers lists exported structs of these packages that look like components, because they have
// no methods of systems and no pointers, but that no entity can have.
var noMembers = map[string][]string{
	"ecs": {
		"ChunkInfo", "Entity", "Linked", "TermType", "Stats", "NamedHash", "ImageName",
		"Worldwide", // the resource of feature crowds has it
	},
	"ecs/transform": {"Child"}, // is the element of Children
	"ecs/scene":     {"Notice"},
}

// TestMembers fails if the library has a component type or a marker that no member of the zoo has.
// A new component of the library joins the zoo by a type in Feature.Types, and the feature gives it
// to entities. TestPresent checks that it does.
func TestMembers(t *testing.T) {
	members := map[string]bool{}
	for _, f := range Features {
		for _, m := range f.Types {
			addNames(members, m)
		}
	}
	for _, pkg := range library {
		found := candidates(t, pkg)
		for _, name := range noMembers[pkg] {
			if _, ok := found[name]; !ok {
				t.Errorf("%s has no struct %s that looks like a component: remove it from noMembers", pkg, name)
			}
		}
		for name, generic := range found {
			full := path.Join("github.com/lanewise/lanewise", pkg) + "." + name
			has := members[full]
			if generic {
				has = members[full+"[float32]"] && members[full+"[float64]"] || members[full+"[]"]
			}
			if not := slices.Contains(noMembers[pkg], name); !has && !not {
				t.Errorf("%s has no member in the zoo: add it to the Types of a feature, or to noMembers if no entity can have it", full)
			} else if has && not {
				t.Errorf("%s is a member of the zoo: remove it from noMembers", full)
			}
		}
	}
}

// addNames adds the name of a type, of its markers, and of the type of its elements.
func addNames(members map[string]bool, t reflect.Type) {
	name, arguments, generic := strings.Cut(t.Name(), "[")
	full := t.PkgPath() + "." + name
	members[full+"["+arguments] = generic
	members[full+"[]"] = members[full+"[]"] || generic && arguments != "float32]" && arguments != "float64]"
	members[full] = true
	if t.Kind() != reflect.Struct {
		return
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous || generic {
			addNames(members, f.Type)
		}
	}
}

// candidates returns the exported structs of a package that an entity could have, and whether they
// are generic.
func candidates(t *testing.T, pkg string) map[string]bool {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("../..", pkg, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	structs, systems := map[string]*ast.TypeSpec{}, map[string]bool{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok && s.Name.IsExported() && !s.Assign.IsValid() {
						structs[s.Name.Name] = s
					}
				}
			case *ast.FuncDecl:
				if slices.Contains([]string{"Update", "Error", "Close", "Playback"}, d.Name.Name) {
					systems[receiver(d)] = true
				}
			}
		}
	}
	found := map[string]bool{}
	for name, s := range structs {
		if body, ok := s.Type.(*ast.StructType); ok && !systems[name] && !hasPointer(body) {
			found[name] = s.TypeParams != nil
		}
	}
	if len(found) == 0 {
		t.Fatalf("package %s has no struct", pkg)
	}
	return found
}

// receiver returns the name of the type that has a method, or "".
func receiver(d *ast.FuncDecl) (name string) {
	if d.Recv == nil {
		return ""
	}
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return true
	})
	return name
}

// hasPointer reports whether a struct has a field of a type that holds Go pointers, as far as the
// source text of the field shows this. A struct of a system has attributes as fields.
func hasPointer(s *ast.StructType) (has bool) {
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StarExpr, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType:
			has = true
		case *ast.ArrayType:
			has = has || n.Len == nil
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && (id.Name == "system" || id.Name == "reflect") {
				has = true
			}
		}
		return !has
	})
	return has
}

// TestPresent fails if in none of 30 ticks an entity has a type that a feature lists.
func TestPresent(t *testing.T) {
	w, err := New(Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()
	missing := map[reflect.Type]string{}
	for _, f := range Features {
		for _, m := range f.Types {
			missing[m] = f.Name
		}
	}
	for tick := 0; tick < 30 && len(missing) > 0; tick++ {
		for a := range w.Archetypes() {
			if a.Len() > 0 {
				for _, m := range a.Types() {
					delete(missing, m)
				}
			}
		}
		if err := Tick(w); err != nil {
			t.Fatal(err)
		}
	}
	for m, feature := range missing {
		t.Errorf("no entity has %v of feature %s", m, feature)
	}
}

// TestKinds: the zoo has a component of each kind of ecs.ComponentType, and of some pairs of kinds.
func TestKinds(t *testing.T) {
	kinds := map[string]bool{}
	for _, f := range Features {
		for _, m := range f.Types {
			for _, c := range ecs.ComponentTypes() {
				if c.Type != m {
					continue
				}
				v := reflect.ValueOf(c)
				for i := range v.NumField() {
					if v.Field(i).Kind() == reflect.Bool && v.Field(i).Bool() {
						kinds[v.Type().Field(i).Name] = true
						if c.Tag && i > 0 {
							kinds["Tag "+v.Type().Field(i).Name] = true
						}
						if c.Cleanup {
							kinds["Cleanup "+v.Type().Field(i).Name] = true
						}
					}
				}
			}
		}
	}
	for i, typ := 0, reflect.TypeFor[ecs.ComponentType](); i < typ.NumField(); i++ {
		if f := typ.Field(i); f.Type.Kind() == reflect.Bool && !kinds[f.Name] {
			t.Errorf("the zoo has no component with ecs.ComponentType.%s", f.Name)
		}
	}
	for _, both := range []string{"Tag Enableable", "Tag Cleanup", "Cleanup Shared", "Cleanup Buffer"} {
		if !kinds[both] {
			t.Errorf("the zoo has no component that is both of %s", both)
		}
	}
}
