package transform

import (
	"github.com/lanewise/lanewise/ecs/internal/sister"
	"github.com/lanewise/lanewise/ecs/system"
)

// Group holds the systems of this package, in the simulation: after all systems there that
// no attribute orders, whatever their names are, so that what moves things runs before it by
// itself. What looks at LocalToWorld says that it runs after it, or stands in LateSimulation or
// Presentation:
//
//	_ system.After[transform.Group]
type Group struct {
	system.Group
	_ system.In[system.Simulation]
	_ sister.Late
}
