package transform

import (
	"github.com/lanewise/lanewise/ecs/internal/sister"
	"github.com/lanewise/lanewise/ecs/system"
)

// Group holds the systems of this package. It comes in the simulation after all systems that no
// attribute orders, whatever their names are, so that a system that moves things runs before it
// without an attribute. A system that reads LocalToWorld must be in LateSimulation or
// Presentation, or say that it runs after the group:
//
//	_ system.After[transform.Group]
type Group struct {
	system.Group
	_ system.In[system.Simulation]
	_ sister.Late
}
