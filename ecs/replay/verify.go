package replay

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/lanewise/lanewise/ecs"
)

// Verify returns a Recorder that compares a run with a recording, in place of writing one. So a program that
// records itself can check itself with the same calls:
//
//	if *check == "" {
//		r, err = replay.Record(file, w, replay.BySystem())
//	} else {
//		r, err = replay.Verify(file, w)
//	}
//
// The inputs of the run must be the recorded ones. For a run whose inputs come from outside, such as a
// network, use [Replay], which passes the recorded inputs to a function. At the first tick
// that differs, Tick returns an error of category [ErrDiverged]. It contains the same facts as a [Divergence], and
// its [Divergence.Advice]. After the last tick of the recording, Tick returns an error of category io.EOF, which
// says how many ticks are equal. If the recording was truncated, this error is of category ErrCorrupt. The
// errors of Verify are those of Replay.
func Verify(from io.Reader, w *ecs.World) (*Recorder, error) {
	if w == nil {
		return nil, fmt.Errorf("replay: Verify: the world is nil: %w", ecs.ErrArgument)
	}
	if err := checkOpen("Verify", w); err != nil {
		return nil, err
	}
	recording, err := readFor(from, w)
	if err != nil {
		return nil, err
	}
	c := &verifier{world: w, recording: recording}
	if err := c.readAhead(); err != nil && err != io.EOF { // systems are watched from the first tick on
		return nil, err
	}
	return &Recorder{world: w, verifier: c}, nil
}

// verifier compares a world, tick by tick, with a recording.
type verifier struct {
	world      *ecs.World
	recording  *Recording
	systemSums *systemSums // nil until a tick of the recording has the writes of systems
	compared   uint64      // the last tick whose hash was compared
	ahead      *Tick       // the next tick; nil if it was not read yet
}

// next returns the next tick of the recording, before the world runs it.
func (c *verifier) next() (*Tick, error) {
	if err := c.readAhead(); err != nil {
		return nil, err
	}
	t := c.ahead
	c.ahead = nil
	return t, nil
}

// readAhead reads the next tick. If the recording has the writes of systems, it begins to watch systems.
func (c *verifier) readAhead() (err error) {
	if c.ahead != nil {
		return nil
	}
	if c.ahead, err = c.recording.Next(); err != nil {
		return err
	}
	if len(c.ahead.turns) > 0 && c.systemSums == nil {
		c.systemSums = newSystemSums(c.world)
	}
	return nil
}

// tick compares a tick of the run. Then it reads the next tick, because its systems may have to be watched.
func (c *verifier) tick(inputs []Input) error {
	t, err := c.next()
	if err == io.EOF {
		return fmt.Errorf("replay: the recording ends: no difference in %d ticks: %w", c.compared, err)
	}
	if err != nil {
		return err
	}
	for i := range max(len(inputs), len(t.Inputs)) {
		if i >= len(inputs) || i >= len(t.Inputs) || inputs[i].Key != t.Inputs[i].Key || !bytes.Equal(inputs[i].Value, t.Inputs[i].Value) {
			return fmt.Errorf("replay: %w: tick %d: input %d differs; the run has %d inputs and the recording %d: to run the world with the recorded inputs, use Replay", ErrDiverged, t.Number, i, len(inputs), len(t.Inputs))
		}
	}
	d, err := c.compare(t)
	if err != nil {
		return err
	}
	if d != nil {
		text := d.String()
		if advice := d.Advice(); advice != "" {
			text += ". " + advice
		}
		return fmt.Errorf("replay: %w: %s", ErrDiverged, text)
	}
	if err := c.readAhead(); err != nil && err != io.EOF && !errors.Is(err, ErrCorrupt) { // the next call returns these
		return err
	}
	return nil
}

// compare compares the world after a tick with the recording. It returns the first difference, or nil.
func (c *verifier) compare(t *Tick) (*Divergence, error) {
	d := &Divergence{Tick: t.Number, A: t.Hash}
	switch {
	case c.systemSums != nil && d.findInTurns(t.turns, c.systemSums.takeTurns()):
		d.B = c.world.Hash()
	case !t.Hashed:
		return nil, nil
	default:
		if d.B = c.world.Hash(); d.B == d.A {
			c.compared = t.Number
			return nil, nil
		}
		d.Skipped = t.Number - 1 - c.compared
	}
	if len(t.values) == 0 {
		return d, nil
	}
	values, err := snapshotOf(c.world)
	if err != nil {
		return d, fmt.Errorf("replay: tick %d: %w", t.Number, err)
	}
	return d, d.findInFiles(t.values, values)
}

// stop ends the comparison.
func (c *verifier) stop() {
	if c.systemSums != nil {
		c.systemSums.stop()
	}
}
