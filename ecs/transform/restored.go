package transform

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/plumbing"
)

// restores counts how often a world was put back where an image was taken. What a system remembers of rows
// is of a time that has not happened then, and filters do not tell: the rows have old versions.
type restores struct{ n uint32 }

// restoresKey is the key under which a world keeps the count.
type restoresKey struct{}

// restoresOf returns the count of a world.
func restoresOf(w *ecs.World) *restores {
	if r, ok := plumbing.Attached(w, restoresKey{}).(*restores); ok {
		return r
	}
	r := &restores{}
	plumbing.Attach(w, restoresKey{}, r)
	plumbing.OnRestore(w, func(*ecs.Image) { r.n++ })
	return r
}
