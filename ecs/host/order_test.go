package host

import (
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs/system"
)

// order is what a frame of a default world with transforms and hosts consists of.
// Who has a place between the others of the group, and who of two widths goes
// first, are for nobody to rely on; a change is to be seen all the same.
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
    transform.CompositeScaleSystemOf[float32]
    transform.CompositeScaleSystemOf[float64]
    transform.LocalTransformToWorldOf[float32]
    transform.LocalTransformToWorldOf[float64]
    transform.PostRotationEulerSystemOf[float32]
    transform.PostRotationEulerSystemOf[float64]
    transform.RotationEulerSystemOf[float32]
    transform.CompositeRotationSystemOf[float32]
    transform.ParentScaleInverseSystemOf[float32]
    transform.RotationEulerSystemOf[float64]
    transform.CompositeRotationSystemOf[float64]
    transform.ParentScaleInverseSystemOf[float64]
    transform.TRSToLocalToWorldOf[float32]
    transform.TRSToLocalToParentOf[float32]
    transform.HierarchyOf[float32]
    transform.TRSToLocalToWorldOf[float64]
    transform.TRSToLocalToParentOf[float64]
    transform.HierarchyOf[float64]
    transform.WorldToLocalSystemOf[float32]
    transform.WorldToLocalSystemOf[float64]
    host.CopyToOf[float32]
    host.CopyToOf[float64]
  system.LateSimulation
  system.EndSimulation
system.Presentation
  system.BeginPresentation
  system.EndPresentation
`

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
