package inspect

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// maxEdits is the largest number of edits of a world that can be undone. maxEditBytes is the largest number of bytes of the values that
// these edits hold; the last edit may hold more. maxEntries is the largest number of entries about edits in an answer about the journal.
const (
	maxEdits     = 1000
	maxEditBytes = 64 << 20
	maxEntries   = 100
)

// opRestore is the operation of an edit after which the world may use the same ids for other entities.
const opRestore = "Restore"

// An edit is one change that a client has made to a world. It can be undone, and then be made again.
type edit struct {
	op   string     // the operation in the journal, for example "Set"
	id   ecs.Entity // the entity that the request names; null if it names none
	of   *entityRef // the same entity, also when an undo or a redo has created it again; makeEdit sets it
	text string     // what it changed, for a person; apply sets it

	bytes int // about the number of bytes of the values that apply holds for the next undo or redo; apply sets it

	// apply makes the change, or undoes it. It records commands in x, which are played after it. A change that no command can make,
	// for example of a name, is made by apply itself.
	apply func(x *editing, undo bool) error
}

// editing is one application of an edit. Only the owner of the world uses it.
type editing struct {
	*edit
	view     *view
	world    *ecs.World
	log      *editLog
	commands *ecs.Commands
	first    bool         // the edit is being made for the first time
	played   func() error // if not nil, it is called after the commands were played
	answer   any          // a value for the answer of the request, which the edit does not hold
}

// editLog holds the edits of a world. It stays when the view of the world ends, so that a client can undo an edit later too. Only
// the owner of the world uses it.
//
// Invariant: the edits in list[:done] are made, in this order, and those in list[done:] are undone. So only the last edit
// that is made is undone, and only the first undone one is made again.
type editLog struct {
	list []*edit
	done int

	refs *refTable // the entities of the edits since the last restore that is made; a nil table is empty

	restoring bool   // an edit is restoring the world
	unhook    func() // removes the hook that forgets the edits when the program restores the world; nil if there is no hook

	entries []Change // the last entries in the journal about edits; they stay here when the ring of the journal no longer has them
}

// refTo returns the reference to an entity, which all edits of the entity share.
func (g *editLog) refTo(e ecs.Entity) *entityRef {
	if g.refs == nil {
		g.refs = newRefTable()
	}
	return g.refs.refTo(e)
}

// add adds an edit that was made. The edits that were undone can no longer be made again.
func (g *editLog) add(e *edit) {
	g.list = append(g.list[:g.done], e)
	g.done = len(g.list)
	g.trim()
}

// trim forgets the oldest edits if there are too many, or if they hold too many bytes. If that is not enough, it forgets the last ones
// that are undone. The edit that would be undone next stays.
func (g *editLog) trim() {
	total := 0
	for _, e := range g.list {
		total += e.bytes
	}
	drop := 0
	for ; g.done-drop > 1 && (len(g.list)-drop > maxEdits || total > maxEditBytes); drop++ {
		total -= g.list[drop].bytes
	}
	g.list, g.done = slices.Delete(g.list, 0, drop), g.done-drop
	n := len(g.list)
	for ; n > max(g.done, 1) && total > maxEditBytes; n-- {
		total -= g.list[n-1].bytes
	}
	g.list = slices.Delete(g.list, n, len(g.list))
}

// forget removes an edit that could not be undone or made again, because it would block the others. If it is a restore, the
// world lacks the entities of the edits on the other side of the restore, so these edits are removed too.
func (g *editLog) forget(at int, undo bool) {
	from, to := at, at+1
	if g.list[at].op == opRestore {
		if undo {
			from = 0
		} else {
			to = len(g.list)
		}
	}
	g.list = slices.Delete(g.list, from, to)
	g.done = from
}

// forgetOnRestore adds the hook that forgets all edits when the program restores the world, because the ids may then be those of
// other entities.
func (g *editLog) forgetOnRestore(w *ecs.World) {
	if g.unhook == nil {
		g.unhook = w.Hooks().OnRestore(func(*ecs.Image) {
			if !g.restoring {
				g.list, g.done, g.refs = nil, 0, nil
			}
		})
	}
}

// close forgets all edits, and removes the hook.
func (g *editLog) close() {
	g.list, g.done, g.refs = nil, 0, nil
	if g.unhook != nil {
		g.unhook()
		g.unhook = nil
	}
}

// texts returns the texts of the edits that would be undone and made again next; "" for none.
func (g *editLog) texts() (undo, redo string) {
	if g.done > 0 {
		undo = g.list[g.done-1].text
	}
	if g.done < len(g.list) {
		redo = g.list[g.done].text
	}
	return undo, redo
}

// editLogOf returns the log of a world, and removes those of closed worlds. Only the owner of the world calls it.
func (i *views) editLogOf(w *ecs.World) *editLog {
	open := map[uint64]bool{}
	for _, o := range system.Worlds() {
		open[system.WorldID(o)] = true
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	maps.DeleteFunc(i.editLogs, func(id uint64, _ *editLog) bool { return !open[id] })
	id := system.WorldID(w)
	if i.editLogs == nil {
		i.editLogs = map[uint64]*editLog{}
	}
	if i.editLogs[id] == nil {
		i.editLogs[id] = &editLog{}
	}
	return i.editLogs[id]
}

// errUnchanged is the error of a new edit that would change nothing. It is not an error of the request, but it is no edit either.
var errUnchanged = errors.New("inspect: the edit changes nothing")

// makeEdit makes a new edit between two frames, and adds it to the log of the world, unless it changes nothing.
func (v *view) makeEdit(ctx context.Context, e *edit) (answer any, frame uint64, err error) {
	_, err = v.runBetween(ctx, e.op, func(l *ownerSlice) (bool, error) {
		if err := l.checkNotLent(); err != nil {
			return false, err
		}
		frame = v.lastFrame.Load()
		v.edits.forgetOnRestore(v.world)
		e.of = v.edits.refTo(e.id)
		x := v.newEditing(e)
		x.first = true
		err := x.run(false, "")
		if answer = x.answer; errors.Is(err, errUnchanged) {
			return false, nil
		}
		if err == nil {
			v.edits.add(e)
		}
		return false, err
	})
	if err != nil {
		return nil, 0, err // the owner may still be writing the others, if the request gave up
	}
	return answer, frame, nil
}

// newEditing returns an application of an edit. Only the owner calls it.
func (v *view) newEditing(e *edit) *editing {
	return &editing{edit: e, view: v, world: v.world, log: v.edits, commands: v.world.NewCommands()}
}

// run makes an edit or undoes it, and adds it to the journal. before is the beginning of the text in the journal.
func (x *editing) run(undo bool, before string) error {
	v, e := x.view, x.edit
	x.commands.SetName("inspect")
	entities := v.world.Len()
	if e.op != opRestore {
		v.past.edited = true
	}
	v.editing = true // the journal has an entry for the edit, and none for its commands
	defer func() { v.editing = false }()
	err := e.apply(x, undo)
	if err == nil {
		err = x.commands.Playback(v.world)
	}
	if err == nil && x.played != nil {
		err = x.played()
	}
	if err == nil {
		c := v.journal.addEdit(Change{Frame: v.lastFrame.Load(), System: editor, Op: e.op, Times: 1, What: before + e.text}, entities, v.world.Len())
		if v.edits.entries = append(v.edits.entries, c); len(v.edits.entries) > maxEntries {
			v.edits.entries = slices.Delete(v.edits.entries, 0, 1)
		}
	}
	return err
}

// editor is the name in the journal for changes by clients of an inspector.
const editor = "inspector"

// Undone is the answer of /api/undo and /api/redo.
type Undone struct {
	Frame uint64 `json:"frame"` // the frame after which the edit was undone or made again
	What  string `json:"what"`  // the edit
	Undo  string `json:"undo"`  // the edit that the next /api/undo undoes; empty if there is none
	Redo  string `json:"redo"`  // the edit that the next /api/redo makes again; empty if there is none
}

// undoEdit undoes the last edit, or makes the last undone edit again. An edit for which this fails is removed from the log; see forget.
func undoEdit(ctx context.Context, v *view, undo bool) (*Undone, error) {
	op, before := "redo", "again: "
	if undo {
		op, before = "undo", "undo: "
	}
	out := &Undone{}
	_, err := v.runBetween(ctx, op, func(l *ownerSlice) (bool, error) {
		if err := l.checkNotLent(); err != nil {
			return false, err
		}
		g := v.edits
		at := g.done
		if undo {
			at--
		}
		if at < 0 || at == len(g.list) {
			return false, notFound("there is no edit to " + op)
		}
		e := g.list[at]
		if err := v.newEditing(e).run(undo, before); err != nil {
			g.forget(at, undo)
			return false, &stateError{fmt.Sprintf("cannot %s %s: %v", op, e.text, err)}
		}
		if g.done = at; !undo {
			g.done++
		}
		g.trim()
		out.Frame, out.What = v.lastFrame.Load(), e.text
		out.Undo, out.Redo = g.texts()
		return false, nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
