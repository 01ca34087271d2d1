package roads

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing/iotest"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/scene"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/ecs/system"
)

// checkRepeat returns an error unless a tick has the same result after a Restore as the first time. The world may
// be one after a failed tick, in which a system whose job has failed must see the changes of that tick again.
func (t *Trip) checkRepeat() error {
	m, err := t.Mark()
	if err != nil {
		return err
	}
	var hashes [2]uint64
	var errs [2]error
	for i := range hashes {
		errs[i] = t.ticksWith(1)
		hashes[i] = t.World.Hash()
		if err := t.Back(m); err != nil {
			return err
		}
	}
	if hashes[0] != hashes[1] || (errs[0] == nil) != (errs[1] == nil) {
		return fmt.Errorf("the tick after it has the hash %016x (%v), and %016x after a Restore (%v)", hashes[0], errs[0], hashes[1], errs[1])
	}
	return nil
}

// errBoom is the value of the panics that the roads cause.
var errBoom = errors.New("boom, a panic of package roads")

// A fault lets a function of the program panic at its k-th call. It reports whether the world has
// called the function so often.
type fault func(t *Trip, m *Mark, k int) (done bool, err error)

// panicOnce makes a random call of a function of the program panic: a hook, a system, a job, a stream,
// a codec or a method. Then it restores the world. If the world does not call the function so often,
// it takes another one.
func panicOnce(t *Trip) error {
	m, err := t.Mark()
	if err != nil {
		return err
	}
	k := 1 + t.Rand.IntN(4)
	faults := []struct {
		name string
		run  fault
	}{{"a hook", panicInHook}, {"a system", panicInSystem}, {"a job", panicInJob}, {"a stream", panicInWriter}, {"OrderBy", panicInKeys},
		{"a capture", panicInCapture}, {"a codec", panicInCodec}, {"a method", panicInMethods}, {"a method", panicInMethods}}
	if t.subject.Arm == nil {
		faults = faults[:len(faults)-2]
	}
	for _, i := range t.Rand.Perm(len(faults)) {
		done, err := faults[i].run(t, m, k)
		if err != nil {
			return fmt.Errorf("panic in %s: %w", faults[i].name, err)
		}
		if done {
			if err := t.checkRepeat(); err != nil {
				return fmt.Errorf("panic in %s: %w", faults[i].name, err)
			}
		}
		if err := t.Back(m); err != nil || done {
			return err
		}
	}
	t.Idle(fmt.Sprintf("the world calls no function %d times", k))
	return nil
}

// bomb panics at its k-th call. Any goroutine may call it.
type bomb struct{ left atomic.Int64 }

func newBomb(k int) *bomb {
	b := &bomb{}
	b.left.Store(int64(k))
	return b
}

func (b *bomb) call() {
	if b.left.Add(-1) == 0 {
		panic(errBoom)
	}
}

// hasPanicked reports whether the panic has been.
func (b *bomb) hasPanicked() bool { return b.left.Load() <= 0 }

// checkSurfaced returns an error if a panic has been and the caller has got no error of it.
func (b *bomb) checkSurfaced(err error) error {
	if err != nil && !errors.Is(err, errBoom) {
		return fmt.Errorf("another error than that of the panic: %w", err)
	}
	if b.hasPanicked() != (err != nil) {
		return fmt.Errorf("the panic was (%v), and the error is %v", b.hasPanicked(), err)
	}
	return nil
}

// ticksWith runs up to n ticks without comparing them, until one returns an error. Then it waits for
// the sub-scenes.
func (t *Trip) ticksWith(n int) error {
	for range n {
		if err := t.subject.tick(t.World); err != nil {
			return err
		}
	}
	return t.finishLoads()
}

// finishLoads waits for the sub-scenes, because other goroutines read them, and a panic of these
// goroutines makes a scene fail some ticks later. finishLoads returns such a failure.
func (t *Trip) finishLoads() error {
	q := t.World.Query(ecs.With[scene.SubScene](), ecs.IgnoreEnabled())
	none := q.Empty()
	if err := q.Close(); err != nil || none {
		return err
	}
	if err := scene.Wait(t.World); errors.Is(err, errBoom) {
		return err
	}
	return nil // a scene of the subject may fail for another reason, with and without roads
}

// panicInHook lets one of the structural changes of some ticks panic, any of them.
func panicInHook(t *Trip, m *Mark, _ int) (bool, error) {
	changes, ticks := 0, 1+t.Rand.IntN(3)
	remove := t.World.Hooks().OnCommit(func(string) { changes++ })
	err := t.ticksWith(ticks)
	remove()
	if err := errors.Join(err, t.Back(m)); err != nil || changes == 0 {
		return false, err
	}
	b := newBomb(1 + t.Rand.IntN(changes))
	remove = t.World.Hooks().OnCommit(func(string) { b.call() })
	err = t.ticksWith(ticks)
	remove()
	return b.hasPanicked(), b.checkSurfaced(err)
}

// boomer is a system that panics at its k-th update, or in a job of it.
type boomer struct {
	_       system.Manual
	update  *bomb
	job     *bomb // panics in the call for a chunk of its job; nil means that the system has no job
	all     *ecs.Query
	changes bool
}

// Create makes a query of all entities.
func (s *boomer) Create(u *system.Setup) error {
	s.all = u.Query(ecs.IncludeHidden())
	return nil
}

// Update panics at the k-th call.
func (s *boomer) Update(f *system.Frame) error {
	if s.job != nil {
		f.ParallelFor(s.all, s)
	}
	if s.changes {
		if _, err := f.Commands().Spawn(); err != nil {
			return err
		}
	}
	s.update.call()
	return nil
}

// Chunk panics at the k-th call.
func (s *boomer) Chunk(*ecs.Chunk) { s.job.call() }

// withBoomer runs some ticks with a boomer in the world, and reports whether it has panicked.
func withBoomer(t *Trip, s *boomer) (done bool, err error) {
	group := system.Find[system.Simulation](t.World)
	if group == nil {
		return false, nil // the world has no frames
	}
	if err := system.Adopt(t.World, s); err != nil {
		return false, err
	}
	if err := group.Add(s); err != nil {
		return false, err
	}
	err = t.ticksWith(3)
	group.Remove(s)
	if e := system.Destroy(t.World, s); e != nil {
		return false, fmt.Errorf("destroy the system: %w", e)
	}
	b := s.update
	if s.job != nil {
		b = s.job
	}
	if err := b.checkSurfaced(err); err != nil {
		return false, err
	}
	if name := system.Of[boomer]().String(); err != nil && !strings.Contains(err.Error(), name) {
		return false, fmt.Errorf("a system or its job has panicked, and the error does not name the system %s: %w", name, err)
	}
	return b.hasPanicked(), nil
}

// panicInSystem lets a system panic after it has recorded a command.
func panicInSystem(t *Trip, _ *Mark, k int) (bool, error) {
	return withBoomer(t, &boomer{update: newBomb(min(k, 3)), changes: true})
}

// panicInJob lets a job panic at its k-th chunk. Any worker may reach that chunk.
func panicInJob(t *Trip, _ *Mark, k int) (bool, error) {
	return withBoomer(t, &boomer{update: newBomb(-1), job: newBomb(k)})
}

// boomWriter is a stream that panics or fails at the k-th call.
type boomWriter struct {
	bomb   *bomb
	panics bool
}

func (w *boomWriter) Write(p []byte) (int, error) {
	if err := recoverError(func() error { w.bomb.call(); return nil }); err != nil && !w.panics {
		return 0, err
	} else if err != nil {
		panic(errBoom)
	}
	return len(p), nil
}

// panicInWriter lets a stream fail or panic while the world is saved to it and loaded from it.
func panicInWriter(t *Trip, m *Mark, k int) (bool, error) {
	if !t.canSave(m) {
		return false, nil
	}
	out := &boomWriter{bomb: newBomb(k), panics: t.Rand.IntN(2) == 0}
	if err := out.bomb.checkSurfaced(recoverError(func() error { _, err := snapshot.Write(out, m.image, t.subject.Snapshot...); return err })); err != nil {
		return false, fmt.Errorf("write: %w", err)
	}
	var file bytes.Buffer
	if _, err := snapshot.Write(&file, m.image, t.subject.Snapshot...); err != nil {
		return false, err
	}
	file.Truncate(t.Rand.IntN(file.Len()))
	r := io.MultiReader(&file, iotest.ErrReader(errBoom))
	before := t.World.Hash()
	err := recoverError(func() error { return snapshot.LoadFrom(t.World, r, t.subject.Snapshot...) })
	if !errors.Is(err, errBoom) {
		return false, fmt.Errorf("the stream has failed, and the error is %v", err)
	}
	if after := t.World.Hash(); after != before {
		return false, fmt.Errorf("a load that has failed has changed the world: the hash is %016x, and was %016x", after, before)
	}
	return true, nil
}

// recoverError returns the panic of a function as its error.
func recoverError(f func() error) (err error) {
	defer recoverInto(&err)
	return f()
}

// panicInCodec lets the codec of a managed component panic, while the world is saved and while it is
// loaded. A load that fails must change nothing.
func panicInCodec(t *Trip, m *Mark, k int) (bool, error) {
	var managed []reflect.Type
	all := ecs.ComponentTypes()
	for _, a := range m.image.Archetypes() {
		for _, c := range a.Components {
			if a.Rows > 0 && isManaged(c, all) && !slices.Contains(managed, c) {
				managed = append(managed, c)
			}
		}
	}
	var file bytes.Buffer
	if _, err := snapshot.Write(&file, m.image, t.subject.Snapshot...); err != nil || len(managed) == 0 {
		return false, nil // a world that cannot be saved fails road save
	}
	b := newBomb(k)
	codec := snapshot.CodecOf(managed[t.Rand.IntN(len(managed))],
		func(out []byte, _ any) ([]byte, error) { b.call(); return out, nil },
		func([]byte, any) error { b.call(); return nil })
	options := append(slices.Clone(t.subject.Snapshot), codec)
	if err := b.checkSurfaced(recoverError(func() error { _, err := snapshot.Write(io.Discard, m.image, options...); return err })); err != nil {
		return false, fmt.Errorf("write: %w", err)
	}
	b.left.Store(1)
	before := t.World.Hash()
	defer t.World.Hooks().OnRestore(t.ownBlobs)() // of a load that does not call the codec
	err := recoverError(func() error { return snapshot.LoadFrom(t.World, &file, options...) })
	if after := t.World.Hash(); err != nil && after != before {
		return false, fmt.Errorf("a load that has failed has changed the world: the hash is %016x, and was %016x", after, before)
	}
	return b.hasPanicked(), b.checkSurfaced(err)
}

// isManaged reports whether a type of the list is a managed component of the program.
func isManaged(t reflect.Type, list []ecs.ComponentType) bool {
	return slices.ContainsFunc(list, func(c ecs.ComponentType) bool { return c.Type == t && c.Managed && !c.Builtin })
}

// panicInMethods lets a method of the program's values panic in one of many operations.
func panicInMethods(t *Trip, m *Mark, k int) (bool, error) {
	b, saves := newBomb(k), t.canSave(m)
	if err := t.finishLoads(); err != nil { // so that the operations interrupt no load, whose panic nothing would report
		return false, err
	}
	disarm := t.subject.Arm(b.call)
	defer disarm()
	operations := []func() error{
		func() error { return t.ticksWith(2) },
		func() error { return system.Restore(t.World, m.image) },
		func() error { return snapshotInto(t, saves) },
		func() error { return forkAndClose(m) },
		func() error { return moveToOtherWorld(t) },
		func() error { return stream(t) },
		func() error { return copyAway(t) },
	}
	for _, i := range t.Rand.Perm(len(operations)) {
		err := recoverError(operations[i])
		if err == nil {
			err = recoverError(t.finishLoads)
		}
		if err != nil && !b.hasPanicked() { // the world refuses the operation, which another road tests
			err = recoverError(func() error { return t.Back(m) })
		}
		if err != nil || b.hasPanicked() {
			return b.hasPanicked(), b.checkSurfaced(err)
		}
	}
	return false, nil
}

// canSave reports whether the world can be saved. One that cannot fails road save, or is named in
// Options.Refuses.
func (t *Trip) canSave(m *Mark) bool {
	_, err := snapshot.Write(io.Discard, m.image, t.subject.Snapshot...)
	return err == nil
}

// snapshotInto saves the world, and loads it again.
func snapshotInto(t *Trip, saves bool) error {
	if !saves {
		return nil
	}
	m, err := ecs.Capture(t.World, nil)
	if err != nil {
		return err
	}
	var file bytes.Buffer
	if _, err := snapshot.Write(&file, m, t.subject.Snapshot...); err != nil {
		return err
	}
	defer t.World.Hooks().OnRestore(t.ownBlobs)()
	return snapshot.LoadFrom(t.World, &file, t.subject.Snapshot...)
}

func forkAndClose(m *Mark) error {
	w, err := ecs.Fork(m.image, "fork")
	if err != nil {
		return err
	}
	return w.Close()
}

// panicInKeys lets the function of OrderBy panic, which must change nothing.
func panicInKeys(t *Trip, _ *Mark, k int) (bool, error) {
	q := t.World.Query(ecs.IncludeHidden())
	defer q.Close()
	b, before := newBomb(k), t.World.Hash()
	err := recoverError(func() error { return ecs.OrderBy(t.World, q, func(*ecs.Chunk, []uint64) { b.call() }) })
	if after := t.World.Hash(); after != before {
		return false, fmt.Errorf("OrderBy with equal keys, or with a function that panics, has changed the world: the hash is %016x, and was %016x", after, before)
	}
	return b.hasPanicked(), b.checkSurfaced(err)
}

// panicInCapture lets a hook panic while the world is captured, and while it is restored.
func panicInCapture(t *Trip, m *Mark, _ int) (bool, error) {
	b := newBomb(1)
	remove := t.World.Hooks().OnCapture(func(*ecs.Image) { b.call() })
	err := recoverError(func() error { _, err := ecs.Capture(t.World, nil); return err })
	remove()
	if err := b.checkSurfaced(err); err != nil {
		return false, fmt.Errorf("capture: %w", err)
	}
	b = newBomb(1)
	remove = t.World.Hooks().OnRestore(func(*ecs.Image) { b.call() })
	err = recoverError(func() error { return system.Restore(t.World, m.image) })
	remove()
	if err := b.checkSurfaced(err); err != nil {
		return false, fmt.Errorf("restore: %w", err)
	}
	return true, nil
}
