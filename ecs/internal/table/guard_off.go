//go:build !lanewise_guard

package table

// guard says that rows are checked before they are shown, and free ones poisoned.
const guard = false

func (p *Place) poison()      {}
func (p *Place) checkPoison() {}
