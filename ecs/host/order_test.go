package host

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// order lists the systems of a frame of a default world with packages transform and host. The
// package does not promise the order of systems that no attribute orders, and not which width
// comes first. But the test fails if one of these changes, so that we notice the change.
const order = `
system.Initialization
  system.BeginInitialization
  host.CopyInitialOf[float32]
  host.CopyInitialOf[float64]
  system.EndInitialization
system.Simulation
  system.BeginSimulation
  system.FixedStep
    system.BeginFixedStep
    system.EndFixedStep
  system.VariableRate
    system.BeginVariableRate
    system.EndVariableRate
  transform.Group
    transform.Parents
    host.CopyFromOf[float32]
    host.CopyFromOf[float64]
    transform.LocalTransformToWorldOf[float32]
    transform.LocalTransformToWorldOf[float64]
    transform.TRSToLocalToWorldOf[float32]
    transform.TRSToLocalToParentOf[float32]
    transform.HierarchyOf[float32]
    transform.TRSToLocalToWorldOf[float64]
    transform.TRSToLocalToParentOf[float64]
    transform.HierarchyOf[float64]
    host.CopyToOf[float32]
    host.CopyToOf[float64]
  system.LateSimulation
  system.EndSimulation
system.Presentation
  system.BeginPresentation
  system.EndPresentation
`

// Calls with a nil world must return an error that says so.
func TestNoWorld(t *testing.T) {
	o := Object(newThing[float32](0))
	_, destroyed := Unbind[float32](nil, ecs.Entity{})
	_, converted := Convert[float32](nil, newThing[float32](0))
	for call, err := range map[string]error{
		"Bind": Bind(nil, ecs.Entity{}, o), "Unbind": destroyed, "Convert": converted,
		"BoundTo": func() (err error) {
			defer func() { err, _ = recover().(error) }()
			BoundTo[float32](nil, ecs.Entity{})
			return nil
		}(),
	} {
		if !errors.Is(err, ecs.ErrArgument) || !strings.HasPrefix(err.Error(), "host: "+call+": the world is nil") {
			t.Errorf("%s without a world: %v", call, err)
		}
	}
	if _, err := transform.ComputeLocalToWorld[float32](nil, ecs.Entity{Index: 7, Version: 1}); !errors.Is(err, ecs.ErrArgument) || !strings.Contains(err.Error(), "the world is nil") {
		t.Errorf("ComputeLocalToWorld without a world: %v", err)
	}
}

// The systems are a plugin. The world of a test can have this plugin in addition to its own
// systems.
func TestSystems(t *testing.T) {
	w, err := system.NewWorld(t.Name(), system.Only(), system.WithPlugins(Systems(), transform.Systems()))
	check(t, err)
	if got, want := len(system.Find[transform.Group](w).Members()), len(transform.Systems().Types)-1+4; got != want {
		t.Errorf("the group has %d members, want %d", got, want)
	}
	if !slices.Contains(system.Plugins(), Systems()) || !slices.Contains(system.Plugins(), transform.Systems()) {
		t.Error("the sets are not registered")
	}
	alone, err := system.NewWorld(t.Name(), system.Only(), system.WithPlugins(Systems()))
	check(t, err)
	if ws := system.Warnings(alone); len(ws) != 4 || !strings.Contains(ws[0], "stands in github.com/lanewise/lanewise/ecs/transform.Group, which this world does not have") {
		t.Errorf("warnings without the transforms: %q", ws)
	}
}

func TestOrder(t *testing.T) {
	w := newWorld(t)
	got := "\n"
	for _, s := range system.Explain(w).Order {
		got += strings.Repeat("  ", s.Depth) + strings.ReplaceAll(s.System, "github.com/lanewise/lanewise/ecs/", "") + "\n"
	}
	if got != order {
		t.Errorf("the order is%s\nwant%s", got, order)
	}
	if ws := system.Warnings(w); len(ws) > 0 {
		t.Errorf("warnings %q", ws)
	}
}
