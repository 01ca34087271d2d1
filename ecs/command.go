package ecs

import (
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/lanewise/lanewise/jobs"
)

// Commands records changes to be made later, at Playback, in the order in which
// they were recorded. Add, Set, Ensure and Remove take it like a World.
//
// Create, Spawn and Instantiate return the id of an entity that is still to be
// made: its Index is below zero. Later commands of the same buffer may be for it.
// Components, elements and shared values given to any command of the buffer may refer
// to it, by whatever job they are recorded and also if they are played before the
// entity is made. Nothing else can use it.
//
// Recording is for one goroutine at a time; see Parallel for jobs. A block of a parallel
// loop, and the jobs that it schedules through its task, cannot record in the buffer
// itself, because the order of what several blocks record would depend on timing: that is an error of
// category ErrState. A block may record in a buffer that it has made, and in those of a world that it updates itself. A buffer that
// was played is empty again after Reset, with its memory. The zero Commands
// cannot be used: make one with World.NewCommands.
//
// A command may be for a [Target] of many entities. [Entities] are those of a list,
// and [Query.AppendEntities] lists what a query matches now. [Matching] is what
// it matches at playback.
type Commands struct {
	world    *World
	name     string
	recorder string // the system in whose update it was made
	id       int32  // the version of its placeholders
	played   bool
	broken   bool // a command has failed
	skip     bool
	replay   bool
	restores uint32 // of the world when it began
	commandList
	playing
	parallel []*parallel
	spare    int // how many of parallel are taken
	writing
	caller
}

// caller is what tells who records.
type caller struct {
	madeIn uint64        // the block in which the buffer was made; 0 for none
	block  atomic.Uint64 // the last block that has recorded since Reset while the world was idle; swapped by those that do
}

// commandList is what was recorded.
type commandList struct {
	list     []command
	data     []byte       // values
	boxes    []any        // shared and managed values
	types    []int32      // sets of types
	ids      []Entity     // targets of commands of many
	queries  []*Query     // the same
	promised int32        // placeholders given out
	made     []Entity     // what became of them, at playback
	seen     []*component // components used so far, to be found fast
}

// playing is scratch of Playback.
type playing struct {
	all     []*component // of the process
	meant   []Entity     // entities of a command of many
	value   []byte       // a value with the ids of entities that were made
	spawned []any        // values of one Spawn
	chains  []link
}

// writing is what the writer of a parallel buffer has, which is a Commands of its own.
type writing struct {
	owner *Commands
	home  *parallel
	of    any // the Chunk or the Task that it writes for
	key   sortKey
	parts []chain
}

// NewCommands returns a new, empty buffer. Keep it and Reset it: that allocates
// nothing.
func (w *World) NewCommands() *Commands {
	w.mustExist("NewCommands")
	return &Commands{world: w, name: "commands", recorder: w.gate.running, id: deferred.Add(-1), restores: w.hooks.restores,
		caller: caller{madeIn: jobs.CallerBlock()}}
}

// command is one recorded change.
type command struct {
	entity Entity // its target, or the source of Instantiate
	at     int    // of the value in data or boxes, of the set in types
	n      int32  // elements of the value, types of the set; 1 turns on, 0 off
	comp   int32  // the component's or the archetype's index
	made   int32  // the place in Commands.made of the entity that it makes; the component that Exchange takes
	many   int32  // the first of its entities in ids, or its query in queries
	count  int32  // how many entities
	op     opcode
	to     targetKind
}

// deferred counts the ids of buffers, of all worlds, downwards: any goroutine that makes one adds, and only that no two are alike matters.
var deferred atomic.Int32

// SetName gives the buffer a name for errors.
func (c *Commands) SetName(name string) { c.name = name }

// SetMultiPlayback makes the buffer one that can be played more than once, in its own
// world or in others, until Reset. Each time makes entities of its own; entities
// that the buffer has not made, and queries, are those of its own world.
func (c *Commands) SetMultiPlayback(on bool) { c.replay = on }

// SetSkip makes Playback do nothing but end the buffer, until Reset: for changes
// that turn out not to be wanted when jobs are recording them already.
func (c *Commands) SetSkip(on bool) { c.skip = on }

// Len returns how many commands are recorded, those of Parallel included. It is
// not for jobs that are recording.
func (c *Commands) Len() int {
	n := len(c.list)
	for _, p := range c.parallel[:c.spare] {
		n += p.len()
	}
	return n
}

// Reset empties the buffer, played or not, and keeps its memory. Ids of entities
// that were still to be made end, as do its ParallelCommands: jobs that may still
// be recording are completed first.
func (c *Commands) Reset() {
	if c.world != nil {
		c.mustOwn("Commands.Reset")
	}
	if c.spare > 0 && !c.played {
		c.world.gate.report(c.world.complete("Commands.Reset"))
	}
	c.clear()
	for _, p := range c.parallel[:c.spare] {
		p.reset()
	}
	c.spare = 0
	c.played, c.broken, c.skip, c.replay, c.recorder = false, false, false, false, ""
	if c.block.Load() != 0 {
		c.block.Store(0)
	}
}

// outdate drops what was recorded before the world was restored: that is of a time which has
// not happened. What is to be played again and again is kept.
func outdate(c *Commands) {
	if c.owner == nil && !c.replay {
		c.clear()
		for _, p := range c.parallel[:c.spare] {
			p.reset()
		}
		c.spare = 0
	}
	c.restores = c.world.hooks.restores
}

// keepArchetype notes an archetype for a command, and returns its place.
func keepArchetype(c *Commands, a *archetype) (at int) {
	c.boxes = append(c.boxes, a)
	return len(c.boxes) - 1
}

func (c *Commands) clear() {
	clear(c.boxes)
	clear(c.queries)
	clear(c.spawned)
	c.list, c.data, c.boxes, c.types = c.list[:0], c.data[:0], c.boxes[:0], c.types[:0]
	c.ids, c.queries, c.spawned = c.ids[:0], c.queries[:0], c.spawned[:0]
	c.made, c.parts = c.made[:0], c.parts[:0]
	c.promised = 0
	c.id = deferred.Add(-1)
}

// Create makes an entity of archetype a at playback.
func (c *Commands) Create(a Archetype) (Entity, error) {
	const op = "Commands.Create"
	if err := c.open(op); err != nil {
		return Entity{}, err
	}
	arch, err := c.world.tables.archetypeKnown(op, a)
	if err != nil {
		return Entity{}, err
	}
	cmd := c.next(opCreate)
	cmd.at, cmd.made = keepArchetype(c, arch), c.promised
	return c.promise(), nil
}

// Spawn makes an entity of the given components at playback.
func (c *Commands) Spawn(values ...any) (Entity, error) {
	const op = "Commands.Spawn"
	if err := c.open(op); err != nil {
		return Entity{}, err
	}
	at := len(c.boxes)
	for _, v := range values {
		comp, err := componentOf(op, reflect.TypeOf(v))
		if err != nil {
			c.boxes = c.boxes[:at]
			return Entity{}, err
		}
		if comp.kind.has(isBuffer) {
			v = ownedBox(comp, v) // whatever becomes of the caller's elements
		}
		c.boxes = append(c.boxes, v)
	}
	cmd := c.next(opSpawn)
	cmd.at, cmd.n, cmd.made = at, int32(len(values)), c.promised
	return c.promise(), nil
}

// Instantiate copies e at playback.
func (c *Commands) Instantiate(e Entity) (Entity, error) {
	if err := c.target("Commands.Instantiate", e); err != nil {
		return Entity{}, err
	}
	cmd := c.next(opInstantiate)
	cmd.entity, cmd.made = e, c.promised
	return c.promise(), nil
}

// Destroy ends e at playback; it may have ended by then.
func (c *Commands) Destroy(e Entity) error {
	if err := c.target("Commands.Destroy", e); err != nil {
		return err
	}
	c.next(opDestroy).entity = e
	return nil
}

// Last returns the id of the entity that the latest Create, Spawn or Instantiate
// will make. It is an error of category ErrState if there was none.
func (c *Commands) Last() (Entity, error) {
	const op = "Commands.Last"
	if err := c.open(op); err != nil {
		return Entity{}, err
	}
	if c.promised == 0 {
		return Entity{}, c.fault(ErrState, op, "the buffer has made no entity yet")
	}
	return Entity{-c.promised, c.id}, nil
}

// promise returns the id of an entity that is to be made.
func (c *Commands) promise() Entity {
	c.promised++
	return Entity{-c.promised, c.id}
}

// open returns an error if nothing can be recorded.
func (c *Commands) open(op string) error {
	switch {
	case c == nil || c.world == nil:
		return fault(ErrState, op, "the buffer is the zero Commands: make it with World.NewCommands")
	case c.played || c.owner != nil && c.owner.played:
		return c.fault(ErrState, op, "the buffer was played: Reset it")
	case c.restores != c.world.hooks.restores:
		outdate(c)
	}
	if c.owner != nil {
		return nil
	}
	if block := jobs.CallerBlock(); block != 0 {
		return c.allow(op, block)
	}
	return nil
}

// allow returns an error if the buffer is not for the block that calls. What belongs to the owner is
// looked at for blocks alone: single jobs may record while it goes on.
func (c *Commands) allow(op string, block uint64) error {
	if block == c.madeIn || c.admits(block) {
		return nil
	}
	by := ""
	if _, busy := c.world.gate.ownerBlock(); busy { // otherwise the block that may record writes it now
		by = c.by()
	}
	return c.faultBy(by, ErrState, op, "a block of a parallel job cannot record here, because the order would depend on timing: take Commands.Parallel() before the job is scheduled, and record with For(chunk) or ForKey(task, key)")
}

// admits reports whether a block may record. While the world has jobs or is being updated, that is the block to which the
// world belongs. Otherwise the world may be each block's own: then the buffer is for one block of a loop.
func (c *Commands) admits(block uint64) bool {
	if own, busy := c.world.gate.ownerBlock(); busy {
		return block == own
	}
	for {
		old := c.block.Load()
		if old != block && old>>32 == block>>32 {
			return false
		}
		if c.block.CompareAndSwap(old, block) {
			return true
		}
	}
}

// mustOwn panics if the call comes from a block that the buffer is not for: it is for what has no error to return.
func (c *Commands) mustOwn(op string) {
	if c.owner != nil {
		return
	}
	if block := jobs.CallerBlock(); block != 0 {
		if err := c.allow(op, block); err != nil {
			panic(err)
		}
	}
}

// target returns an error if nothing can be recorded for e.
func (c *Commands) target(op string, e Entity) error {
	if err := c.open(op); err != nil {
		return err
	}
	if e.IsZero() {
		return c.fault(ErrState, op, "the target is the null entity")
	}
	return nil
}

func (c *Commands) fault(category error, op, text string, args ...any) *Error {
	return c.faultBy(c.by(), category, op, text, args...)
}

// faultBy is fault for a buffer whose commands were recorded by a system, or by none if that is "".
func (c *Commands) faultBy(by string, category error, op, text string, args ...any) *Error {
	e := fault(category, op, text, args...)
	e.World = c.world.gate.name
	if by != "" {
		by = ", recorded by " + by
	}
	e.buffer = fmt.Sprintf("buffer %q%s", c.label(), by)
	e.Text = e.buffer + ": " + e.Text
	return e
}

// by returns the system that has recorded the commands, or "".
func (c *Commands) by() string {
	if c.home != nil {
		return c.home.recorder
	}
	return c.recorder
}

// label returns the name of the buffer, or of the one that it writes for.
func (c *Commands) label() string {
	if c.owner != nil {
		return c.owner.name
	}
	return c.name
}

// recorded returns the component T, which was used before or is looked up.
func recorded[T any](c *Commands, op string) (*component, error) {
	k := keyOf[T]()
	for _, own := range c.seen {
		if own.key == k {
			return own, nil
		}
	}
	return c.component(op, k, reflect.TypeFor[T]())
}

// component returns the component of a key that was used before, or looks it up.
func (c *Commands) component(op string, k key, t reflect.Type) (*component, error) {
	for _, own := range c.seen {
		if own.key == k {
			return own, nil
		}
	}
	own, err := componentOf(op, t)
	if err == nil {
		c.seen = append(c.seen, own)
	}
	return own, err
}

// next appends a command, to be filled in where it lies: one that is made on the
// stack and copied is read in larger pieces than it was written in, for which the
// CPU waits until all of them have arrived.
func (c *commandList) next(code opcode) *command {
	c.list = append(c.list, command{})
	cmd := &c.list[len(c.list)-1]
	cmd.op = code
	return cmd
}

// recordValue records a command with a value of T.
func recordValue[T any](c *Commands, code opcode, e Entity, v *T) error {
	op := opNames[code]
	if err := c.target(op, e); err != nil {
		return err
	}
	comp, err := recorded[T](c, op)
	if err != nil {
		return err
	}
	at, n := keep(c, comp, v)
	cmd := c.next(code)
	cmd.entity, cmd.comp, cmd.at, cmd.n = e, int32(comp.index), at, n
	return nil
}

// commandOf returns a command with a value of T, which it keeps.
func commandOf[T any](op string, c *Commands, code opcode, v *T) (command, error) {
	comp, err := recorded[T](c, op)
	if err != nil {
		return command{}, err
	}
	at, n := keep(c, comp, v)
	return command{op: code, comp: int32(comp.index), at: at, n: n}, nil
}

// keep keeps a value of T, and returns where it is and how many elements it has if
// T is a buffer.
func keep[T any](c *Commands, comp *component, v *T) (at int, n int32) {
	switch {
	case comp.kind&(isShared|isManaged) != 0:
		c.boxes = append(c.boxes, *v)
		return len(c.boxes) - 1, 0
	case comp.kind.has(isBuffer):
		values, n := contentOf(v, comp.buffer.size)
		return c.put(values), int32(n)
	}
	at = c.room(int(comp.size))
	if comp.size > 0 {
		*valueAt[T](c.data, at) = *v
	}
	return at, 0
}

// recordAppend records that elements are added to a buffer.
func recordAppend[T any](c *Commands, e Entity, elements []T) error {
	op := opNames[opAppend]
	if err := c.target(op, e); err != nil {
		return err
	}
	comp, err := recorded[Buffer[T]](c, op)
	if err != nil {
		return err
	}
	at := c.put(sliceBytes(elements))
	cmd := c.next(opAppend)
	cmd.entity, cmd.comp, cmd.at, cmd.n = e, int32(comp.index), at, int32(len(elements))
	return nil
}

// recordType records a command with the type T.
func recordType[T any](c *Commands, code opcode, e Entity) error {
	op := opNames[code]
	if err := c.target(op, e); err != nil {
		return err
	}
	comp, err := recorded[T](c, op)
	if err != nil {
		return err
	}
	cmd := c.next(code)
	cmd.entity, cmd.comp = e, int32(comp.index)
	return nil
}

// recordEnabled records that a component is turned on or off.
func recordEnabled[T any](c *Commands, e Entity, on bool) error {
	if err := recordType[T](c, opSetEnabled, e); err != nil || !on {
		return err
	}
	c.list[len(c.list)-1].n = 1
	return nil
}

// typesOf returns a command with a set of types, which it keeps.
func (c *Commands) typesOf(op string, code opcode, terms []Term) (command, error) {
	at := len(c.types)
	for _, t := range terms {
		if t.typ == nil || t.mode > modeWith { // Read, Write and With say that a type is there, and come first
			c.types = c.types[:at]
			return command{}, c.fault(ErrArgument, op, "%v is no type of an archetype: use With", t)
		}
		comp, err := c.component(op, typeKey(t.typ), t.typ)
		if err != nil {
			c.types = c.types[:at]
			return command{}, err
		}
		c.types = append(c.types, int32(comp.index))
	}
	return command{op: code, at: at, n: int32(len(terms))}, nil
}

// minData is the first size of a buffer's memory for values. It is large enough
// for the heap to align it to 8 bytes, as values must be.
const minData = 256

// put appends a value to the data and returns where it is.
func (c *commandList) put(value []byte) int {
	at := c.room(len(value))
	copy(c.data[at:], value)
	return at
}

// room appends so many bytes, which are zero, to the data and returns where they are.
func (c *commandList) room(n int) int {
	if c.data == nil {
		c.data = make([]byte, 0, minData)
	}
	at, room := len(c.data), (n+7)&^7
	if cap(c.data)-at < room {
		c.data = slices.Grow(c.data, room)
	}
	c.data = c.data[:at+room]
	if n < room {
		clear(c.data[at+room-8:])
	}
	return at
}

// opcode says what a command does.
type opcode uint8

const (
	opCreate opcode = iota
	opSpawn
	opInstantiate
	opDestroy
	opAdd
	opSet
	opAppend
	opEnsure
	opRemove
	opAddTypes
	opRemoveTypes
	opSetEnabled
	opSetActive
	opSetArchetype
	opExchange
)

// opNames are the operations that can be recorded, by the names of the functions that do them now.
var opNames = [...]string{opCreate: "Create", opSpawn: "Spawn", opInstantiate: "Instantiate", opDestroy: "Destroy", opAdd: "Add", opSet: "Set", opAppend: "AppendBuffer",
	opEnsure: "Ensure", opRemove: "Remove", opAddTypes: "AddTypes", opRemoveTypes: "RemoveTypes", opSetEnabled: "SetEnabled",
	opSetActive: "SetActive", opSetArchetype: "SetArchetype", opExchange: "Exchange"}

// ParallelCommands lets jobs record into a buffer. What they record is played in
// the order of their chunks, or of the keys that they give, so the result is the
// same for any number of workers, before what the buffer recorded itself.
type ParallelCommands struct {
	p     *parallel
	stamp uint32
}

// parallel is the writers of a ParallelCommands, by worker; the first is the
// owner's.
type parallel struct {
	owner    *Commands
	recorder string // the system in whose update it was taken
	stamp    uint32 // counts how often it ended
	order    uint32 // of the jobs before it
	workers  perWorker[writers]
}

// writers are the writers of one worker. It has more than one if a job waits
// inside a chunk, and others run meanwhile, or if queries show it different
// Chunks.
type writers struct {
	list []*Commands
	_    [40]byte // a cache line each
}

// sortKey orders what jobs have recorded: by job, in the order in which they
// were scheduled, then by chunk.
type sortKey struct {
	order uint32
	index int
}

// chain is what a writer has recorded for one chunk: from start to the start of
// the next chain.
type chain struct {
	key   sortKey
	start int
}

// Parallel returns the buffer for jobs. Take it on the world's goroutine and
// keep it in the job; it ends when the buffer is played or Reset. It panics with an *Error in a
// block of a parallel job, as Reset does.
func (c *Commands) Parallel() ParallelCommands {
	if c.world != nil {
		c.mustOwn("Commands.Parallel")
	}
	if c.world != nil && c.restores != c.world.hooks.restores {
		outdate(c)
	}
	if c.spare == len(c.parallel) {
		p := &parallel{owner: c}
		if c.world != nil {
			p.workers.grow(c.world.gate.workers().Workers() + 1)
		}
		c.parallel = append(c.parallel, p)
	}
	p := c.parallel[c.spare]
	c.spare++
	if c.world != nil {
		c.world.gate.jobs.order++
		p.recorder, p.order = c.world.gate.running, c.world.gate.jobs.order
	}
	return ParallelCommands{p, p.stamp}
}

// For returns the writer of a chunk, which records until the job goes on to the
// next chunk. It panics with an *Error if the ParallelCommands is not one of
// Commands.Parallel, or has ended.
func (p ParallelCommands) For(c *Chunk) *Commands {
	const op = "ParallelCommands.For"
	p.check(op)
	c.check(op)
	w := p.p.writer(int(c.worker), c)
	w.begin(sortKey{c.order, c.index})
	return w
}

// ForKey returns the writer for a sort key, in a job that is not over a query: it
// records until ForKey is called in the task again. What is recorded is played in
// the order of the keys, after that of jobs over queries that were scheduled
// before Parallel was called and before that of those scheduled since. A key is
// for one task only, as the first index of its block is, [jobs.Task.Lo]; then the
// result is the same for any number of workers. It panics as For does.
func (p ParallelCommands) ForKey(t *jobs.Task, key int) *Commands {
	p.check("ParallelCommands.ForKey")
	w := p.p.writer(t.Worker(), t)
	w.begin(sortKey{p.p.order, key})
	return w
}

// check panics if nothing can be recorded.
func (p ParallelCommands) check(op string) {
	switch {
	case p.p == nil || p.p.owner.world == nil:
		panic(fault(ErrState, op, "the buffer is the zero ParallelCommands: make it with Commands.Parallel"))
	case p.p.owner.restores != p.p.owner.world.hooks.restores && !p.p.owner.replay:
		panic(p.p.owner.fault(ErrDisposed, op, "the ParallelCommands ended when the world was restored: take another with Commands.Parallel"))
	case p.stamp != p.p.stamp:
		panic(p.p.owner.fault(ErrDisposed, op, "the ParallelCommands ended when the buffer was Reset: take another with Commands.Parallel"))
	}
}

// begin makes what comes next that of a key.
func (c *Commands) begin(k sortKey) {
	if len(c.parts) == 0 || c.key != k {
		c.key = k
		c.parts = append(c.parts, chain{k, len(c.list)})
	}
}

// writer returns the writer of a worker for a Chunk or a Task.
func (p *parallel) writer(worker int, of any) *Commands {
	ws := p.workers.at(worker + 1)
	for _, w := range ws.list {
		if w.of == of {
			return w
		}
	}
	w := &Commands{world: p.owner.world, id: deferred.Add(-1), writing: writing{owner: p.owner, home: p, of: of}}
	ws.list = append(ws.list, w)
	return w
}

func (p *parallel) len() int {
	n := 0
	for ws := range p.workers.all() {
		for _, w := range ws.list {
			n += len(w.list)
		}
	}
	return n
}

func (p *parallel) reset() {
	p.stamp++
	for ws := range p.workers.all() {
		for _, w := range ws.list {
			w.clear()
		}
	}
}

// String names the buffer and counts what it has recorded, without what jobs have: see [Commands.Len].
func (c *Commands) String() string {
	switch {
	case c == nil:
		return "<nil>"
	case c.world == nil:
		return "the zero Commands"
	case c.played:
		return fmt.Sprintf("buffer %q of world %q, played", c.name, c.world.gate.name)
	}
	return fmt.Sprintf("buffer %q of world %q: %s", c.name, c.world.gate.name, plural(len(c.list), "command", "commands"))
}
