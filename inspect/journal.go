package inspect

// keptChanges is how many entries the journal of a world has room for.
const keptChanges = 1000

// Change is an entry of the journal: what one system did, by itself or by commands it recorded, to the structure of the world in
// one frame by one operation.
type Change struct {
	Frame  uint64 `json:"frame"`
	System string `json:"system"` // that made it, or recorded the command that did; empty: between the updates of systems
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

// change notes one that a system is about to make, while there are so many entities.
func (j *journal) change(op, system string, entities int) {
	j.settle(entities)
	for k := range j.frame {
		if j.frame[k].Op == op && j.frame[k].System == system {
			j.frame[k].Times++
			j.last = k
			return
		}
	}
	j.frame = append(j.frame, Change{System: system, Op: op, Times: 1})
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
