package roads

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/diff"
	"github.com/lanewise/lanewise/ecs/replay"
	"github.com/lanewise/lanewise/ecs/rollback"
	"github.com/lanewise/lanewise/ecs/snapshot"
)

// delta writes the changes of some ticks, and applies them to the image before them.
func delta(t *Trip) error {
	before, err := t.Mark()
	if err != nil {
		return err
	}
	if err := t.Tick(1 + t.Rand.IntN(3)); err != nil {
		return err
	}
	after, err := ecs.Capture(t.World, before.image)
	if err != nil {
		return fmt.Errorf("capture: %w", err)
	}
	if err := checkAgreement(before.image, after); err != nil {
		return fmt.Errorf("before and after the ticks: %w", err)
	}
	options := t.subject.Snapshot
	var changes bytes.Buffer
	if _, err := snapshot.Delta(&changes, before.image, after, options...); err != nil {
		return err
	}
	base := before.image
	if t.Rand.IntN(2) == 0 { // a reader on another machine has a file
		var file bytes.Buffer
		if _, err := snapshot.Write(&file, base, options...); err != nil {
			return err
		}
		if base, err = snapshot.Read(&file, options...); err != nil {
			return err
		}
		t.ownBlobs(base)
	}
	m, err := snapshot.Apply(&changes, base, options...)
	if err != nil {
		return err
	}
	t.ownBlobs(m)
	if err := checkAgreement(after, m); err != nil {
		return fmt.Errorf("after the delta: %w", err)
	}
	return t.move(&Mark{m, t.Ticks})
}

// checkAgreement returns an error unless package diff and the hashes agree on whether two images differ.
func checkAgreement(a, b *ecs.Image) error {
	d, differ := diff.First(diff.Images(a, b))
	if x, y := a.Hash(), b.Hash(); differ != (x != y) {
		return fmt.Errorf("the images have the hashes %016x and %016x, and package diff says that they differ: %v (%v)", x, y, differ, d)
	}
	return nil
}

// childProcess lets another process load the world, run some ticks and save it.
func childProcess(t *Trip) error {
	if runtime.GOARCH == "wasm" {
		t.Idle("there are no processes on wasm")
		return nil
	}
	m, err := t.Mark()
	if err != nil {
		return err
	}
	from, to, n := t.Path("to-child"), t.Path("from-child"), t.Rand.IntN(4)
	if err := snapshot.Save(from, m.image, t.subject.Snapshot...); err != nil {
		return err
	}
	if err := t.child(t, from, to, n); err != nil {
		return err
	}
	return t.load(to, m.ticks+n)
}

// ring keeps an image of each tick, goes back by some ticks, and runs them again, twice.
func ring(t *Trip) error {
	n := 1 + t.Rand.IntN(6)
	r, err := rollback.NewRing(t.World, n+1)
	if err != nil {
		return err
	}
	start := t.Ticks
	for again := range 2 {
		for t.Ticks < start+n {
			if err := r.Keep(uint64(t.Ticks)); err != nil {
				return err
			}
			if err := t.Tick(1); err != nil {
				return err
			}
		}
		back := start + t.Rand.IntN(n)
		if again > 0 {
			back = start
		}
		if err := r.Back(uint64(back)); err != nil {
			return err
		}
		t.Ticks = back
	}
	return t.Tick(n)
}

// session plays with another player over a slow link. The predictions of its inputs are wrong, so
// that the session goes back and runs ticks again. The inputs have no effect.
func session(t *Trip) error {
	const window = 5
	n, start := 6+t.Rand.IntN(5), t.Ticks
	s, err := rollback.New(rollback.Config[uint8]{
		World: t.World, Players: 2, Window: window, Every: -1,
		Step: func(uint64, []uint8) error { return t.subject.tick(t.World) },
	})
	if err != nil {
		return err
	}
	inputs := make([]uint8, n)
	for i := range inputs {
		inputs[i] = uint8(i + 1) // never as predicted
	}
	sent := 0
	send := func(until int) error {
		if until <= sent {
			return nil
		}
		p := rollback.Packet[uint8]{From: 1, First: uint64(sent), Inputs: inputs[sent:until], Ack: s.Tick()}
		sent = until
		return s.Receive(&p)
	}
	for i := 0; i < n; {
		if !s.Ready() || t.Rand.IntN(3) == 0 {
			if err := send(min(i, sent+1+t.Rand.IntN(window))); err != nil {
				return err
			}
			continue
		}
		if err := s.Advance(0); err != nil {
			return err
		}
		i++
	}
	if err := send(n); err != nil {
		return err
	}
	if err := s.Settle(); err != nil {
		return err
	}
	if st := s.Stats(); st.Rollbacks == 0 {
		return fmt.Errorf("the session has run %d ticks and never went back", st.Ticks)
	}
	t.Ticks = start + n
	return nil
}

// syncTest runs each of some ticks twice.
func syncTest(t *Trip) error {
	n := 1 + t.Rand.IntN(3)
	d, err := replay.SyncTest(replay.Run{World: t.World, Step: func(uint64) error { return t.subject.tick(t.World) }}, uint64(n))
	if err != nil {
		return err
	}
	if d != nil {
		return fmt.Errorf("a tick that runs again has another result: %v", d)
	}
	t.Ticks += n
	return nil
}

// record records some ticks to a file, and replays the file in the same world or in another one.
func record(t *Trip) (err error) {
	start, err := t.Mark()
	if err != nil {
		return err
	}
	var options []replay.Option
	if t.Rand.IntN(2) == 0 {
		options = append(options, replay.BySystem())
	}
	name, n := t.Path("recording"), 1+t.Rand.IntN(4)
	if err := recordTo(t, name, n, options); err != nil {
		return err
	}
	if t.Rand.IntN(2) == 0 {
		err = t.move(start)
	} else {
		err = t.Back(start)
	}
	if err != nil {
		return err
	}
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	d, err := replay.Replay(file, t.World, func(*replay.Tick) error { return t.subject.tick(t.World) })
	if err != nil {
		return err
	}
	if d != nil {
		return fmt.Errorf("the replay differs: %v", d)
	}
	t.Ticks += n
	return nil
}

// history runs some ticks with a history, goes to some of them in a random order, and then to the last
// one.
func history(t *Trip) (err error) {
	run := replay.Run{World: t.World, Step: func(uint64) error { return t.subject.tick(t.World) }}
	h, err := replay.NewHistory(run, replay.Interval(1+t.Rand.IntN(3)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	n := 1 + t.Rand.IntN(5)
	var hashes []uint64
	for tick := range n + 1 {
		if err := h.Go(uint64(tick)); err != nil {
			return err
		}
		hashes = append(hashes, t.World.Hash())
	}
	for _, tick := range []int{t.Rand.IntN(n + 1), t.Rand.IntN(n + 1), n} {
		if err := h.Go(uint64(tick)); err != nil {
			return err
		}
		if hash := t.World.Hash(); hash != hashes[tick] {
			return fmt.Errorf("tick %d of the history has the hash %016x, and had %016x", tick, hash, hashes[tick])
		}
	}
	t.Ticks += n
	return nil
}

// recordTo records n ticks to a file.
func recordTo(t *Trip, name string, n int, options []replay.Option) (err error) {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	r, err := replay.Record(file, t.World, options...)
	if err != nil {
		return err
	}
	for i := range n {
		r.Input("player", []byte{byte(i)})
		if err := t.Tick(1); err != nil {
			return err
		}
		if err := r.Tick(); err != nil {
			return err
		}
	}
	return r.Close()
}
