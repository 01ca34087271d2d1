package transform

import "github.com/lanewise/lanewise/ecs/system"

// Group holds the systems of this package, in the simulation. Whoever moves
// things runs before it, whoever looks at LocalToWorld after it:
//
//	_ system.Before[transform.Group]
type Group struct {
	system.Group
	_ system.In[system.Simulation]
}
