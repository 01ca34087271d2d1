package inspect

import (
	"context"
	"slices"
)

// keptChanges is how many entries the journal of a world has room for.
const keptChanges = 1000

// Change is an entry of the journal: what one system did to the structure of the world in
// one frame by one operation.
type Change struct {
	Frame  uint64 `json:"frame"`
	System string `json:"system"` // empty: between the updates of systems
	Op     string `json:"op"`     // the function, as "Spawn" or "Destroy"
	Times  int    `json:"times"`
	More   int    `json:"more"`  // entities that it made
	Fewer  int    `json:"fewer"` // entities that it ended
}

// journal is the ring of the changes of a world.
type journal struct {
	ring     []Change
	next     uint64   // number of the entries so far
	frame    []Change // of the frame that is going on
	last     int      // of these, the one whose change is under way
	entities int      // how many there were before it
}

// commit is called just before a structural change is made.
func (v *view) commit(op string) {
	j := &v.journal
	j.settle(v.world.Len())
	who := v.world.Plumbing().Running()
	for k := range j.frame {
		if j.frame[k].Op == op && j.frame[k].System == who {
			j.frame[k].Times++
			j.last = k
			return
		}
	}
	j.frame = append(j.frame, Change{System: who, Op: op, Times: 1})
	j.last = len(j.frame) - 1
}

// settle says how many entities there are after the change that was made last.
func (j *journal) settle(entities int) {
	if d := entities - j.entities; len(j.frame) > 0 && d > 0 {
		j.frame[j.last].More += d
	} else if len(j.frame) > 0 {
		j.frame[j.last].Fewer -= d
	}
	j.entities = entities
}

// flush puts the changes of a frame into the ring.
func (j *journal) flush(frame uint64, entities int) {
	j.settle(entities)
	for _, c := range j.frame {
		c.Frame = frame
		if len(j.ring) < keptChanges {
			j.ring = append(j.ring, c)
		} else {
			j.ring[j.next%keptChanges] = c
		}
		j.next++
	}
	j.frame, j.last = j.frame[:0], 0
}

// since appends the entries from the one of a number on.
func (j *journal) since(list []Change, number uint64) (first uint64, _ []Change) {
	first = max(number, j.next-uint64(len(j.ring)))
	for n := first; n < j.next; n++ {
		list = append(list, j.ring[n%keptChanges])
	}
	return first, list
}

// Journal is the answer of /api/journal.
type Journal struct {
	Frame   uint64   `json:"frame"`
	Next    uint64   `json:"next"` // to ask for the entries after these: since=next
	Lost    uint64   `json:"lost"` // entries after since that the ring no longer has
	Changes []Change `json:"changes"`
}

func (v *view) journalPage(ctx context.Context, since uint64) (*Journal, error) {
	out := &Journal{Changes: []Change{}}
	_, err := v.at(ctx, "journal", func(l *look) (bool, error) {
		j := &v.journal
		first, list := j.since(slices.Grow(out.Changes, len(j.ring)), since)
		if since > j.next {
			first = j.next // the client knows another run
		}
		out.Changes, out.Next, out.Lost, out.Frame = list, j.next, first-min(since, first), v.number.Load()
		return false, nil
	})
	if err != nil {
		return nil, err // the owner may have it still
	}
	for k := range out.Changes {
		out.Changes[k].System = short(out.Changes[k].System)
	}
	return out, nil
}
