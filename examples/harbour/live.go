package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/scene"
	"github.com/lanewise/lanewise/ecs/system"
)

// watch keeps one small tile in a directory loaded until the context ends. It prints each change of
// the tile, so that you can edit the tile's text and see the result. Existing files are kept.
func watch(ctx context.Context, dir string, out io.Writer) error {
	file := filepath.Join(dir, tileName(0))
	if _, err := os.Stat(file); err != nil {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := (Voyage{Side: 1, Rows: 5}).write(dir); err != nil {
			return err
		}
	}
	w, err := system.NewWorld("harbour", system.Only(), system.WithPlugins(scene.Systems()))
	if err != nil {
		return err
	}
	defer w.Close()
	var wrong error // the error of the current text
	err = scene.Configure(w, scene.Config{Files: os.DirFS(dir), Live: true, Notice: func(n scene.Notice) {
		if wrong = n.Err; wrong != nil {
			fmt.Fprintln(out, n.Err)
			return
		}
		fmt.Fprintln(out, n.Path, "is", n.Phase)
	}})
	if err != nil {
		return err
	}
	e := scene.Load(w, tileName(0), 0)
	if _, err := fmt.Fprintln(out, "edit", file); err != nil {
		return err
	}
	b := &board{world: w, places: w.Query(ecs.Read[Place]())}
	for ; ctx.Err() == nil; app.Sleep(ctx, time.Second/60, w) {
		if err := system.Update(w); err != nil {
			return err
		}
		if wrong != nil && scene.Failure(w, e) == nil {
			wrong = nil
			fmt.Fprintln(out, "the text is right again")
		}
		if err := b.show(out); err != nil {
			return err
		}
	}
	return nil
}

// A board holds the state that watch has shown: all entities that have a name and a place.
type board struct {
	world  *ecs.World
	places *ecs.Query
	shown  []berth // sorted by name
}

// berth is an entity's name and place.
type berth struct {
	name  string
	place Place
}

// show prints the changes.
func (b *board) show(out io.Writer) (err error) {
	say := func(args ...any) {
		if err == nil {
			_, err = fmt.Fprintln(out, args...)
		}
	}
	var now []berth
	for _, e := range b.places.AppendEntities(nil) {
		place, err := ecs.Get[Place](b.world, e)
		if err != nil {
			return err
		}
		now = append(now, berth{b.world.EntityName(e), place})
	}
	slices.SortFunc(now, func(x, y berth) int { return cmp.Compare(x.name, y.name) })
	for _, own := range b.shown {
		if _, has := find(now, own.name); !has {
			say(own.name, "has gone")
		}
	}
	for _, own := range now {
		switch was, has := find(b.shown, own.name); {
		case !has:
			say(own.name, "comes to", own.place)
		case was != own:
			say(own.name, "moves to", own.place)
		}
	}
	if len(now) != len(b.shown) {
		say(len(now), "entities")
	}
	b.shown = now
	return err
}

// find returns the berth with the given name from a list.
func find(list []berth, name string) (berth, bool) {
	i, has := slices.BinarySearchFunc(list, name, func(b berth, name string) int { return cmp.Compare(b.name, name) })
	if !has {
		return berth{}, false
	}
	return list[i], true
}
