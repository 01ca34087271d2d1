package ecs

// ComponentName returns the name of the component that accesses know by an
// index, with its package; "" if there is none.
func ComponentName(index int) string {
	registry.RLock()
	defer registry.RUnlock()
	if index >= 0 && index < len(registry.all) {
		return registry.all[index].name
	}
	return ""
}

// Declares reports whether the query that shows the chunk declares that it reads, or
// writes, the [Worldwide] type that accesses of world w know by an index. Who writes
// it reads it too.
func (c *Chunk) Declares(w *World, index int) (reads, writes bool) {
	c.check("Chunk.Declares")
	if c.world.home != &w.tables {
		return false, false
	}
	for i := range c.binds {
		if b := &c.binds[i]; b.comp.worldwide && b.comp.index == index {
			return true, b.write
		}
	}
	return false, false
}
