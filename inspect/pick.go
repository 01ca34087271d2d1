package inspect

import (
	"context"
	"fmt"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// worlds returns those that the inspector is for, in the order of their making.
func (i *views) worlds() (list []*ecs.World) {
	for _, w := range system.Worlds() {
		if i.shows(w) {
			list = append(list, w)
		}
	}
	return list
}

// pick returns the view of the world of an id or a name; "" is the first. A world that nobody
// has looked at has none before its next frame.
func (i *views) pick(ctx context.Context, id string) (*view, error) {
	i.touch()
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
	return i.await(ctx, world)
}

// await returns the view of a world, as soon as there is one.
func (i *views) await(ctx context.Context, world *ecs.World) (*view, error) {
	begin := now()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		if v := i.find(world); v != nil {
			return v, nil
		}
		if now()-begin > patience {
			return nil, &stillError{fmt.Sprintf("inspect: world %q has had no frame for %v: its loop does not run, or a system does not return", world.Name(), patience)}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}
