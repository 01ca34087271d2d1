package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/scene"
	"github.com/lanewise/lanewise/ecs/system"
)

// watch keeps one small tile in a directory loaded until the context ends, and prints what becomes of it: edit its text
// meanwhile. What stands there is kept.
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
	w, err := system.NewWorld("harbour", system.Only(), system.With(scene.Systems()))
	if err != nil {
		return err
	}
	defer w.Close()
	err = scene.Configure(w, scene.Config{Files: os.DirFS(dir), Live: true, Notice: func(n scene.Notice) {
		fmt.Fprintln(out, n.Path, "is", n.Phase)
		if n.Err != nil {
			fmt.Fprintln(out, n.Err)
		}
	}})
	if err != nil {
		return err
	}
	e := scene.Load(w, tileName(0), 0)
	if _, err := fmt.Fprintln(out, "edit", file); err != nil {
		return err
	}
	said := ""
	for ; ctx.Err() == nil; time.Sleep(time.Second / 60) {
		if err := system.Update(w); err != nil {
			return err
		}
		pier, err := ecs.Get[Place](w, scene.Find(w, e, "pier"))
		if now := fmt.Sprintf("%d entities, the pier is at %v", w.Len()-1, pier); err == nil && now != said {
			said = now
			if _, err := fmt.Fprintln(out, now); err != nil {
				return err
			}
		}
	}
	return nil
}
