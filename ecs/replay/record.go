package replay

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/ecs/system"
)

// Input is a value that comes from outside of the world, for example an action of a player or a
// message.
type Input struct {
	Key   string // identifies the peer that sends or receives the value
	Value []byte
}

// Option is an option of [Record].
type Option func(*Recorder)

// Every makes the Recorder write the hash of the world only after every n-th tick. Inputs are still
// recorded in each tick. Every panics if n is less than 1.
func Every(n int) Option {
	if n < 1 {
		panic(fmt.Sprintf("replay: Every: %d ticks: want 1 at least", n))
	}
	return func(r *Recorder) { r.hashInterval = uint32(n) }
}

// BySystem also records the writes of each system. For each component that a system declares to
// write, it records a hash. With these hashes, a replay finds the system and the component. For
// each system, this costs an image of the written chunks, and the hashes.
func BySystem() Option { return func(r *Recorder) { r.hashSystems = true } }

// Values also records all values of the world after each of the ticks from first to last, and the hash of the
// world. With these values, a replay finds the entity, the lane and both values. Each of these ticks makes the
// recording longer by a snapshot of the world. So record all ticks of a small world, or only those in
// which two runs part, as [Divergence.Advice] says. The snapshots do not contain the values of managed components,
// because the hash of the world ignores them. If another component cannot be written, for example a shared one
// that has a pointer, Tick returns an error of category [snapshot.ErrValue], and the recording ends before this
// tick. Values panics if first is 0, or greater than last.
func Values(first, last uint64) Option {
	if first < 1 || first > last {
		panic(fmt.Sprintf("replay: Values: ticks %d to %d: want 1 at least, in ascending order", first, last))
	}
	return func(r *Recorder) { r.firstValues, r.lastValues = first, last }
}

// Recorder writes a recording, or compares a run with one. Only the owner of the world may call its methods.
type Recorder struct {
	world        *ecs.World
	output       io.Writer
	hashInterval uint32
	hashSystems  bool
	tick         uint64
	inputs       []Input
	systemSums   *systemSums
	firstValues  uint64 // the first tick whose values are recorded; 0 if there is none
	lastValues   uint64
	verifier     *verifier // not nil if the Recorder compares, and writes nothing
	frame        frames.Out
	err          error
	closed       bool
}

// Record begins a recording of a world to a stream. Call Input for each input before a tick, Tick
// after each tick, and Close at the end. The error is the error of the stream. If the world is
// closed, the error is of category ecs.ErrDisposed.
func Record(to io.Writer, w *ecs.World, opts ...Option) (*Recorder, error) {
	r := &Recorder{world: w, output: to, hashInterval: 1}
	for i, o := range opts {
		if o == nil {
			panic(fmt.Sprintf("replay: Record: option %d is nil", i))
		}
		o(r)
	}
	switch {
	case to == nil:
		return nil, fmt.Errorf("replay: Record: the stream is nil: %w", ecs.ErrArgument)
	case w == nil:
		return nil, fmt.Errorf("replay: Record: the world is nil: make one with ecs.NewWorld: %w", ecs.ErrArgument)
	}
	if err := checkOpen("Record", w); err != nil {
		return nil, err
	}
	head := frames.Out{Buf: append([]byte(nil), magic[:]...)}
	head.U32(r.version())
	head.U32(ecs.HashVersion)
	if _, err := to.Write(head.Buf); err != nil {
		return nil, r.setFailed(err)
	}
	r.frame.Begin(kindHead)
	r.frame.Text(w.Name())
	r.frame.U32(r.hashInterval)
	r.frame.U64(w.Hash())
	if err := r.frame.Send(to); err != nil {
		return nil, r.setFailed(err)
	}
	if r.hashSystems {
		r.systemSums = newSystemSums(w)
	}
	return r, nil
}

// version returns the version of the format.
func (r *Recorder) version() uint32 {
	if r.firstValues > 0 {
		return Version
	}
	return 1
}

// checkOpen returns an error if w is closed, because hashing a closed world panics. It calls
// RemoveTypes without types for the null entity, because this changes nothing and fails if the
// world is closed.
func checkOpen(op string, w *ecs.World) error {
	if err := ecs.RemoveTypes(w, ecs.One(ecs.Entity{})); errors.Is(err, ecs.ErrDisposed) {
		return fmt.Errorf("replay: %s: world %q is closed: %w", op, w.Name(), ecs.ErrDisposed)
	}
	return nil
}

func (r *Recorder) setFailed(err error) error {
	r.err = fmt.Errorf("replay: record of tick %d: %w", r.tick, err)
	return r.err
}

// Input records an input of the next tick, or compares it with the recording. It copies value.
func (r *Recorder) Input(key string, value []byte) {
	r.inputs = append(r.inputs, Input{key, append([]byte(nil), value...)})
}

// Tick records the end of a tick, or compares the tick with the recording: see [Verify]. If the stream fails, Tick returns the error, and all
// later calls return the same error. If it panics, the panic reaches the caller, and all later calls return an error of category ecs.ErrState. If the world is closed, Tick records nothing and returns an
// error of category ecs.ErrDisposed.
func (r *Recorder) Tick() error {
	if r.err != nil {
		return r.err
	}
	if r.world == nil {
		return fmt.Errorf("replay: Tick: the recorder is the zero Recorder: make it with Record: %w", ecs.ErrState)
	}
	if r.closed {
		return fmt.Errorf("replay: Tick: the recording is closed: %w", ecs.ErrState)
	}
	if err := checkOpen("Tick", r.world); err != nil {
		return err
	}
	r.tick++
	if r.verifier != nil {
		inputs := r.inputs
		r.inputs = r.inputs[:0]
		r.err = fmt.Errorf("replay: tick %d: %w", r.tick, errStreamPanicked) // until the comparison returns
		r.err = r.verifier.tick(inputs)
		return r.err
	}
	o := &r.frame
	o.Begin(kindTick)
	o.U64(r.tick)
	o.U32(uint32(len(r.inputs)))
	for _, in := range r.inputs {
		o.Text(in.Key)
		o.Text(string(in.Value))
	}
	r.inputs = r.inputs[:0]
	valued := r.firstValues > 0 && r.firstValues <= r.tick && r.tick <= r.lastValues
	if valued || r.tick%uint64(r.hashInterval) == 0 {
		o.U32(1)
		o.U64(r.world.Hash())
	} else {
		o.U32(0)
	}
	var turns []systemTurn
	if r.systemSums != nil {
		turns = r.systemSums.takeTurns()
	}
	o.U32(uint32(len(turns)))
	for _, t := range turns {
		o.Text(t.system)
		o.U32(uint32(len(t.columns)))
		for _, c := range t.columns {
			o.Text(c.component)
			o.U64(c.sum)
		}
	}
	if r.version() > 1 {
		if err := r.appendValues(valued); err != nil {
			return r.setFailed(err)
		}
	}
	return r.sendFrame()
}

// appendValues adds a snapshot of the world to the frame, or the length 0 if the values of the tick are not
// recorded.
func (r *Recorder) appendValues(valued bool) error {
	if !valued {
		r.frame.U64(0)
		return nil
	}
	b, err := snapshotOf(r.world)
	if err != nil {
		return fmt.Errorf("the values for replay.Values: %w", err)
	}
	if len(b) > maxFrameBytes/2 {
		return fmt.Errorf("the values have %d bytes, and a recording holds up to %d in a tick: save an image with snapshot.Save: %w", len(b), maxFrameBytes/2, ecs.ErrRange)
	}
	r.frame.U64(uint64(len(b)))
	r.frame.Buf = append(r.frame.Buf, b...)
	return nil
}

// snapshotOf returns a snapshot of a world, without the values of managed components.
func snapshotOf(w *ecs.World) ([]byte, error) {
	m, err := ecs.Capture(w, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = m.Release() }()
	var b bytes.Buffer
	_, err = snapshot.Write(&b, m, snapshot.SkipManaged())
	return b.Bytes(), err
}

// errStreamPanicked is the error of all calls after the stream has panicked. Recording cannot
// continue, because it is unknown which part of the frame was written.
var errStreamPanicked = fmt.Errorf("the stream has panicked: %w", ecs.ErrState)

// sendFrame completes the current frame and writes it.
func (r *Recorder) sendFrame() error {
	returned := false
	defer func() {
		if !returned {
			_ = r.setFailed(errStreamPanicked)
		}
	}()
	err := r.frame.Send(r.output)
	returned = true
	if err != nil {
		return r.setFailed(err)
	}
	return nil
}

// Close ends the recording, or the comparison. It does not close the stream. A recording that was not closed can be
// read up to its last tick. If Tick has returned an error, the first Close returns the same error. Close of a
// comparison reads the rest of the recording. It returns an error of category [ErrNotCompared] if the run ended
// before the recording, or if no tick of the recording has a hash. So if neither Tick nor Close returns an error, the
// whole run is equal to the whole recording, as far as the recording has hashes. An error of category io.EOF, which
// Tick returns after the last tick of the recording, is not returned again.
func (r *Recorder) Close() error {
	if r.closed || r.world == nil {
		return nil
	}
	r.closed = true
	if r.systemSums != nil {
		r.systemSums.close()
	}
	if r.verifier != nil {
		r.verifier.stop()
		return r.verifier.closeError(r.err)
	}
	if r.err != nil {
		return r.err
	}
	r.frame.Begin(kindEnd)
	r.frame.U64(r.tick)
	return r.sendFrame()
}

// systemTurn holds the hashes of one system's writes in a tick.
type systemTurn struct {
	system  string
	columns []columnSum
}

// columnSum is the hash of a component in all chunks.
type columnSum struct {
	component string
	sum       uint64
}

// systemSums hashes the components that systems write.
type systemSums struct {
	world     *ecs.World
	lastImage *ecs.Image
	turns     []systemTurn
	stop      func()
}

func newSystemSums(w *ecs.World) *systemSums {
	s := &systemSums{world: w}
	s.stop = system.Watch(w, s)
	return s
}

// close ends the watch, and releases the last image.
func (s *systemSums) close() {
	s.stop()
	if s.lastImage != nil {
		_ = s.lastImage.Release()
		s.lastImage = nil
	}
}

// takeTurns returns the turns that were recorded since its last call.
func (s *systemSums) takeTurns() []systemTurn {
	t := s.turns
	s.turns = nil
	return t
}

// Before does nothing. It exists because every watcher needs a method Before.
func (s *systemSums) Before(*system.Instance) {}

// After hashes the components that the system has written.
func (s *systemSums) After(in *system.Instance, _ uint32, _ error) {
	m, err := ecs.Capture(s.world, s.lastImage)
	if err != nil { // the world is in use by a transaction; the hash of the tick covers these writes
		return
	}
	if s.lastImage != nil {
		_ = s.lastImage.Release()
	}
	s.lastImage = m
	_, writes := in.Components()
	t := systemTurn{system: in.Name()}
	for _, name := range writes {
		t.columns = append(t.columns, columnSum{name, 14695981039346656037})
	}
	if len(writes) > 0 {
		t.hashColumns(m)
	}
	s.turns = append(s.turns, t)
}

// hashColumns adds the columns of an image to the sums of the turn.
func (t *systemTurn) hashColumns(m *ecs.Image) {
	at := map[string]int{}
	for i, c := range t.columns {
		at[c.component] = i
	}
	places := map[any]int{}
	for _, c := range ecs.ComponentTypes() {
		if i, ok := at[c.Name]; ok && !c.Managed {
			places[c.Type] = i
		}
	}
	for p := range m.Columns() {
		if i, ok := places[p.Component]; ok {
			t.columns[i].sum = (t.columns[i].sum ^ p.Hash()) * 1099511628211
		}
	}
}
