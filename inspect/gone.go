package inspect

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/lanewise/lanewise/ecs"
)

// Gone is the answer of /api/gone: where an entity was destroyed, according to the kept frames.
type Gone struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Last    uint64   `json:"last"`    // the last kept frame that has the entity
	Frame   uint64   `json:"frame"`   // the next kept frame, which does not have it; 0 if the last kept frame has it
	Changes []Change `json:"changes"` // the changes after Last and up to Frame that destroyed entities
}

// goneOf answers /api/gone. It searches the kept frames from the newest one on. An id without a version is that of the last entity with this index.
func goneOf(ctx context.Context, v *view, f url.Values) (any, error) {
	want, err := parseEntity(f.Get("id"))
	if index, other := strconv.ParseInt(f.Get("id"), 10, 32); other == nil && index >= 0 {
		want, err = ecs.Entity{Index: int32(index)}, nil
	}
	if err != nil {
		return nil, err
	}
	held, release := v.past.hold(func(list []*keptFrame) []*keptFrame { return list })
	defer release()
	if len(held) == 0 {
		return nil, v.past.notKept(0)
	}
	out := &Gone{Changes: []Change{}}
	var after *keptFrame
	for _, k := range slices.Backward(held) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if e, ok := k.find(want, after); ok {
			out.ID, out.Name, out.Last = entityText(e), k.image.EntityName(e), k.frame
			break
		}
		after = k
	}
	switch {
	case out.ID == "":
		return nil, notFound(fmt.Sprintf("no kept frame has entity %s: the oldest is frame %d", f.Get("id"), held[0].frame))
	case after == nil:
		return out, nil
	}
	out.Frame = after.frame
	all, err := journalPage(ctx, v, 0)
	if err != nil {
		return nil, err
	}
	for _, c := range all.Changes {
		if c.Frame > out.Last && c.Frame <= out.Frame && c.Fewer > 0 {
			out.Changes = append(out.Changes, c)
		}
	}
	return out, nil
}

// find returns the entity with an index and a version; version 0 is any version. It skips each chunk that the image shares with that of
// another frame, which does not have the entity.
func (k *keptFrame) find(want ecs.Entity, without *keptFrame) (ecs.Entity, bool) {
	for i, a := range k.image.Archetypes() {
		for c := range a.Chunks {
			if without != nil && k.image.SharesChunk(without.image, i, c) {
				continue
			}
			for _, e := range k.image.Chunk(i, c).Entities {
				if e.Index == want.Index && (e.Version == want.Version || want.Version == 0) {
					return e, true
				}
			}
		}
	}
	return ecs.Entity{}, false
}
