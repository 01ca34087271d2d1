package transform

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// plan is the order in which the matrices of all family trees are computed.
//
// Every entity that has children has a place in a flat list: the roots first,
// chunk by chunk, then the others, level by level. Every node knows its parent's
// place, where it finds out whether the parent has moved.
//
//	level 0     roots
//	level 1     segment, segment, …   world = the parent's × local
//	level 2     segment, …
//
// A segment is a run of rows of one chunk that are of one level. If their parents
// are all in one chunk, their matrices are read there, otherwise from copies, by
// place. Either way a row is computed from matrices that are there already, and
// alike whoever does it. Stages are done one after the other: one level with many
// rows, or several levels, in blocks that no other waits for.
type plan[T kernels.Float] struct {
	since    uint32      // the version of the last update
	fresh    bool        // the places are not filled yet
	anything atomic.Bool // something has changed

	matrices kernels.Mat4s[T]   // by place: copies, of the chunks that are shared
	changed  []byte             // by place: 1 if the matrix is not that of the last update
	bases    []int32            // by chunk of roots: its first place
	chunks   []nodes[T]         // by chunk of nodes
	worlds   []kernels.Mat4s[T] // by chunk, the roots' first: the matrices in it
	shared   []bool             // by chunk: copies are wanted of its matrices
	parents  []int32            // by row of the segments: the parent's place
	rows     []int32            // by row of the segments: the parent's row in its chunk
	places   []int32            // by row of the segments: its own place, or -1
	arrived  []bool             // by row of the segments: it is new since the last plan that was carried out
	segments []segment          // by stage, block and level
	stages   []stage[T]
	bounds   []int32 // of the blocks of all stages

	// What follows is for making the plan. An id is a number for each entity:
	// the roots', which are their places, and then the nodes'.
	ids      []int32      // by entity index: its id plus 1
	all      []ecs.Entity // by id
	sources  []source     // by chunk of nodes
	divides  []bool       // by chunk of nodes: somebody else may make some of its rows
	divided  bool         // there are such chunks
	firsts   []int32      // by chunk of nodes: its first id, and one more
	home     []int32      // by id: its chunk, the roots' first
	parent   []int32      // by node: the parent's id, or -1
	level    []int32      // by node: from 1 up, or below 0
	place    []int32      // by id: its place, or -1
	counts   []int32      // by level: segments
	unsorted []segment
	path     []int32
	met      []meeting                  // by entity index
	round    uint32                     // counts the plans
	done     uint32                     // the last plan that was carried out
	circles  map[ecs.Entity]*CycleError // of the present plan, by their smallest entity
}

// nodes is a chunk of nodes during an update.
type nodes[T kernels.Float] struct {
	world   [][16]T
	source  source
	local   [][16]T            // LocalToParent
	trs     LocalTransforms[T] // or what it is composed of
	post    [][16]T
	moved   bool // local, or who the parents are, has changed
	given   bool // world was written by somebody else
	divided bool // the source is that of the rows in own; the others' is byOthers
	own     rowSet
	had     rowSet // in the last update
	written atomic.Bool

	// By the plan: short says that all rows are in segments, of few rows each.
	short    bool
	composed bool // world is the local matrices of all rows, still to be multiplied
}

// source is where the matrices of a chunk of nodes come from.
type source uint8

const (
	byOthers source = iota // from somebody else
	fromLocalToParent
	fromLocalTransform
)

// meeting is since when an entity has been in a segment of every plan, and has
// had its matrix from the same source.
type meeting struct {
	version     int32  // the entity's
	first, last uint32 // plans
	source      source
}

// meet notes that an entity is in a segment, and reports whether this is new
// since the last plan that was carried out.
func (p *plan[T]) meet(e ecs.Entity, from source) bool {
	m := &p.met[e.Index]
	if m.version != e.Version || m.last != p.round-1 || m.source != from {
		*m = meeting{version: e.Version, first: p.round, source: from}
	}
	m.last = p.round
	return m.first > p.done
}

// segment is a run of rows of one level in one chunk.
type segment struct {
	chunk, lo, hi int32
	at            int32 // its first row among the rows of all segments
	level         int32
	from          int32 // the chunk that all parents are in, the roots' first, or spread
	least, most   int32 // the parents' places are from the one to the other
	place, inner  int32 // the first place of those that have children, and how many these are
	copied        bool  // the matrices of those that have children are copied to their places
	fresh         bool  // some of the rows have arrived
}

// spread says that parents are in several chunks.
const spread = -1

// So many rows whose parents are in one chunk are worth a segment of their own.
const longRun = 8

// Levels that are none yet, or never will be one.
const (
	unknown = 0
	apart   = -1 // below no root
	onPath  = -2
)

// CycleError says that entities are each other's ancestors. They, and what is
// below them, have no matrix. It wraps [ecs.ErrState].
type CycleError struct {
	Entities []ecs.Entity // each the child of the next, and the last of the first
}

// Error lists the circle.
func (e *CycleError) Error() string {
	var b strings.Builder
	b.WriteString("transform: parents in a circle, whose matrices are not computed: ")
	for i, n := range e.Entities {
		if i == 8 {
			fmt.Fprintf(&b, "%d more → ", len(e.Entities)-i)
			break
		}
		fmt.Fprintf(&b, "%v → ", n)
	}
	fmt.Fprintf(&b, "%v; give one of them another Parent", e.Entities[0])
	return b.String()
}

// Unwrap returns [ecs.ErrState].
func (e *CycleError) Unwrap() error { return ecs.ErrState }

// begin prepares an update. The jobs of the last one are done.
func (p *plan[T]) begin(since uint32) {
	p.since = since
	p.anything.Store(false)
	clear(p.changed)
}

// make plans for the roots of tops and the nodes of links, and so many workers. Its
// error is the circles that the last plan did not have, joined.
func (p *plan[T]) make(tops, links *ecs.Query, workers int) error {
	p.fresh = true
	p.number(tops, links)
	p.find(links)
	err := p.measure()
	p.cut()
	p.sort()
	p.arrange(workers)
	p.settle()
	return err
}

// classify finds out where the matrices of each chunk of nodes come from.
func (p *plan[T]) classify(s *HierarchyOf[T]) {
	p.sources, p.divides, p.divided = p.sources[:0], p.divides[:0], false
	var of ecs.Archetype
	from, divides := byOthers, false
	for c := range s.links.Chunks() {
		if a := c.Archetype(); a != of {
			of, from = a, byOthers
			switch {
			case s.chain.Takes(a):
				from = fromLocalToParent
			case s.local.Takes(a):
				from = fromLocalTransform
			}
			divides = s.chain.TakesRows(a) || s.local.TakesRows(a)
			p.divided = p.divided || divides
		}
		p.sources, p.divides = append(p.sources, from), append(p.divides, divides)
	}
}

// number gives every entity its id.
func (p *plan[T]) number(tops, links *ecs.Query) {
	clear(p.ids)
	p.all, p.home, p.bases, p.firsts = p.all[:0], p.home[:0], p.bases[:0], p.firsts[:0]
	for c := range tops.Chunks() {
		p.bases = append(p.bases, int32(len(p.all)))
		p.numberChunk(c)
	}
	for c := range links.Chunks() {
		p.firsts = append(p.firsts, int32(len(p.all)))
		p.numberChunk(c)
	}
	p.firsts = append(p.firsts, int32(len(p.all)))
}

func (p *plan[T]) numberChunk(c *ecs.Chunk) {
	home := int32(len(p.bases) + len(p.firsts) - 1)
	for _, e := range c.Entities() {
		if n := int(e.Index) + 1; n > len(p.ids) {
			p.ids = append(p.ids, make([]int32, n-len(p.ids))...)
		}
		p.all, p.home = append(p.all, e), append(p.home, home)
		p.ids[e.Index] = int32(len(p.all))
	}
}

// roots is how many ids are of roots.
func (p *plan[T]) roots() int32 { return p.firsts[0] }

// find finds the parents of all nodes.
func (p *plan[T]) find(links *ecs.Query) {
	p.parent = p.parent[:0]
	for c := range links.Chunks() {
		for _, e := range *ecs.Column[PreviousParent](c) {
			id := int32(-1)
			if int(e.Index) < len(p.ids) {
				id = p.ids[e.Index] - 1
			}
			if id >= 0 && p.all[id] != e {
				id = -1
			}
			p.parent = append(p.parent, id)
		}
	}
}

// measure finds the levels of all nodes: it walks up from each until it meets
// one whose level is known, and back. It returns the circles that are new.
func (p *plan[T]) measure() error {
	var circles map[ecs.Entity]*CycleError
	var found []error
	roots := p.roots()
	p.level = resized(p.level, len(p.parent))
	clear(p.level)
	for node := range p.level {
		p.path = p.path[:0]
		at, level := int32(node)+roots, int32(unknown)
		for level == unknown {
			switch {
			case at < 0:
				level = apart
			case at < roots:
				level = 1
			case p.level[at-roots] == unknown:
				p.level[at-roots] = onPath
				p.path = append(p.path, at)
				at = p.parent[at-roots]
			case p.level[at-roots] == onPath:
				if circles == nil {
					circles = make(map[ecs.Entity]*CycleError)
				}
				c := p.circle(at)
				circles[c.Entities[0]] = c
				if old := p.circles[c.Entities[0]]; old == nil || !slices.Equal(old.Entities, c.Entities) {
					found = append(found, c)
				}
				level = apart
			case p.level[at-roots] == apart:
				level = apart
			default:
				level = p.level[at-roots] + 1
			}
		}
		for _, id := range slices.Backward(p.path) {
			p.level[id-roots] = level
			if level > 0 {
				level++
			}
		}
	}
	p.circles = circles
	return errors.Join(found...)
}

// circle is the part of the path that begins with id, told from its smallest
// entity on.
func (p *plan[T]) circle(id int32) *CycleError {
	var es []ecs.Entity
	for _, at := range p.path[slices.Index(p.path, id):] {
		es = append(es, p.all[at])
	}
	first := slices.Index(es, slices.MinFunc(es, ecs.Entity.Compare))
	return &CycleError{Entities: slices.Concat(es[first:], es[:first])}
}

// cut makes segments of the rows of every chunk.
func (p *plan[T]) cut() {
	p.unsorted, p.counts = p.unsorted[:0], p.counts[:0]
	p.shared = resized(p.shared, len(p.bases)+len(p.firsts)-1)
	clear(p.shared)
	for chunk, first := range p.firsts[:len(p.firsts)-1] {
		rows := p.level[first-p.roots() : p.firsts[chunk+1]-p.roots()]
		for lo := 0; lo < len(rows); {
			hi := lo + 1
			for hi < len(rows) && rows[hi] == rows[lo] {
				hi++
			}
			if rows[lo] > 0 {
				p.split(segment{chunk: int32(chunk), lo: int32(lo), hi: int32(hi), level: rows[lo]})
			}
			lo = hi
		}
	}
}

// split makes segments of a run of rows of one level: of long runs of those whose
// parents are in one chunk, and of what is between these.
func (p *plan[T]) split(run segment) {
	parents := p.parent[p.firsts[run.chunk]-p.roots():]
	done := run.lo
	for lo := run.lo; lo < run.hi; {
		from, hi := p.home[parents[lo]], lo+1
		for hi < run.hi && p.home[parents[hi]] == from {
			hi++
		}
		if hi-lo >= longRun || hi-lo == run.hi-run.lo {
			p.add(run, done, lo, spread)
			p.add(run, lo, hi, from)
			done = hi
		}
		lo = hi
	}
	p.add(run, done, run.hi, spread)
}

// add makes a segment of the rows [lo, hi) of a run, if there are any.
func (p *plan[T]) add(run segment, lo, hi, from int32) {
	if lo == hi {
		return
	}
	if from == spread {
		parents := p.parent[p.firsts[run.chunk]-p.roots():][lo:hi]
		home := p.home[parents[0]]
		if !slices.ContainsFunc(parents, func(id int32) bool { return p.home[id] != home }) {
			from = home // a short run between long ones
		} else {
			for _, id := range parents {
				p.shared[p.home[id]] = true
			}
		}
	}
	run.lo, run.hi, run.from = lo, hi, from
	p.unsorted = append(p.unsorted, run)
	for int(run.level) > len(p.counts) {
		p.counts = append(p.counts, 0)
	}
	p.counts[run.level-1]++
}

// start is the first id of a chunk, the roots' chunks first.
func (p *plan[T]) start(chunk int32) int32 {
	if n := int32(len(p.bases)); chunk >= n {
		return p.firsts[chunk-n]
	}
	return p.bases[chunk]
}

// sort puts the segments in order by level, those of one level as they were.
func (p *plan[T]) sort() {
	next, at := p.counts, int32(0) // from counts to the first of each level
	for i, n := range next {
		next[i] = at
		at += n
	}
	p.segments = resized(p.segments, len(p.unsorted))
	for _, s := range p.unsorted {
		p.segments[next[s.level-1]] = s
		next[s.level-1]++
	}
}

// settle gives a place to every entity with children, and tells each node its
// parent's place and its own.
func (p *plan[T]) settle() {
	const none, wanted = -1, -2
	roots := p.roots()
	p.place = resized(p.place, len(p.all))
	for id := range p.place {
		p.place[id] = none
	}
	for node, id := range p.parent {
		if p.level[node] > 0 {
			p.place[id] = wanted
		}
	}
	for id := range roots {
		p.place[id] = id
	}
	p.parents, p.rows, p.places, p.arrived = p.parents[:0], p.rows[:0], p.places[:0], p.arrived[:0]
	p.round++
	if n := len(p.ids) - len(p.met); n > 0 {
		p.met = append(p.met, make([]meeting, n)...)
	}
	next := roots
	for i := range p.segments {
		s := &p.segments[i]
		s.at, s.place, s.copied = int32(len(p.parents)), next, p.shared[int(s.chunk)+len(p.bases)]
		s.least, s.most = math.MaxInt32, 0
		for id := p.firsts[s.chunk] + s.lo; id < p.firsts[s.chunk]+s.hi; id++ {
			if p.place[id] == wanted {
				p.place[id] = next
				next++
			}
			parent := p.parent[id-roots]
			place := p.place[parent]
			s.least, s.most = min(s.least, place), max(s.most, place)
			p.parents = append(p.parents, place)
			p.rows = append(p.rows, parent-p.start(p.home[parent]))
			p.places = append(p.places, p.place[id])
			arrived := p.meet(p.all[id], p.sources[s.chunk])
			p.arrived = append(p.arrived, arrived)
			s.fresh = s.fresh || arrived
		}
		s.inner = next - s.place
	}
	p.matrices.M = resized(p.matrices.M, int(next))
	p.changed = resized(p.changed, int(next))
	p.worlds = resized(p.worlds, len(p.shared))
	if chunks := len(p.firsts) - 1; chunks > cap(p.chunks) {
		p.chunks = make([]nodes[T], chunks, chunks+chunks/2)
	} else {
		p.chunks = p.chunks[:chunks]
		clear(p.chunks)
	}
	p.shorten()
}

// shorten finds the chunks all of whose rows are in short segments.
func (p *plan[T]) shorten() {
	p.counts = resized(p.counts, 2*len(p.chunks)) // rows and segments
	clear(p.counts)
	for i := range p.segments {
		s := &p.segments[i]
		p.counts[2*s.chunk] += s.hi - s.lo
		p.counts[2*s.chunk+1]++
	}
	for i := range p.chunks {
		rows := p.firsts[i+1] - p.firsts[i]
		p.chunks[i].short = p.counts[2*i] == rows && p.counts[2*i+1]*longRun > rows
	}
}

// resized returns s with length n. What was in it need not be there any more.
func resized[E any](s []E, n int) []E {
	if n > cap(s) {
		return make([]E, n, n+n/2)
	}
	return s[:n]
}
