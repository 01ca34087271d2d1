package replay

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/diff"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/snapshot/untyped"
	"github.com/lanewise/lanewise/internal/printable"
)

// Version is the latest version of the format. A Recorder with the option [Values] writes it. Other
// recordings have version 1, which earlier releases can read too.
const Version = 2

// These are the categories of errors, for errors.Is.
var (
	// ErrCorrupt says that the bytes were changed after they were written, or that they are not a
	// recording.
	ErrCorrupt = errors.New("not a whole recording")

	// ErrVersion says that a later release of this package has written the recording.
	ErrVersion = errors.New("a recording of a later version")

	// ErrStart says that the world differs from the world at the beginning of the recording.
	ErrStart = errors.New("another world to begin with")
)

// maxFrameBytes is the largest size of a frame in bytes.
const maxFrameBytes = 1 << 30

var magic = [8]byte{0x89, 'L', 'W', 'R', '\r', '\n', 0x1a, '\n'}

// These are the kinds of frames.
const (
	kindHead = 1 + iota
	kindTick
	kindEnd
)

// Divergence describes the first difference of two runs.
type Divergence struct {
	Tick      uint64 // number of the tick, from 1
	Skipped   uint64 // number of ticks directly before Tick that were not compared; the difference may have begun in one of them
	System    string // the first system whose results differ; empty if unknown
	Component string // full name of the component; empty if unknown
	First     diff.Difference
	Exact     bool   // First is valid; it may be an entity that only one world has, with no Component
	A, B      uint64 // hashes of the worlds, if both hashes are known

	// Labels are the names of the two sides in String and Advice. Replay and Verify set Labels to "the recording" and "this run". A caller
	// of Contrast should set Labels, because Contrast does not know the names of the files. If they are empty, String does not name the sides.
	Labels [2]string

	recorded [2]coverage
}

// coverage says which facts about a tick one side of a comparison has.
type coverage struct {
	bySystem bool   // the writes of each system
	values   uint64 // how many consecutive ticks, ending with this one, have values
}

// add adds the next tick of a recording.
func (c *coverage) add(t *Tick) {
	c.bySystem = c.bySystem || len(t.turns) > 0
	if c.values++; len(t.values) == 0 {
		c.values = 0
	}
}

// everything is the coverage of a running world, and bothRun that of two.
var (
	everything = coverage{true, math.MaxUint64}
	bothRun    = [2]coverage{everything, everything}
)

// String returns the divergence as one line.
func (d *Divergence) String() string { return printable.Line(d.text()) }

func (d *Divergence) text() string {
	if d == nil {
		return "no difference"
	}
	text := fmt.Sprintf("tick %d: ", d.Tick)
	if d.Skipped > 0 {
		text = fmt.Sprintf("one of the ticks %d to %d: after tick %[2]d, ", d.Tick-d.Skipped, d.Tick)
	}
	first := d.First
	first.Labels = d.Labels
	if d.Exact && d.System != "" && d.First.Component != d.Component { // the system did not cause this difference
		return text + first.String() + "; the first system with other values is " + withoutDirectories(d.System)
	}
	if d.System != "" {
		text += withoutDirectories(d.System) + ": "
	}
	switch {
	case d.Exact:
		return text + first.String()
	case d.Component != "":
		return text + "it wrote other values of " + withoutDirectories(d.Component)
	case d.System != "":
		return text + "it has its turn in one of them only"
	}
	if d.Labels != [2]string{} {
		return text + fmt.Sprintf("the hashes are %016x in %s and %016x in %s", d.A, d.Labels[0], d.B, d.Labels[1])
	}
	return text + fmt.Sprintf("the hashes are %016x and %016x", d.A, d.B)
}

// Advice says which side to record again, and which options to add, to find the tick, the system, the entity and both values, as far as
// the divergence does not contain them. If no option helps, the result is empty.
func (d *Divergence) Advice() string {
	if d == nil {
		return ""
	}
	options := [2][]string{d.missingOptions(0), d.missingOptions(1)}
	all := slices.Concat(options[0], options[1])
	if len(all) == 0 {
		return ""
	}
	var facts []string
	if d.Skipped > 0 {
		facts = append(facts, "the tick")
	}
	if d.System == "" && !d.hasSystems() {
		facts = append(facts, "the system")
	}
	if !d.Exact && slices.ContainsFunc(all, func(o string) bool { return strings.HasPrefix(o, "replay.Values") }) {
		facts = append(facts, "the entity", "both values")
	}
	how := []string{"record both runs again and add " + optionList(options[0])}
	if !slices.Equal(options[0], options[1]) {
		how = nil
		for i, label := range []string{cmp.Or(d.Labels[0], "the first recording"), cmp.Or(d.Labels[1], "the second recording")} {
			if len(options[i]) > 0 {
				how = append(how, "make "+label+" again and add "+optionList(options[i]))
			}
		}
	}
	return printable.Line("To find " + joinAnd(facts) + ", " + strings.Join(how, "; "))
}

// hasSystems reports whether both sides have the writes of each system.
func (d *Divergence) hasSystems() bool { return d.recorded[0].bySystem && d.recorded[1].bySystem }

// missingOptions returns the options with which the recording of a side would have more of the facts.
func (d *Divergence) missingOptions(side int) (list []string) {
	has := d.recorded[side]
	if d.Skipped > 0 && d.hasSystems() { // the writes of all systems are equal, so only a hash of each tick finds the tick
		list = append(list, "replay.Every(1)")
	}
	if d.System == "" && !has.bySystem {
		list = append(list, "replay.BySystem()")
	}
	if (!d.Exact || d.Skipped > 0) && has.values <= d.Skipped {
		list = append(list, fmt.Sprintf("replay.Values(%d, %d)", d.Tick-d.Skipped, d.Tick))
	}
	return list
}

// optionList returns the words for a list of options.
func optionList(list []string) string {
	if len(list) == 1 {
		return "the option " + list[0]
	}
	return "the options " + joinAnd(list)
}

// joinAnd joins words with commas, and the last two with "and".
func joinAnd(list []string) string {
	last := len(list) - 1
	if last < 1 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:last], ", ") + " and " + list[last]
}

func withoutDirectories(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// Recording reads a recording that a [Recorder] has written.
type Recording struct {
	World       string // name of the recorded world
	Every       int    // number of ticks from one hash to the next
	Start       uint64 // hash of the world before the first tick
	HashVersion uint32
	version     uint32
	stream      frames.Reader
	ticks       uint64
	ended       bool
}

// Tick is one tick of a recording.
type Tick struct {
	Number uint64 // counts from 1
	Inputs []Input
	Hash   uint64 // hash of the world after the tick
	Hashed bool   // whether Hash is valid
	turns  []systemTurn
	values []byte // a snapshot of the world after the tick; empty without the option Values
}

// Systems returns the names of the systems that ran in the tick, in order. If the recording was
// made without [BySystem], the list is empty.
func (t *Tick) Systems() (names []string) {
	for _, own := range t.turns {
		names = append(names, own.system)
	}
	return names
}

// Snapshot returns the values of the world after the tick, in the format of package ecs/snapshot. If they were
// not recorded, because the recording was made without [Values], the result is empty.
func (t *Tick) Snapshot() []byte { return t.values }

// Read begins reading a recording. The error is of category ErrCorrupt or ErrVersion, or it is the
// error of the stream.
func Read(from io.Reader) (*Recording, error) {
	r := &Recording{stream: frames.Reader{Source: from, MaxPayload: maxFrameBytes}}
	var head [16]byte
	if err := r.stream.Full(head[:]); err != nil {
		return nil, r.streamError(err)
	}
	if [8]byte(head[:8]) != magic {
		return nil, corrupt("it does not begin as one")
	}
	if v := binary.LittleEndian.Uint32(head[8:]); v == 0 || v > Version {
		return nil, fmt.Errorf("replay: %w: %d, and this release knows up to %d", ErrVersion, v, Version)
	}
	r.version = binary.LittleEndian.Uint32(head[8:])
	r.HashVersion = binary.LittleEndian.Uint32(head[12:])
	kind, d, err := r.readFrame()
	if err != nil {
		return nil, err
	}
	r.World, r.Every, r.Start = d.Text(), int(d.U32()), d.U64()
	if kind != kindHead || !d.Done() || r.Every < 1 {
		return nil, corrupt("the first frame is no head")
	}
	return r, nil
}

// Next returns the next tick. After the last tick, the error is io.EOF. If the recording was not
// closed or was truncated, the error after its last complete tick is of category ErrCorrupt.
func (r *Recording) Next() (*Tick, error) {
	if r.ended {
		return nil, io.EOF
	}
	kind, d, err := r.readFrame()
	if err != nil {
		return nil, err
	}
	at := d.U64()
	if kind == kindEnd {
		if at != r.ticks || !d.Done() {
			return nil, corrupt("the end is that of %d ticks, and there are %d", at, r.ticks)
		}
		if err := r.stream.End(); err != io.EOF {
			return nil, corrupt("it goes on behind its end, at byte %d", r.stream.Offset)
		}
		r.ended = true
		return nil, io.EOF
	}
	t := &Tick{Number: at}
	for range d.Count(8) {
		key := d.Text()
		t.Inputs = append(t.Inputs, Input{key, []byte(d.Text())})
	}
	hashed := d.U32()
	if t.Hashed = hashed == 1; t.Hashed {
		t.Hash = d.U64()
	}
	for range d.Count(8) {
		own := systemTurn{system: d.Text()}
		for range d.Count(12) {
			name := d.Text()
			own.columns = append(own.columns, columnSum{name, d.U64()})
		}
		t.turns = append(t.turns, own)
	}
	if r.version > 1 {
		t.values = d.Take(d.U64())
	}
	if kind != kindTick || at != r.ticks+1 || hashed > 1 || !d.Done() {
		return nil, corrupt("tick %d is followed by what is no tick", r.ticks)
	}
	r.ticks++
	return t, nil
}

// Replay repeats the ticks of a recording. For each tick it calls step, which must apply the inputs
// and advance the world by one tick. Replay returns the first tick whose result differs, or nil if
// none does. If the recording was made with [BySystem], the result also contains the system and the
// component. If it was made with [Values], the result also contains the entity, the lane, and the recorded
// and the present value. If only some ticks have a hash, the result is the first tick with a hash that
// differs, and [Divergence.Skipped] ticks before it were not compared. If no tick has a hash, the error is of category
// [ErrNotCompared].
// If the hash of the world differs from the hash at the beginning of the recording, the error is of
// category ErrStart. If the world is closed, the error is of category ecs.ErrDisposed. Any other
// error is an error of step or of reading.
func Replay(from io.Reader, w *ecs.World, step func(t *Tick) error) (*Divergence, error) {
	if w == nil {
		return nil, fmt.Errorf("replay: Replay: the world is nil: %w", ecs.ErrArgument)
	}
	if err := checkOpen("Replay", w); err != nil {
		return nil, err
	}
	r, err := readFor(from, w)
	if err != nil {
		return nil, err
	}
	c := &verifier{world: w, recording: r}
	defer c.stop()
	for {
		t, err := c.next()
		if err == io.EOF {
			return nil, c.checkCompared()
		}
		if err != nil {
			return nil, err
		}
		if err := step(t); err != nil {
			return nil, fmt.Errorf("replay: tick %d: %w", t.Number, err)
		}
		if err := checkOpen("Replay", w); err != nil { // the step may have closed the world
			return nil, err
		}
		if d, err := c.compare(t); d != nil || err != nil {
			return d, err
		}
	}
}

// readFor begins reading a recording for a world, which must be in the state at its beginning.
func readFor(from io.Reader, w *ecs.World) (*Recording, error) {
	r, err := Read(from)
	if err != nil {
		return nil, err
	}
	if r.HashVersion != ecs.HashVersion {
		return nil, fmt.Errorf("replay: %w: hashes of version %d, and this release makes those of version %d", ErrVersion, r.HashVersion, ecs.HashVersion)
	}
	if hash := w.Hash(); hash != r.Start {
		return nil, fmt.Errorf("replay: %w: the hash is %016x, and was %016x", ErrStart, hash, r.Start)
	}
	return r, nil
}

// findInTurns finds the first system whose written values differ from the recording.
func (d *Divergence) findInTurns(a, b []systemTurn) bool {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i].system != b[i].system {
			d.System = append(slices.Clone(a), b[min(i, len(b)):]...)[i].system
			return true
		}
		for k := range max(len(a[i].columns), len(b[i].columns)) {
			if k >= len(a[i].columns) || k >= len(b[i].columns) || a[i].columns[k] != b[i].columns[k] {
				d.System = a[i].system
				d.Component = append(slices.Clone(a[i].columns), b[i].columns[min(k, len(b[i].columns)):]...)[k].component
				return true
			}
		}
	}
	return false
}

// Contrast returns the first difference of two recordings. The difference is in the hash of a
// tick. If both recordings were made with [BySystem], it may also be in the writes of a system. If both
// were made with [Values], it contains the entity, the lane and both values. Contrast
// returns nil if the recordings are equal up to the end of the shorter recording. The result n is the last
// tick after which both recordings have the same hash, so their first n ticks are equal. If no tick has a hash in both
// recordings, the error is of category [ErrNotCompared]. If the values of the tick cannot be read, Contrast returns the difference
// without the entity, the lane and the values, and an error.
func Contrast(a, b io.Reader) (d *Divergence, n uint64, err error) {
	x, err := Read(a)
	if err != nil {
		return nil, 0, fmt.Errorf("the first: %w", err)
	}
	y, err := Read(b)
	if err != nil {
		return nil, 0, fmt.Errorf("the second: %w", err)
	}
	switch {
	case x.HashVersion != y.HashVersion:
		return nil, 0, fmt.Errorf("replay: %w: hashes of versions %d and %d", ErrVersion, x.HashVersion, y.HashVersion)
	case x.Start != y.Start:
		return nil, 0, fmt.Errorf("replay: %w: the hashes are %016x and %016x", ErrStart, x.Start, y.Start)
	}
	turned := false
	var has [2]coverage
	for {
		t, err := x.Next()
		u, err2 := y.Next()
		switch {
		case err == io.EOF || err2 == io.EOF:
			if ticks := min(x.ticks, y.ticks); ticks > 0 && n == 0 && !turned {
				return nil, 0, fmt.Errorf("replay: %w: no tick up to %d has a hash in both recordings, which were made with replay.Every(%d) and replay.Every(%d): record both runs again with a smaller number", ErrNotCompared, ticks, x.Every, y.Every)
			}
			return nil, n, nil
		case err != nil:
			return nil, n, fmt.Errorf("the first: %w", err)
		case err2 != nil:
			return nil, n, fmt.Errorf("the second: %w", err2)
		}
		has[0].add(t)
		has[1].add(u)
		d := &Divergence{Tick: t.Number, A: t.Hash, B: u.Hash, recorded: has}
		hashed, bySystem := t.Hashed && u.Hashed, len(t.turns) > 0 && len(u.turns) > 0
		turned = turned || bySystem
		switch {
		case bySystem && d.findInTurns(t.turns, u.turns):
			return d, n, d.findInFiles(t.values, u.values)
		case hashed && t.Hash != u.Hash:
			d.Skipped = t.Number - 1 - n
			return d, n, d.findInFiles(t.values, u.values)
		case hashed:
			n = t.Number
		}
	}
}

// findInFiles finds the first difference of two snapshots, if both were recorded. It needs no types, because another
// version of the program may have recorded other types.
func (d *Divergence) findInFiles(a, b []byte) error {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	x, err := untyped.Read(bytes.NewReader(a))
	y, err2 := untyped.Read(bytes.NewReader(b))
	if err := errors.Join(err, err2); err != nil {
		return fmt.Errorf("replay: the values after tick %d: %w", d.Tick, err)
	}
	// If the component is known, earlier differences of others may come from later systems.
	if first, differ := diff.FirstIn(diff.Files(x, y), d.Component); differ {
		d.First, d.Component, d.Exact = first, cmp.Or(d.Component, first.Component), true
	}
	return nil
}

// corrupt returns an error of category ErrCorrupt.
func corrupt(text string, args ...any) error {
	return fmt.Errorf("replay: %w: %s", ErrCorrupt, printable.Line(fmt.Sprintf(text, args...)))
}

// readFrame reads a frame and verifies its checksum.
func (r *Recording) readFrame() (kind uint32, d *frames.In, err error) {
	f, err := r.stream.Next(nil)
	if err != nil {
		return 0, nil, r.streamError(err)
	}
	if !f.Whole() {
		return 0, nil, corrupt("the frame at byte %d was changed", f.Offset)
	}
	return f.Kind(), f.Body(), nil
}

// streamError converts an error of frames.Reader to an error of this package.
func (r *Recording) streamError(err error) error {
	if long := (*frames.TooLong)(nil); errors.As(err, &long) {
		return corrupt("%v; the limit is %d", long, maxFrameBytes)
	}
	if frames.Ended(err) {
		return corrupt("it ends in the frame at byte %d", r.stream.Offset)
	}
	return fmt.Errorf("replay: read at byte %d: %w", r.stream.Offset, err)
}
