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
	Version uint32          `json:"version"` // of the world
	Count   int             `json:"count"`   // archetypes that there are
	Used    int             `json:"used"`    // that have rows
	Chunks  int             `json:"chunks"`
	Rows    int             `json:"rows"`
	Room    int             `json:"room"` // rows that these chunks have room for
	From    int             `json:"from"` // the first of Archetypes among those that have rows, the largest first
	Frames  int             `json:"frames"`
	List    []ArchetypeInfo `json:"archetypes"`
}

// ArchetypeInfo is one archetype.
type ArchetypeInfo struct {
	Index      int        `json:"index"`
	Components []string   `json:"components"`
	Kinds      [][]string `json:"kinds"` // of each component
	Rows       int        `json:"rows"`
	Capacity   int        `json:"capacity"` // rows of a chunk
	Chunks     int        `json:"chunks"`
	Waste      int        `json:"waste"` // bytes of the chunks that no row has
	RowBytes   int        `json:"rowBytes"`
	Lanes      []Lane     `json:"lanes"`
	Fill       []int      `json:"fill"`     // rows of each chunk, or of each run of Per chunks together
	Per        int        `json:"per"`      // chunks that one entry of Fill, Fresh and Groups stands for
	Fresh      []int      `json:"fresh"`    // how many versions ago each was written last
	Groups     []int      `json:"groups"`   // of equal shared values, by number; empty without shared components
	Shared     []Values   `json:"shared"`   // of the groups, the first ones
	Complete   bool       `json:"complete"` // Shared has all groups
	Query      string     `json:"query"`    // for /api/entities
}

// Lane is the place of a lane in the 16 KiB of a full chunk that is alone. The first one is that
// of the ids.
type Lane struct {
	Component string `json:"component"`
	Name      string `json:"name"`
	Type      string `json:"type"`
	At        int    `json:"at"`
	Size      int    `json:"size"` // of a row
}

// Values is the shared values of a group of chunks.
type Values struct {
	Group  int      `json:"group"`
	Chunks int      `json:"chunks"`
	Rows   int      `json:"rows"`
	Values []string `json:"values"` // by shared component
}

// Limits of the page of archetypes.
const (
	mostArchetypes = 100
	mostCells      = 4096 // entries of Fill
	mostGroups     = 64
)

// weighed is an archetype with rows.
type weighed struct{ place, rows, chunks int }

// studied is what the owner copies of one.
type studied struct {
	place  int
	a      ecs.Archetype
	chunks []ecs.ChunkInfo
	values []Values
	places map[int]int // of groups among the values
	at     int         // chunks whose group was looked at
}

func archetypesPage(ctx context.Context, v *view, from, limit, place int) (*Archetypes, error) {
	limit = min(max(limit, 1), mostArchetypes)
	out := &Archetypes{From: max(from, 0), List: []ArchetypeInfo{}}
	used, frames, err := weigh(ctx, v, out, place)
	if err != nil {
		return nil, err
	}
	out.Used = len(used)
	var list []studied
	for _, u := range largest(used, out.From, limit) { // the owner has better things to do than to sort
		list = append(list, studied{place: u.place, chunks: make([]ecs.ChunkInfo, 0, u.chunks+8)})
	}
	done := 0
	more, err := v.at(ctx, "archetypes", func(l *look) (bool, error) {
		if err := l.unlent(); err != nil {
			return false, err
		}
		w := l.world
		for ; done < len(list); done++ {
			list[done].a = w.ArchetypeAt(list[done].place)
			for !list[done].study() {
				if l.over() {
					return true, nil
				}
			}
			if l.over() {
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

// weigh lists the archetypes that have rows, or the one of a place, and adds them up.
func weigh(ctx context.Context, v *view, out *Archetypes, place int) (used []weighed, frames int, err error) {
	list := make([]weighed, 0, int(v.most.archetypes.Load())) // not used: to give up writes that
	at := 0
	frames, err = v.at(ctx, "archetypes", func(l *look) (bool, error) {
		if err := l.unlent(); err != nil {
			return false, err
		}
		w := l.world
		for k := 1; ; k++ {
			a := w.ArchetypeAt(at)
			if a == (ecs.Archetype{}) {
				out.Count, out.Version, out.Frame = at, w.Version(), v.number.Load()
				return false, nil
			}
			at++
			if n := a.Len(); n > 0 && (place < 0 || place == at-1) {
				list = append(list, weighed{at - 1, n, a.ChunkCount()})
				out.Rows, out.Chunks, out.Room = out.Rows+n, out.Chunks+a.ChunkCount(), out.Room+a.ChunkCount()*a.Capacity()
			}
			if k%16 == 0 && l.over() {
				return true, nil
			}
		}
	})
	if err != nil {
		return nil, 0, err // the owner may have it still
	}
	v.most.archetypes.Store(int64(len(list) + 64))
	return list, frames, nil
}

// largest returns limit of the list from a place on, the ones with the most rows first. It sorts
// no more than it has to.
func largest(list []weighed, from, limit int) []weighed {
	less := func(a, b weighed) int {
		if a.rows != b.rows {
			return b.rows - a.rows
		}
		return a.place - b.place
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

// study copies a slice of the chunks of an archetype; false says that there is more.
func (s *studied) study() bool {
	const slice = 64
	if s.a.Len() == 0 {
		return true // it has become empty since
	}
	if n := len(s.chunks); n < s.a.ChunkCount() {
		s.chunks = s.a.AppendChunks(s.chunks, n, slice)
		return false
	}
	if s.places == nil {
		s.places = map[int]int{}
	}
	for ; s.at < len(s.chunks) && len(s.values) < mostGroups; s.at++ {
		c := s.chunks[s.at]
		if _, known := s.places[c.Group]; known {
			continue
		}
		values := s.a.SharedValues(s.at)
		if values == nil {
			break
		}
		one := Values{Group: c.Group, Values: []string{}}
		for _, v := range values {
			one.Values = append(one.Values, short(reflect.TypeOf(v).String())+" "+clip(describe(reflect.ValueOf(v), 4), 200))
		}
		s.places[c.Group] = len(s.values)
		s.values = append(s.values, one)
		return false
	}
	return true
}

// info is what is told of an archetype. What it asks of it does not change.
func (s *studied) info(version uint32, kinds map[reflect.Type][]string) ArchetypeInfo {
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
		out.Lanes = append(out.Lanes, Lane{typeName(l.Component), l.Lane.Name, short(l.Lane.Type.String()), l.At, l.Size})
		out.RowBytes += l.Size
	}
	for len(s.chunks) > out.Per*mostCells {
		out.Per *= 2
	}
	shared, bytes := len(s.values) > 0, 0
	for k, c := range s.chunks {
		out.Rows += c.Rows
		bytes += c.Bytes
		if age := max(int(int32(version-c.Version)), 0); k%out.Per == 0 { // a chunk of a later frame may be younger than the version
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
