package inspect

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/ecs"
)

// Gone is the answer of /api/gone: where an entity was destroyed, according to the kept frames.
type Gone struct {
	Holder
	Earlier []Holder `json:"earlier"` // entities that had the same index before, the newest first; at most maxEarlier
}

// Holder is an entity that has or had an index, according to the kept frames. After a restore, an entity that was destroyed before
// exists again; then some frames between First and Last may not have it.
type Holder struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	First   uint64   `json:"first"`   // the first kept frame that has the entity
	Last    uint64   `json:"last"`    // the last kept frame that has it
	Frame   uint64   `json:"frame"`   // the next kept frame, which does not have it; 0 if the last kept frame has it
	Changes []Change `json:"changes"` // the changes after Last, and not after Frame, that destroyed entities or restored the world
}

// maxEarlier is the largest number of earlier entities with an index in an answer.
const maxEarlier = 20

// goneOf answers /api/gone. An id without a version is that of the last entity with this index.
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
	list, err := holdersOf(ctx, held, want)
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return nil, notFound(fmt.Sprintf("no kept frame has entity %s: the oldest is frame %d", f.Get("id"), held[0].frame))
	}
	all, err := journalPage(ctx, v, 0)
	if err != nil {
		return nil, err
	}
	for k := range list {
		list[k].addChanges(all.Changes)
	}
	return &Gone{list[0], list[1:]}, nil
}

// addChanges adds the changes that may have destroyed the entity. A restore may also create more entities than it destroys. An edit
// after the last frame with the entity has the number of this frame.
func (h *Holder) addChanges(all []Change) {
	for _, c := range all {
		if (c.Fewer > 0 || c.Op == opRestore) && (h.Frame == 0 || c.Frame <= h.Frame) && (c.Frame > h.Last || c.Frame == h.Last && c.System == editor) {
			h.Changes = append(h.Changes, c)
		}
	}
}

// holdersOf returns the wanted entity and those that had its index before, the newest first. Version 0 is that of the last entity with
// the index. holdersOf searches the kept frames from the newest one on.
func holdersOf(ctx context.Context, frames []*keptFrame, want ecs.Entity) (list []Holder, err error) {
	var after *keptFrame
	var before rowPlace // of the index in the frame after
	begun := want.Version == 0
	for _, k := range slices.Backward(frames) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at := k.find(want.Index, after, before)
		begun = begun || at.entity == want
		id := at.entity.String()
		switch n := slices.IndexFunc(list, func(h Holder) bool { return h.ID == id }); {
		case !begun || at.entity.IsZero():
		case n >= 0: // not only the last one, because a restore brings back earlier entities
			list[n].First = k.frame
		case len(list) > maxEarlier:
			return list, nil
		default:
			h := Holder{ID: id, Name: k.image.EntityName(at.entity), First: k.frame, Last: k.frame, Changes: []Change{}}
			if after != nil {
				h.Frame = after.frame
			}
			list = append(list, h)
		}
		after, before = k, at
	}
	return list, nil
}

// absentIn returns the error that an entity does not exist in the kept frame that v shows. The error names the entities that had the
// index in this frame, before it and after it. Version 0 means any entity with the index.
func absentIn(ctx context.Context, v *view, e ecs.Entity) error {
	frame := v.lastFrame.Load()
	held, release := v.live.past.hold(func(list []*keptFrame) []*keptFrame { return list })
	defer release()
	list, err := holdersOf(ctx, held, ecs.Entity{Index: e.Index})
	if err != nil {
		return err
	}
	if e.Version > 0 && !slices.ContainsFunc(list, func(h Holder) bool { return h.ID == e.String() }) {
		own, err := holdersOf(ctx, held, e) // the list is limited, and later entities with the index have filled it
		if err != nil {
			return err
		}
		list = append(list, own[:min(len(own), 1)]...)
	}
	var before, now, after string                       // the newest one before the frame, the one in it, and the oldest one after it
	own, holder := "no kept frame has it", ecs.Entity{} // the entity that has the index in the frame
	for _, k := range held {
		if k.frame == frame {
			holder = k.find(e.Index, nil, rowPlace{}).entity
		}
	}
	for _, h := range list { // the newest first
		name := strings.TrimSpace(h.ID + " " + h.Name)
		text := fmt.Sprintf("is in the kept frames from %d to %d", h.First, h.Last)
		switch {
		case h.ID == holder.String():
			now = "; " + name + " has the index in this frame"
		case h.ID == e.String() && h.First < frame && frame < h.Last: // a restore has brought it back
			own = fmt.Sprintf("it is in kept frames before and after it, from %d to %d", h.First, h.Last)
		case h.ID == e.String():
			own = "it " + text
		case h.First > frame:
			after = "; " + name + " " + text
		case h.Last < frame && before == "":
			before = "; " + name + " " + text
		}
	}
	what := fmt.Sprintf("entity %s does not exist in frame %d: %s", e.String(), frame, own)
	if e.Version == 0 {
		what = fmt.Sprintf("no entity with the index %d exists in frame %d", e.Index, frame)
	}
	return notFound(what + now + before + after)
}

// rowPlace is the place of an entity in an image. The entity is null if the image has no entity with the index.
type rowPlace struct {
	archetype, chunk, row int
	entity                ecs.Entity
}

// find returns the entity with an index. known is its place in another frame. Most entities have the same place in both frames. Otherwise,
// find skips each chunk that both frames share, because a shared chunk has only entities of the other place.
func (k *keptFrame) find(index int32, other *keptFrame, known rowPlace) rowPlace {
	all := k.image.Archetypes()
	if !known.entity.IsZero() && known.archetype < len(all) && known.chunk < all[known.archetype].Chunks {
		if list := k.image.Chunk(known.archetype, known.chunk).Entities; known.row < len(list) && list[known.row].Index == index {
			known.entity = list[known.row]
			return known
		}
	}
	for i, a := range all {
		for c := range a.Chunks {
			if other != nil && k.image.SharesChunk(other.image, i, c) {
				continue
			}
			for row, e := range k.image.Chunk(i, c).Entities {
				if e.Index == index {
					return rowPlace{i, c, row, e}
				}
			}
		}
	}
	return rowPlace{}
}
