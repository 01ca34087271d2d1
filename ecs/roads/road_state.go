package roads

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/ecs/system"
)

// all has the roads in the order of the documentation.
var all = []Road{
	{Name: "nothing", Run: func(*Trip) error { return nil }},
	{Name: "restore", Run: restore},
	{Name: "fork", Run: fork},
	{Name: "save", Run: save},
	{Name: "child", Run: childProcess},
	{Name: "delta", Run: delta},
	{Name: "rollback", Run: ring},
	{Name: "session", Run: session},
	{Name: "synctest", Run: syncTest},
	{Name: "replay", Run: record},
	{Name: "history", Run: history},
	{Name: "pack", Changes: true, Run: packAway},
	{Name: "move", Changes: true, Run: moveToOtherWorld},
	{Name: "copy", Run: copyAway},
	{Name: "stream", Run: stream},
	{Name: "inspect", Run: askInspector},
	{Name: "explain", Run: askReport},
	{Name: "twin", Run: twin},
	{Name: "transaction", Run: transaction},
	{Name: "scene", Changes: true, Run: reload},
	{Name: "compact", Changes: true, Run: compact}, // for OrderChanged, the rows of every chunk have come and gone
	{Name: "defragment", Changes: true, Run: defragment},
	{Name: "panic", Run: panicOnce},
}

// restore captures the world, runs some ticks, and restores it. In half of the draws the images
// form a chain: each image shares the chunks that were not written since the image before.
func restore(t *Trip) error {
	chain, n := t.Rand.IntN(2) == 0, 1+t.Rand.IntN(3)
	start, err := t.Mark()
	if err != nil {
		return err
	}
	image, last := start.image, start
	var between []*ecs.Image
	for range n {
		if err := t.Tick(1); err != nil {
			return err
		}
		if !chain {
			continue
		}
		if last != start {
			between = append(between, image)
		}
		if image, err = ecs.Capture(t.World, image); err != nil {
			return fmt.Errorf("capture: %w", err)
		}
		last = &Mark{image, t.Ticks}
	}
	if err := releaseAndReuse(t, between); err != nil {
		return err
	}
	dropped := t.World.NewCommands()
	if _, err := dropped.Spawn(); err != nil {
		return err
	}
	if t.Rand.IntN(2) == 0 {
		stray(t)
	}
	if err := t.Back(start); err != nil {
		return err
	}
	// The command belongs to a future that the restored world never had, so it must do nothing.
	if err := dropped.Playback(t.World); err != nil {
		return fmt.Errorf("playback of commands from before the restore: %w", err)
	}
	if last == start {
		return nil
	}
	// Go forward to the last image of the chain, which is a state that a run without roads has too.
	return t.Back(last)
}

// stray brings the world into a future that the world without roads never has: entities get a component that only the
// roads know, so that the world has other archetypes, in which a tick finds rows.
func stray(t *Trip) {
	var list []ecs.Entity
	dead := deadTag()
	for e := range t.World.Entities() {
		if !slices.Contains(t.World.ArchetypeOf(e).Types(), dead) {
			list = append(list, e)
		}
	}
	for range min(len(list), 6) {
		_ = ecs.Add(t.World, list[t.Rand.IntN(len(list))], loan{}) // a row may have no room for it
	}
	_ = t.ticksWith(1) // systems may refuse such entities
}

// releaseAndReuse releases images, and captures the world into their memory. The images that share
// chunks with them must stay as they are.
func releaseAndReuse(t *Trip, images []*ecs.Image) error {
	for _, m := range images {
		if err := m.Release(); err != nil {
			return fmt.Errorf("release: %w", err)
		}
	}
	for _, m := range images {
		if err := ecs.CaptureInto(m, t.World, nil); err != nil {
			return fmt.Errorf("capture again: %w", err)
		}
		if a, b := m.Hash(), t.World.Hash(); a != b {
			return fmt.Errorf("an image in the memory of a released one has the hash %016x, and the world %016x", a, b)
		}
	}
	return nil
}

// fork makes a new world from an image. It continues with the fork itself if the subject can add
// the systems. Otherwise it continues with a world of New that gets the contents of the fork.
func fork(t *Trip) (err error) {
	m, err := t.Mark()
	if err != nil {
		return err
	}
	w, err := ecs.Fork(m.image, "fork", ecs.OnPool(t.NewPool(1+t.Rand.IntN(3))))
	if err != nil {
		return fmt.Errorf("fork: %w", err)
	}
	if t.subject.Systems != nil {
		t.Keep(w)
		before := w.Hash() // as long as the fork has no systems, like the fork of checkFork
		if err := t.subject.Systems(w); err != nil {
			return fmt.Errorf("Subject.Systems: %w", err)
		}
		if err := system.RestoreState(w, m.image); err != nil {
			return fmt.Errorf("restore the systems: %w", err)
		}
		if err := t.Continue(w); err != nil {
			return err
		}
		// The ticks of the fork must not change the image.
		if err := t.Tick(1 + t.Rand.IntN(2)); err != nil {
			return err
		}
		if t.Rand.IntN(2) == 0 {
			return t.Back(m)
		}
		return checkFork(m, before)
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	n := &Mark{ticks: t.Ticks}
	if n.image, err = ecs.Capture(w, nil); err != nil {
		return fmt.Errorf("capture the fork: %w", err)
	}
	if a, b := m.image.Hash(), n.image.Hash(); a != b {
		return fmt.Errorf("the fork has the hash %016x, and the image %016x", b, a)
	}
	// The fork has no systems, so the image of the captured world goes on.
	return t.move(m)
}

// checkFork returns an error if a fork of a mark does not have a hash, which an earlier fork had.
func checkFork(m *Mark, hash uint64) (err error) {
	w, err := ecs.Fork(m.image, "fork")
	if err != nil {
		return fmt.Errorf("fork again: %w", err)
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if again := w.Hash(); again != hash {
		return fmt.Errorf("a fork has the hash %016x, and after its ticks another fork of the same image has %016x", hash, again)
	}
	return nil
}

// move continues in another world of the subject, which gets the contents of a mark.
func (t *Trip) move(m *Mark) error {
	w, err := t.NewWorld(t.pool)
	if err != nil {
		return err
	}
	if err := t.Continue(w); err != nil {
		return err
	}
	return t.Back(m)
}

// save writes the world to a file or a stream. Some ticks later it reads the file or stream into
// the same world, into another world, or as an image.
func save(t *Trip) error {
	m, err := t.Mark()
	if err != nil {
		return err
	}
	path, options := t.Path("save"), t.subject.Snapshot
	if err := snapshot.Save(path, m.image, options...); err != nil {
		return err
	}
	switch t.Rand.IntN(3) {
	case 0: // the same world, later
		if err := t.Tick(1 + t.Rand.IntN(3)); err != nil {
			return err
		}
	case 1: // another world
		w, err := t.NewWorld(t.NewPool(1 + t.Rand.IntN(3)))
		if err != nil {
			return err
		}
		if err := t.Continue(w); err != nil {
			return err
		}
	case 2: // an image from a stream
		var stream bytes.Buffer
		if _, err := snapshot.Write(&stream, m.image, options...); err != nil {
			return err
		}
		read, err := snapshot.Read(&stream, options...)
		if err != nil {
			return err
		}
		t.ownBlobs(read)
		return t.Back(&Mark{read, m.ticks})
	}
	return t.load(path, m.ticks)
}

// load replaces the contents of the world by those of a file.
func (t *Trip) load(path string, ticks int) error {
	defer t.World.Hooks().OnRestore(t.ownBlobs)()
	if err := snapshot.Load(t.World, path, t.subject.Snapshot...); err != nil {
		return err
	}
	t.Ticks = ticks
	return nil
}

// compact moves all chunks to new memory.
func compact(t *Trip) error { return runKeeping(t.World, none, ecs.Compact) }

// defragment joins chunks that are not full, which moves rows. A row then has the chunk components of
// another chunk.
func defragment(t *Trip) error { return runKeeping(t.World, perChunk(), ecs.Defragment) }
