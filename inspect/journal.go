package inspect

// keptChanges is the capacity of the journal of a world.
const keptChanges = 1000

// Change is an entry of the journal. It describes the structural changes that
// one system has made by one operation in one frame, directly or with recorded
// commands.
type Change struct {
	Frame  uint64 `json:"frame"`
	System string `json:"system"` // the system that made the change or recorded the command; empty between the updates of systems
	Op     string `json:"op"`     // the function, for example "Spawn" or "Destroy"
	Times  int    `json:"times"`
	More   int    `json:"more"`           // number of entities that it created
	Fewer  int    `json:"fewer"`          // number of entities that it destroyed
	What   string `json:"what,omitempty"` // of an edit by a client of the inspector: the values before and after it
}

// journal is a ring buffer of the changes of a world.
type journal struct {
	ring          []Change
	entryCount    uint64   // number of entries so far
	frame         []Change // changes of the frame in progress
	currentChange int      // index of the change in progress
	entities      int      // number of entities before it
}

// change begins a change by a system. entities is the number of entities before
// the change.
func (j *journal) change(op, system string, entities int) {
	j.settle(entities)
	for k := range j.frame {
		if j.frame[k].Op == op && j.frame[k].System == system {
			j.frame[k].Times++
			j.currentChange = k
			return
		}
	}
	j.frame = append(j.frame, Change{System: system, Op: op, Times: 1})
	j.currentChange = len(j.frame) - 1
}

// settle ends the change that change began. entities is the number of entities
// after the change.
func (j *journal) settle(entities int) {
	if d := entities - j.entities; len(j.frame) > 0 && d > 0 {
		j.frame[j.currentChange].More += d
	} else if len(j.frame) > 0 {
		j.frame[j.currentChange].Fewer -= d
	}
	j.entities = entities
}

// addEdit adds the entry of an edit between two frames. before and after are the numbers of entities. The changes of the
// frame in progress stay, because their frame has not ended.
func (j *journal) addEdit(c Change, before, after int) Change {
	j.settle(before)
	c.More, c.Fewer = max(after-before, 0), max(before-after, 0)
	j.append(c)
	j.entities = after
	return c
}

// flush moves the changes of a frame into the ring.
func (j *journal) flush(frame uint64, entities int) {
	j.settle(entities)
	for _, c := range j.frame {
		c.Frame = frame
		j.append(c)
	}
	j.frame, j.currentChange = j.frame[:0], 0
}

// append adds an entry to the ring.
func (j *journal) append(c Change) {
	if len(j.ring) < keptChanges {
		j.ring = append(j.ring, c)
	} else {
		j.ring[j.entryCount%keptChanges] = c
	}
	j.entryCount++
}

// appendSince appends the entries from the given number on.
func (j *journal) appendSince(list []Change, number uint64) (first uint64, _ []Change) {
	first = max(number, j.entryCount-uint64(len(j.ring)))
	for n := first; n < j.entryCount; n++ {
		list = append(list, j.ring[n%keptChanges])
	}
	return first, list
}
