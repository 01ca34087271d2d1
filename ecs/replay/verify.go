package replay

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/lanewise/lanewise/ecs"
)

// ErrNotCompared says that a run or a recording was compared with only a part of a recording, or with none of it.
var ErrNotCompared = errors.New("not compared with the whole recording")

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
// that differs, Tick returns an error of category [ErrDiverged]. The error contains the facts and the
// [Divergence.Advice] of a [Divergence]. If the recording has values and the snapshot of the run cannot be written, the error is also of
// category [snapshot.ErrValue]. If the run has more ticks than the recording, the first Tick after the last tick of the recording returns an error
// of category io.EOF, which says how many ticks are equal. If the recording was truncated, this error is of category ErrCorrupt. The
// errors of Verify are those of Replay.
//
// Call Close at the end, and handle its error. If the run ended before its recording, or if the recording has no
// hash because [Every] is greater than the number of its ticks, the error is of category [ErrNotCompared]. It
// says how many ticks were compared, and how many the recording has.
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
	has        coverage    // of the recording, up to the last compared tick
	systemSums *systemSums // nil until a tick of the recording has the writes of systems
	compared   uint64      // the last tick whose hash was compared
	turned     uint64      // the last tick in which the writes of systems were compared
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

// tick compares a tick of the run. Then it reads the next tick, because it must watch the systems of the next tick if the recording has their writes.
func (c *verifier) tick(inputs []Input) error {
	t, err := c.next()
	if err == io.EOF {
		if err := c.checkCompared(); err != nil {
			return fmt.Errorf("%w: %w", err, io.EOF)
		}
		return fmt.Errorf("replay: the recording ends: no difference in %d ticks: %w", c.lastEqual(), err)
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
	switch {
	case d != nil && err != nil:
		return fmt.Errorf("replay: %w: %s; the values are unknown: %w", ErrDiverged, d, err)
	case err != nil:
		return err
	case d != nil:
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

// lastEqual returns the last tick whose hash or writes of systems were compared.
func (c *verifier) lastEqual() uint64 { return max(c.compared, c.turned) }

// checkCompared returns an error if the recording has ticks, but no hash to compare. Call it at the end of the recording.
func (c *verifier) checkCompared() error {
	n := c.recording.ticks
	if n == 0 || c.lastEqual() > 0 {
		return nil
	}
	return fmt.Errorf("replay: %w: none of its %d ticks has a hash, because replay.Every(%d) records one only after that many ticks: record the run again with a smaller number", ErrNotCompared, n, c.recording.Every)
}

// closeError returns the error of Close. err is the error of the last tick.
func (c *verifier) closeError(err error) error {
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	passed := c.recording.ticks // the ticks of the run
	if c.ahead != nil {
		passed--
	}
	for err == nil {
		_, err = c.recording.Next()
	}
	part := fmt.Sprintf("the run ended after tick %d, and the recording has %d ticks; the last equal hash is that of tick %d", passed, c.recording.ticks, c.lastEqual())
	switch {
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("replay: %w: %s, and then: %w", ErrNotCompared, part, err)
	case passed < c.recording.ticks:
		return fmt.Errorf("replay: %w: %s", ErrNotCompared, part)
	}
	return c.checkCompared()
}

// compare compares the world after a tick with the recording. It returns the first difference, or nil.
func (c *verifier) compare(t *Tick) (*Divergence, error) {
	c.has.add(t)
	d := &Divergence{Tick: t.Number, A: t.Hash, Labels: [2]string{"the recording", "this run"}, recorded: [2]coverage{c.has, everything}}
	switch {
	case c.systemSums != nil && d.findInTurns(t.turns, c.systemSums.takeTurns()):
		d.B = c.world.Hash()
	case t.Hashed && c.world.Hash() != t.Hash:
		d.B, d.Skipped = c.world.Hash(), t.Number-1-c.compared
	default:
		if t.Hashed {
			c.compared = t.Number
		}
		if len(t.turns) > 0 {
			c.turned = t.Number
		}
		return nil, nil
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
		c.systemSums.close()
	}
}
