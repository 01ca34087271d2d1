package inspect

import (
	"context"
	"fmt"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// worlds returns the worlds of the inspector, in the order in which they were
// made.
func (i *views) worlds() (list []*ecs.World) {
	for _, w := range system.Worlds() {
		if i.showsWorld(w) {
			list = append(list, w)
		}
	}
	return list
}

// pick returns the view of the world that has the given id or name; "" means
// the first world. If the world has no view yet, pick waits until its owner
// creates one, in the sleep of a paced loop or at the end of the next frame. If the owner itself answers the
// request, pick creates the view.
func (i *views) pick(ctx context.Context, id string) (*view, error) {
	i.renewLease()
	var world *ecs.World
	all := i.worlds()
	for _, w := range all {
		if id == "" || id == fmt.Sprint(system.WorldID(w)) {
			world = w
			break
		}
	}
	for _, w := range all {
		if world == nil && id == w.Name() {
			world = w
		}
	}
	switch {
	case world == nil && id == "":
		return nil, &stillError{"inspect: there is no world with systems"}
	case world == nil:
		return nil, notFound("there is no world " + clip(id, 100) + " with systems, or it is closed")
	}
	if byOwner(ctx) && i.find(world) == nil {
		i.join(nil, []*ecs.World{world})
	}
	return i.await(ctx, world)
}

// await waits until a world has a view and returns it.
func (i *views) await(ctx context.Context, world *ecs.World) (*view, error) {
	begin := now()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		if v := i.find(world); v != nil {
			return v, nil
		}
		if now()-begin > frameEndTimeout {
			return nil, &stillError{fmt.Sprintf("inspect: world %q has had no frame for %v: its loop does not run, or a system does not return", world.Name(), frameEndTimeout)}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}
