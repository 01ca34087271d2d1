package roads

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/blob"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/jobs"
)

// counts has the numbers of things that a program must not leave behind.
type counts struct{ goroutines, files, worlds, blobs int }

func count() counts {
	return counts{runtime.NumGoroutine(), openFiles(), ecs.OpenWorlds(), blob.Count()}
}

// openOnce makes the process open the goroutines and files that it opens only once, so that the test
// does not blame a program for them: the goroutines of the default pool, and the files with which
// Go waits for files.
func openOnce() error {
	_ = jobs.Default().Range(1, 1, func(int, int) {})
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	return errors.Join(r.Close(), w.Close())
}

// openFiles returns the number of open files of the process, or 0 where the system does not list them.
func openFiles() int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}

// exceeds reports whether one of the numbers is larger than before.
func (now counts) exceeds(before counts) bool {
	return now.goroutines > before.goroutines || now.files > before.files || now.worlds > before.worlds || now.blobs > before.blobs
}

// checkLeaks returns an error if the process has more of something than before. It waits up to half a
// second, because a goroutine that has done its work needs a moment to end.
func (before counts) checkLeaks() error {
	now := count()
	for end := time.Now().Add(time.Second / 2); now.exceeds(before) && time.Now().Before(end); now = count() {
		runtime.Gosched()
		time.Sleep(time.Millisecond)
	}
	var errs []error
	for _, c := range []struct {
		name        string
		before, now int
	}{{"goroutines", before.goroutines, now.goroutines}, {"open files", before.files, now.files}, {"open worlds", before.worlds, now.worlds}, {"blobs", before.blobs, now.blobs}} {
		if c.now > c.before {
			errs = append(errs, fmt.Errorf("%d %s are left, and there were %d before the program", c.now, c.name, c.before))
		}
	}
	if now.goroutines > before.goroutines {
		stacks := make([]byte, 1<<16)
		errs = append(errs, fmt.Errorf("the goroutines:\n%s", stacks[:runtime.Stack(stacks, true)]))
	}
	return errors.Join(errs...)
}

// checkWorld checks the parts of the world that no hash has. It counts the entities in two more ways.
// It also reads a snapshot of the world, because a reader checks all rules that the contents of
// a world must obey.
func (c *course) checkWorld() error {
	w := c.trip.World
	seen := map[ecs.Entity]bool{}
	for e := range w.Entities() {
		if seen[e] || !w.Exists(e) {
			return fmt.Errorf("entity %v is listed twice or does not exist", e)
		}
		seen[e] = true
	}
	rows := 0
	for a := range w.Archetypes() {
		if !slices.Contains(a.Types(), chunkHeader) {
			rows += a.Len()
		}
	}
	if rows != len(seen) || len(seen) != w.Len() {
		return fmt.Errorf("the world lists %d entities, its archetypes have %d rows, and Len is %d", len(seen), rows, w.Len())
	}
	m, err := ecs.Capture(w, nil)
	if err != nil {
		return err
	}
	if err := checkMemory(w, m); err != nil {
		return err
	}
	if _, refuses := c.runner.options.Refuses["save"]; refuses {
		return nil
	}
	var file bytes.Buffer
	if _, err := snapshot.Write(&file, m, c.trip.subject.Snapshot...); err != nil {
		return fmt.Errorf("write the last state: %w", err)
	}
	read, err := snapshot.Read(bytes.NewReader(file.Bytes()), c.trip.subject.Snapshot...)
	if err != nil {
		return fmt.Errorf("read the last state: %w", err)
	}
	c.trip.ownBlobs(read)
	if read.Hash() != m.Hash() {
		return fmt.Errorf("the last state has the hash %016x, and its snapshot %016x", m.Hash(), read.Hash())
	}
	return nil
}

// checkMemory compares the memory of a world with that of a fork, which has none from earlier. Both
// are compacted first.
func checkMemory(w *ecs.World, m *ecs.Image) (err error) {
	fork, err := ecs.Fork(m, "memory")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, fork.Close()) }()
	for _, w := range []*ecs.World{w, fork} {
		if err := ecs.Compact(w); err != nil {
			return err
		}
	}
	bytes, live := w.SlabBytes()
	if wantBytes, wantLive := fork.SlabBytes(); bytes != wantBytes || live != wantLive {
		return fmt.Errorf("after Compact the world has slabs of %d bytes with chunks of %d, and a fork of it %d and %d", bytes, live, wantBytes, wantLive)
	}
	return nil
}
