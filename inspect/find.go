package inspect

import (
	"context"
	"fmt"
	"net/url"

	"github.com/lanewise/lanewise/ecs"
)

// Found is the answer of /api/find: the first kept frame in which an entity meets a condition.
type Found struct {
	When    string `json:"when"`
	Found   bool   `json:"found"`
	Frame   uint64 `json:"frame"`   // the frame; 0 if none was found
	ID      string `json:"id"`      // the first entity that meets the condition in that frame
	Name    string `json:"name"`    // its name
	Before  uint64 `json:"before"`  // the kept frame before it, in which no entity meets the condition; 0 if there is none
	Checked int    `json:"checked"` // number of frames that were checked
}

// findOf answers /api/find. It reads only images, which never change. So it does not need the owner of
// the world.
func findOf(ctx context.Context, v *view, f url.Values) (any, error) {
	c, err := parseCondition(f.Get("when"))
	if err != nil {
		return nil, err
	}
	switch q := f.Get("q"); q {
	case "":
	case ":all":
		c.all = true
	default:
		return nil, fmt.Errorf("inspect: q is %q: a search of the kept frames has no query except :all", clip(q, 60))
	}
	only := ecs.Entity{}
	if id := f.Get("id"); id != "" {
		if only, err = parseEntity(id); err != nil {
			return nil, err
		}
	}
	held, release := v.past.hold(func(list []*keptFrame) []*keptFrame { return list })
	defer release()
	if len(held) == 0 {
		return nil, v.past.notKept(0)
	}
	return find(ctx, c, held, only)
}

// find searches the kept frames, and returns the first one in which an entity meets the condition.
func find(ctx context.Context, c *condition, frames []*keptFrame, only ecs.Entity) (*Found, error) {
	out := &Found{When: c.text}
	all := ecs.ComponentTypes()
	var before *ecs.Image
	for _, k := range frames {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out.Checked++
		if e, ok := c.first(k.image, before, all, only); ok {
			out.Found, out.Frame, out.ID, out.Name = true, k.frame, e.String(), k.image.EntityName(e)
			return out, nil
		}
		before, out.Before = k.image, k.frame
	}
	out.Before = 0
	return out, nil
}

// first returns the first entity of an image that meets the condition. It skips each chunk that this image
// shares with an image in which no entity meets the condition.
func (c *condition) first(m, before *ecs.Image, all []ecs.ComponentType, only ecs.Entity) (ecs.Entity, bool) {
	for i, a := range m.Archetypes() {
		p, ok := c.planFor(a.Components, all)
		if !ok {
			continue
		}
		for k := range a.Chunks {
			if before != nil && m.SharesChunk(before, i, k) {
				continue
			}
			chunk := m.Chunk(i, k)
			if row := c.match(&chunk, &p, only); row >= 0 {
				return chunk.Entities[row], true
			}
		}
	}
	return ecs.Entity{}, false
}
