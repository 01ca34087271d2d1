package inspect

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// maxEdits is the largest number of edits of a world that can be undone. maxEntries is the largest number of entries about edits in an
// answer about the journal.
const (
	maxEdits   = 1000
	maxEntries = 100
)

// An edit is one change that a client has made to a world. It can be undone, and then be made again.
type edit struct {
	op   string // the operation in the journal, for example "Set"
	text string // what it changed, for a person; apply sets it
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
	played   func() error // if not nil, it is called after the commands were played
}

// editLog holds the edits of a world. It stays when the view of the world ends, so that a client can undo an edit later too. Only
// the owner of the world uses it.
//
// Invariant: the edits in list[:done] are made, in this order, and those in list[done:] are undone. So only the last edit
// that is made is undone, and only the first undone one is made again.
type editLog struct {
	list []*edit
	done int

	// replaced maps an entity that an edit has created, and that was destroyed again, to the entity that
	// takes its place, because an id is never used twice.
	replaced map[ecs.Entity]ecs.Entity

	entries []Change // the last entries in the journal about edits; they stay here when the ring of the journal no longer has them
}

// current returns the entity that takes the place of an entity.
func (g *editLog) current(e ecs.Entity) ecs.Entity {
	for {
		next, ok := g.replaced[e]
		if !ok {
			return e
		}
		e = next
	}
}

// replace notes that one entity takes the place of another one.
func (g *editLog) replace(old, e ecs.Entity) {
	if old.IsZero() || old == e {
		return
	}
	if g.replaced == nil {
		g.replaced = map[ecs.Entity]ecs.Entity{}
	}
	g.replaced[old] = e
}

// add adds an edit that was made. The edits that were undone can no longer be made again.
func (g *editLog) add(e *edit) {
	g.list = append(g.list[:g.done], e)
	if len(g.list) > maxEdits {
		g.list = slices.Delete(g.list, 0, len(g.list)-maxEdits)
	}
	g.done = len(g.list)
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

// makeEdit makes a new edit between two frames, and adds it to the log of the world.
func (v *view) makeEdit(ctx context.Context, e *edit) (frame uint64, err error) {
	_, err = v.runBetween(ctx, e.op, func(l *ownerSlice) (bool, error) {
		if err := l.checkNotLent(); err != nil {
			return false, err
		}
		frame = v.lastFrame.Load()
		if err := v.applyEdit(e, false, ""); err != nil {
			return false, err
		}
		v.edits.add(e)
		return false, nil
	})
	return frame, err
}

// applyEdit makes an edit or undoes it, and adds it to the journal. before is the beginning of the text in the journal. Only the owner calls it.
func (v *view) applyEdit(e *edit, undo bool, before string) error {
	x := &editing{edit: e, view: v, world: v.world, log: v.edits, commands: v.world.NewCommands()}
	x.commands.SetName("inspect")
	entities := v.world.Len()
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

// undoEdit undoes the last edit, or makes the last undone edit again. An edit for which this fails is removed from the log, because
// it would block the edits before it.
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
		if err := v.applyEdit(e, undo, before); err != nil {
			if g.list = slices.Delete(g.list, at, at+1); undo {
				g.done--
			}
			return false, &stateError{fmt.Sprintf("cannot %s %s: %v", op, e.text, err)}
		}
		if g.done = at; !undo {
			g.done++
		}
		out.Frame, out.What = v.lastFrame.Load(), e.text
		out.Undo, out.Redo = g.texts()
		return false, nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
