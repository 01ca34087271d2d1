package transform

import "github.com/lanewise/lanewise/ecs/system"

// Group holds the systems of this package, in the simulation. What moves
// things runs before it, what looks at LocalToWorld after it:
//
//	_ system.Before[transform.Group]
type Group struct {
	system.Group
	_ system.In[system.Simulation]
}
