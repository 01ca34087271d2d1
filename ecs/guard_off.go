//go:build !lanewise_guard

package ecs

// guard says that misuse of plain memory is looked for: see guard_on.go.
const guard = false

type guardWorld struct{}

type guardRecord struct{}

type guardChunk struct{}

func poisonRows(*record, int, int) {}
func (w *World) resettle()         {}
func (w *World) unquarantine()     {}
func (w *World) touched(*record)   {}
func (w *World) wrote()            {}
func (c *Chunk) watch()            {}
func (c *Chunk) inspect()          {}
func (w *World) quarantined() int  { return 0 }
