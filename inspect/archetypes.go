package inspect

import (
	"context"
	"reflect"
	"slices"
	"strconv"

	"github.com/lanewise/lanewise/ecs"
)

// Archetypes is the answer of /api/archetypes.
type Archetypes struct {
	Frame   uint64          `json:"frame"`
	Version uint32          `json:"version"` // version of the world
	Count   int             `json:"count"`   // number of archetypes
	Used    int             `json:"used"`    // number of archetypes with rows
	Chunks  int             `json:"chunks"`
	Rows    int             `json:"rows"`
	Room    int             `json:"room"` // rows for which these chunks have room
	From    int             `json:"from"` // index of the first of Archetypes among those with rows; the largest come first
	Frames  int             `json:"frames"`
	List    []ArchetypeInfo `json:"archetypes"`
}

// ArchetypeInfo is one archetype.
type ArchetypeInfo struct {
	Index      int        `json:"index"`
	Components []string   `json:"components"`
	Kinds      [][]string `json:"kinds"` // kinds of each component
	Rows       int        `json:"rows"`
	Capacity   int        `json:"capacity"` // rows of a full chunk
	Chunks     int        `json:"chunks"`
	Waste      int        `json:"waste"` // bytes of the chunks that hold no rows
	RowBytes   int        `json:"rowBytes"`
	Lanes      []Lane     `json:"lanes"`
	Fill       []int      `json:"fill"`     // number of rows of each chunk, or of each group of Per chunks
	Per        int        `json:"per"`      // number of chunks for each entry of Fill, Fresh and Groups
	Fresh      []int      `json:"fresh"`    // how many versions ago each was last written
	Groups     []int      `json:"groups"`   // number of the group of equal shared values; empty without shared components
	Shared     []Values   `json:"shared"`   // the values of the first groups
	Complete   bool       `json:"complete"` // Shared has all groups
	Query      string     `json:"query"`    // a query for /api/entities
}

// Lane is the position of a lane in a full chunk of 16 KiB that is not part of
// a span. The first lane contains the entity ids.
type Lane struct {
	Component string `json:"component"`
	Name      string `json:"name"`
	Type      string `json:"type"`
	At        int    `json:"at"`
	Size      int    `json:"size"` // of one row
}

// Values holds the shared component values of one group of chunks.
type Values struct {
	Group  int      `json:"group"`
	Chunks int      `json:"chunks"`
	Rows   int      `json:"rows"`
	Values []string `json:"values"` // one for each shared component
}

// These constants limit the length of an answer about archetypes.
const (
	maxArchetypes  = 100
	maxFillEntries = 4096 // entries of Fill
	maxGroups      = 64
)

// archetypeSize holds the index and the size of an archetype that has rows.
type archetypeSize struct{ index, rows, chunks int }

// archetypeData holds the data of one archetype that the owner copies.
type archetypeData struct {
	index          int
	a              ecs.Archetype
	chunks         []ecs.ChunkInfo
	values         []Values
	places         map[int]int // index in values, by group
	chunksExamined int         // number of chunks whose group was examined
}

func archetypesPage(ctx context.Context, v *view, from, limit, place int) (*Archetypes, error) {
	limit = min(max(limit, 1), maxArchetypes)
	out := &Archetypes{From: max(from, 0), List: []ArchetypeInfo{}}
	used, frames, err := weigh(ctx, v, out, place)
	if err != nil {
		return nil, err
	}
	out.Used = len(used)
	var list []archetypeData
	for _, u := range largest(used, out.From, limit) { // sorted here, because the owner's time is limited
		list = append(list, archetypeData{index: u.index, chunks: make([]ecs.ChunkInfo, 0, u.chunks+8)})
	}
	done := 0
	more, err := v.runBetween(ctx, "archetypes", func(l *ownerSlice) (bool, error) {
		if err := l.checkNotLent(); err != nil {
			return false, err
		}
		w := l.world
		for ; done < len(list); done++ {
			list[done].a = w.ArchetypeAt(list[done].index)
			for !list[done].copyChunks() {
				if l.isOver() {
					return true, nil
				}
			}
			if l.isOver() {
				done++
				return done < len(list), nil
			}
		}
		return false, nil
	})
	if err != nil {
		return nil, err
	}
	out.Frames = frames + more
	kinds := map[reflect.Type][]string{}
	for _, t := range ecs.ComponentTypes() {
		kinds[t.Type] = kindsOf(t)
	}
	for k := range list {
		out.List = append(out.List, list[k].info(out.Version, kinds))
	}
	return out, nil
}

// weigh lists the archetypes that have rows, and adds up their sizes. If an
// index is given, it lists only that archetype.
func weigh(ctx context.Context, v *view, out *Archetypes, place int) (used []archetypeSize, frames int, err error) {
	list := make([]archetypeSize, 0, int(v.capacities.archetypes.Load())) // not out.Used: an owner that was given up may still write that
	at := 0
	frames, err = v.runBetween(ctx, "archetypes", func(l *ownerSlice) (bool, error) {
		if err := l.checkNotLent(); err != nil {
			return false, err
		}
		w := l.world
		for k := 1; ; k++ {
			a := w.ArchetypeAt(at)
			if a == (ecs.Archetype{}) {
				out.Count, out.Version, out.Frame = at, w.Version(), v.lastFrame.Load()
				return false, nil
			}
			at++
			if n := a.Len(); n > 0 && (place < 0 || place == at-1) {
				list = append(list, archetypeSize{at - 1, n, a.ChunkCount()})
				out.Rows, out.Chunks, out.Room = out.Rows+n, out.Chunks+a.ChunkCount(), out.Room+a.ChunkCount()*a.Capacity()
			}
			if k%16 == 0 && l.isOver() {
				return true, nil
			}
		}
	})
	if err != nil {
		return nil, 0, err // the owner may still be writing to it
	}
	v.capacities.archetypes.Store(int64(len(list) + 64))
	return list, frames, nil
}

// largest sorts the list in descending order of rows, and returns limit entries
// from an index on. It sorts only as many entries as it needs.
func largest(list []archetypeSize, from, limit int) []archetypeSize {
	less := func(a, b archetypeSize) int {
		if a.rows != b.rows {
			return b.rows - a.rows
		}
		return a.index - b.index
	}
	top := min(len(list), from+limit)
	if from >= len(list) {
		return nil
	}
	heap := slices.Clone(list[:top])
	slices.SortFunc(heap, less)
	for _, w := range list[top:] {
		if less(w, heap[top-1]) < 0 {
			k, _ := slices.BinarySearchFunc(heap, w, less)
			copy(heap[k+1:], heap[k:top-1])
			heap[k] = w
		}
	}
	return heap[from:]
}

// copyChunks copies one slice of the chunks of an archetype. It returns false if
// there is more to copy.
func (s *archetypeData) copyChunks() bool {
	const slice = 64
	if s.a.Len() == 0 {
		return true // it has become empty meanwhile
	}
	if n := len(s.chunks); n < s.a.ChunkCount() {
		s.chunks = s.a.AppendChunks(s.chunks, n, slice)
		return false
	}
	if s.places == nil {
		s.places = map[int]int{}
	}
	for ; s.chunksExamined < len(s.chunks) && len(s.values) < maxGroups; s.chunksExamined++ {
		c := s.chunks[s.chunksExamined]
		if _, known := s.places[c.Group]; known {
			continue
		}
		values := s.a.SharedValues(s.chunksExamined)
		if values == nil {
			break
		}
		one := Values{Group: c.Group, Values: []string{}}
		for _, v := range values {
			one.Values = append(one.Values, shortName(reflect.TypeOf(v).String())+" "+clip(describe(reflect.ValueOf(v), 4), 200))
		}
		s.places[c.Group] = len(s.values)
		s.values = append(s.values, one)
		return false
	}
	return true
}

// info describes an archetype. Any goroutine may call it, because it reads only
// properties of the archetype that never change.
func (s *archetypeData) info(version uint32, kinds map[reflect.Type][]string) ArchetypeInfo {
	out := ArchetypeInfo{
		Index: s.a.Index(), Capacity: s.a.Capacity(), Chunks: len(s.chunks), Components: []string{}, Kinds: [][]string{}, Fill: []int{}, Fresh: []int{},
		Groups: []int{}, Shared: []Values{}, Complete: true, Query: "#" + strconv.Itoa(s.a.Index()) + " :all", Per: 1,
	}
	for _, t := range s.a.Types() {
		out.Components = append(out.Components, typeName(t))
		k := kinds[t]
		if k == nil {
			k = []string{}
		}
		out.Kinds = append(out.Kinds, k)
	}
	out.Lanes = append(out.Lanes, Lane{Component: "Entity", Name: "id", Type: "ecs.Entity", Size: 8})
	out.RowBytes = 8
	for _, l := range s.a.Lanes() {
		out.Lanes = append(out.Lanes, Lane{typeName(l.Component), l.Lane.Name, shortName(l.Lane.Type.String()), l.At, l.Size})
		out.RowBytes += l.Size
	}
	for len(s.chunks) > out.Per*maxFillEntries {
		out.Per *= 2
	}
	shared, bytes := len(s.values) > 0, 0
	for k, c := range s.chunks {
		out.Rows += c.Rows
		bytes += c.Bytes
		if age := max(int(int32(version-c.Version)), 0); k%out.Per == 0 { // a chunk of a later frame may be newer than the version
			out.Fill, out.Fresh = append(out.Fill, c.Rows), append(out.Fresh, age)
			if shared {
				out.Groups = append(out.Groups, c.Group)
			}
		} else {
			last := len(out.Fill) - 1
			out.Fill[last], out.Fresh[last] = out.Fill[last]+c.Rows, min(out.Fresh[last], age)
		}
		if shared {
			if i, ok := s.places[c.Group]; ok {
				s.values[i].Chunks++
				s.values[i].Rows += c.Rows
			} else {
				out.Complete = false
			}
		}
	}
	out.Shared = append(out.Shared, s.values...)
	out.Waste = bytes - out.Rows*out.RowBytes
	return out
}
