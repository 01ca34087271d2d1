package ecs

import (
	"fmt"
	"reflect"
	"sync/atomic"

	"github.com/lanewise/lanewise/jobs"
)

// Commands is a command buffer, like Unity's EntityCommandBuffer. It records changes and defers
// them until [Commands.Playback] applies them, in the order in which they were recorded. Add, Set,
// Ensure and Remove accept either a World or a Commands.
//
// Create, Spawn and Instantiate return the id of an entity that does not exist yet; its Index is
// negative. Later commands of the same buffer may have this id as their target. A component, a
// buffer element or a shared value in any command of the buffer may contain it too. Jobs may record
// the commands in any order, and playback replaces the id even before the entity is created. No
// other function accepts such an id.
//
// Only one goroutine at a time may record. Jobs record with [Commands.Parallel]. A block of a
// parallel loop cannot record in the buffer itself, because the order of the commands would depend
// on timing. A job that the block schedules through its task cannot record in the buffer either.
// The error for such a call is of category ErrState. But a block can record in a buffer that the
// block has created, and in buffers of a world that the block itself updates. After playback,
// Reset empties the buffer and keeps its memory, so that recording does not allocate in the steady
// state. The zero Commands cannot be used: create one with World.NewCommands.
//
// The target of a command may consist of many entities; see [Target]. [Entities] is a list of ids,
// and [Query.AppendEntities] fills such a list with the current matches of a query. [Matching] is
// the set of entities that a query matches at playback.
type Commands struct {
	world          *World
	name           string
	recorderSystem string // the system during whose update the buffer was created
	bufferID       int32  // the Version of the ids that the buffer returns
	played         bool
	hasFailed      bool // a command has failed
	skipPlayback   bool
	multiPlayback  bool
	restoreCount   uint32 // the world's count of restores when recording began
	commandList
	playbackScratch
	writerSets     []*writerSet
	writerSetsUsed int // number of elements of parallel that are in use
	writerState
	recordingBlock
}

// recordingBlock identifies the block that records, so that the buffer can refuse a block that must
// not record.
type recordingBlock struct {
	creatorBlock uint64        // the block that created the buffer; 0 if no block did
	lastBlock    atomic.Uint64 // last block that recorded since Reset while the world was idle; blocks race for it, so they swap it atomically
}

// commandList holds the recorded commands with their values.
type commandList struct {
	commands       []command
	valueBytes     []byte       // values of components and buffer elements
	boxedValues    []any        // shared and managed values, and archetypes
	typeSets       []int32      // sets of component types
	targetIDs      []Entity     // targets of commands for lists
	targetQueries  []*Query     // targets of commands for queries
	deferredCount  int32        // number of ids returned for entities that do not exist yet
	createdIDs     []Entity     // the entities created for these ids, at playback
	usedComponents []*component // components used so far; few, so that a linear search finds them fast
}

// playbackScratch is scratch memory of Playback.
type playbackScratch struct {
	allComponents []*component // all components of the process
	targetScratch []Entity     // target entities of the current command
	valueScratch  []byte       // current value, with the ids of created entities
	spawnValues   []any        // values of the current Spawn
	orderedChains []orderedChain
}

// writerState is the state of a Commands that is a writer: it records for one worker of a
// parallel buffer.
type writerState struct {
	buffer         *Commands
	writerSet      *writerSet
	recordsFor     any // the Chunk or the Task for which it records
	chainKey       sortKey
	recordedChains []commandChain
}

// NewCommands returns a new, empty command buffer. It allocates, so keep the buffer and Reset it
// after each playback.
func (w *World) NewCommands() *Commands {
	w.mustNotBeNil("NewCommands")
	return &Commands{world: w, name: "commands", recorderSystem: w.gate.runningSystem, bufferID: lastBufferID.Add(-1), restoreCount: w.hooks.restoreCount,
		recordingBlock: recordingBlock{creatorBlock: jobs.CallerBlock()}}
}

// lastBufferID is the id of the newest command buffer of all worlds. It counts down. The order between
// goroutines does not matter, because the ids only have to be unique.
var lastBufferID atomic.Int32

// SetName sets the name of the buffer, which its errors show. The default is "commands".
func (c *Commands) SetName(name string) { c.name = name }

// SetMultiPlayback allows the buffer to be played several times, in its own world or in other
// worlds. The setting is valid until Reset. For example, a recorded level can be played into each
// new world. Each playback creates new entities. Queries and ids of existing entities always
// refer to the buffer's own world.
func (c *Commands) SetMultiPlayback(on bool) { c.multiPlayback = on }

// SetSkip makes the next Playback discard the commands, until Reset. Use it if jobs are recording
// already and the changes turn out to be unwanted.
func (c *Commands) SetSkip(on bool) { c.skipPlayback = on }

// Len returns the number of recorded commands, including the commands of Parallel. Do not call it
// while jobs record.
func (c *Commands) Len() int {
	n := len(c.commands)
	for _, p := range c.writerSets[:c.writerSetsUsed] {
		n += p.len()
	}
	return n
}

// Reset empties the buffer and keeps its memory. The buffer may or may not have been played. The
// ids that Create, Spawn and Instantiate have returned become invalid, and so do the buffer's
// ParallelCommands. Reset first completes jobs that may still be recording. Reset panics with an
// *Error in a block of a parallel job that must not record in the buffer.
func (c *Commands) Reset() {
	if c.world != nil {
		c.mustBeOwner("Commands.Reset")
	}
	if c.writerSetsUsed > 0 && !c.played {
		c.world.gate.addJobError(c.world.completeJobs("Commands.Reset"))
	}
	c.clear()
	for _, p := range c.writerSets[:c.writerSetsUsed] {
		p.reset()
	}
	c.writerSetsUsed = 0
	c.played, c.hasFailed, c.skipPlayback, c.multiPlayback, c.recorderSystem = false, false, false, false, ""
	if c.lastBlock.Load() != 0 {
		c.lastBlock.Store(0)
	}
}

// dropOutdated drops the commands that were recorded before the world was restored, because the restored
// world never reached the state in which they were recorded. A buffer for several playbacks keeps
// its commands.
func dropOutdated(c *Commands) {
	if c.buffer == nil && !c.multiPlayback {
		c.clear()
		for _, p := range c.writerSets[:c.writerSetsUsed] {
			p.reset()
		}
		c.writerSetsUsed = 0
	}
	c.restoreCount = c.world.hooks.restoreCount
}

func (c *Commands) clear() {
	clear(c.boxedValues)
	clear(c.targetQueries)
	clear(c.spawnValues)
	c.commands, c.valueBytes, c.boxedValues, c.typeSets = c.commands[:0], c.valueBytes[:0], c.boxedValues[:0], c.typeSets[:0]
	c.targetIDs, c.targetQueries, c.spawnValues = c.targetIDs[:0], c.targetQueries[:0], c.spawnValues[:0]
	c.createdIDs, c.recordedChains = c.createdIDs[:0], c.recordedChains[:0]
	c.deferredCount = 0
	c.bufferID = lastBufferID.Add(-1)
}

// Create records the creation of an entity with the components of archetype a, as World.Create
// does. The values are zero. The returned id is valid only in this buffer. The error is of category
// ErrArgument if a is the zero Archetype or belongs to another world, and ErrState if the buffer
// was played.
func (c *Commands) Create(a Archetype) (Entity, error) {
	const op = "Commands.Create"
	if err := c.checkCanRecord(op); err != nil {
		return Entity{}, err
	}
	arch, err := c.world.tables.checkArchetype(op, a)
	if err != nil {
		return Entity{}, err
	}
	cmd := c.appendCommand(opCreate)
	cmd.valueIndex, cmd.createdIndex = storeArchetype(c, arch), c.deferredCount
	return c.newDeferredID(), nil
}

// Spawn records the creation of an entity with the given components, as World.Spawn does. The
// buffer keeps the values until playback. The returned id is valid only in this buffer. The error
// is of category ErrArgument if a value is no component, and ErrState if the buffer was played.
func (c *Commands) Spawn(values ...any) (Entity, error) {
	const op = "Commands.Spawn"
	if err := c.checkCanRecord(op); err != nil {
		return Entity{}, err
	}
	at := len(c.boxedValues)
	for _, v := range values {
		comp, err := c.componentOfType(op, reflect.TypeOf(v))
		if err != nil {
			c.boxedValues = c.boxedValues[:at]
			return Entity{}, err
		}
		if comp.kind.has(isBuffer) {
			v = copyBoxedBuffer(comp, v) // a copy, because the caller may change the elements before playback
		}
		c.boxedValues = append(c.boxedValues, v)
	}
	cmd := c.appendCommand(opSpawn)
	cmd.valueIndex, cmd.valueCount, cmd.createdIndex = at, int32(len(values)), c.deferredCount
	return c.newDeferredID(), nil
}

// Instantiate records the creation of a copy of e, as World.Instantiate does. The returned id is
// valid only in this buffer. The error is of category ErrState if e is the null entity or the
// buffer was played. If e does not exist, playback returns an error.
func (c *Commands) Instantiate(e Entity) (Entity, error) {
	if err := c.checkEntity("Commands.Instantiate", e); err != nil {
		return Entity{}, err
	}
	cmd := c.appendCommand(opInstantiate)
	cmd.entity, cmd.createdIndex = e, c.deferredCount
	return c.newDeferredID(), nil
}

// Destroy records that e is destroyed, as World.Destroy does. It is not an error if e no longer
// exists at playback. The error is of category ErrState if e is the null entity or the buffer was
// played.
func (c *Commands) Destroy(e Entity) error {
	if err := c.checkEntity("Commands.Destroy", e); err != nil {
		return err
	}
	c.appendCommand(opDestroy).entity = e
	return nil
}

// Last returns the id that the latest Create, Spawn or Instantiate has returned. The error is of
// category ErrState if there was none.
func (c *Commands) Last() (Entity, error) {
	const op = "Commands.Last"
	if err := c.checkCanRecord(op); err != nil {
		return Entity{}, err
	}
	if c.deferredCount == 0 {
		return Entity{}, c.fault(ErrState, op, "the buffer has made no entity yet")
	}
	return Entity{-c.deferredCount, c.bufferID}, nil
}

// newDeferredID returns the id for the next entity that the buffer will create.
func (c *Commands) newDeferredID() Entity {
	c.deferredCount++
	return Entity{-c.deferredCount, c.bufferID}
}

// checkCanRecord returns an error if the buffer cannot record now.
func (c *Commands) checkCanRecord(op string) error {
	switch {
	case c == nil || c.world == nil:
		return fault(ErrState, op, "the buffer is the zero Commands: make it with World.NewCommands")
	case c.played || c.buffer != nil && c.buffer.played:
		return c.fault(ErrState, op, "the buffer was played: Reset it")
	case c.restoreCount != c.world.hooks.restoreCount:
		dropOutdated(c)
	}
	if c.buffer != nil {
		return nil
	}
	if block := jobs.CallerBlock(); block != 0 {
		return c.checkBlock(op, block)
	}
	return nil
}

// checkBlock returns an error if the calling block must not record in the buffer. It reads the owner's
// state only for blocks, because a single job may record while the owner continues.
func (c *Commands) checkBlock(op string, block uint64) error {
	if block == c.creatorBlock || c.blockMayRecord(block) {
		return nil
	}
	by := ""
	if _, busy := c.world.gate.ownerBlock(); busy { // otherwise the block that may record is writing it
		by = c.recordedBy()
	}
	return c.faultBy(by, ErrState, op, "a block of a parallel job cannot record here, because the order would depend on timing: take Commands.Parallel() before the job is scheduled, and record with For(chunk) or ForKey(task, key)")
}

// blockMayRecord reports whether a block may record. While the world has jobs or is being updated, only the
// block that owns the world may record. At other times, several blocks may own the world one after the
// other. Then the buffer accepts only one block of each loop, because two blocks would record in an order
// that depends on timing.
func (c *Commands) blockMayRecord(block uint64) bool {
	if own, busy := c.world.gate.ownerBlock(); busy {
		return block == own
	}
	for {
		old := c.lastBlock.Load()
		if old != block && old>>32 == block>>32 {
			return false
		}
		if c.lastBlock.CompareAndSwap(old, block) {
			return true
		}
	}
}

// mustBeOwner panics if the calling block must not use the buffer. Methods that return no error use
// it.
func (c *Commands) mustBeOwner(op string) {
	if c.buffer != nil {
		return
	}
	if block := jobs.CallerBlock(); block != 0 {
		if err := c.checkBlock(op, block); err != nil {
			panic(err)
		}
	}
}

// checkEntity returns an error if the buffer cannot record a command for e.
func (c *Commands) checkEntity(op string, e Entity) error {
	if err := c.checkCanRecord(op); err != nil {
		return err
	}
	if e.IsZero() {
		return c.fault(ErrState, op, "the target is the null entity")
	}
	return nil
}

func (c *Commands) fault(category error, op, text string, args ...any) *Error {
	return c.faultBy(c.recordedBy(), category, op, text, args...)
}

// faultBy is like fault, for commands that a system has recorded. The parameter by is the name
// of the system, or "" outside of a system.
func (c *Commands) faultBy(by string, category error, op, text string, args ...any) *Error {
	e := fault(category, op, text, args...)
	e.World = c.world.gate.name
	if by != "" {
		by = ", recorded by " + by
	}
	e.bufferName = fmt.Sprintf("buffer %q%s", c.bufferName(), by)
	e.Text = e.bufferName + ": " + e.Text
	return e
}

// recordedBy returns the system that recorded the commands, or "".
func (c *Commands) recordedBy() string {
	if c.writerSet != nil {
		return c.writerSet.recorderSystem
	}
	return c.recorderSystem
}

// bufferName returns the name of the buffer; a writer has the name of its buffer.
func (c *Commands) bufferName() string {
	if c.buffer != nil {
		return c.buffer.name
	}
	return c.name
}

// String returns the names of the buffer and its world, and the number of recorded commands. The
// number does not include the commands of Parallel, because jobs may be recording them; see
// [Commands.Len].
func (c *Commands) String() string {
	switch {
	case c == nil:
		return "<nil>"
	case c.world == nil:
		return "the zero Commands"
	case c.played:
		return fmt.Sprintf("buffer %q of world %q, played", c.name, c.world.gate.name)
	}
	return fmt.Sprintf("buffer %q of world %q: %s", c.name, c.world.gate.name, plural(len(c.commands), "command", "commands"))
}
