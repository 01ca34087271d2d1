package inspect

import (
	"context"
	"math"
	"runtime"
	"runtime/metrics"

	"github.com/lanewise/lanewise/ecs"
)

// Memory is the answer of /api/memory.
type Memory struct {
	Frame      uint64  `json:"frame"`
	Entities   int     `json:"entities"`
	Archetypes int     `json:"archetypes"`
	Chunks     int     `json:"chunks"`
	Rows       int     `json:"rows"`   // rows for which the chunks have room
	Live       int     `json:"live"`   // bytes of the chunks
	Bytes      int     `json:"bytes"`  // bytes of the slabs, including free ones
	Wasted     int     `json:"wasted"` // bytes of these that hold no rows
	Fill       float64 `json:"fill"`   // share of the room that has rows, from 0 to 1
	Frames     int     `json:"frames"` // number of frames over which it was counted

	Heap       uint64   `json:"heap"`  // bytes of objects on Go's heap
	Total      uint64   `json:"total"` // bytes that Go has from the system
	Objects    uint64   `json:"objects"`
	Allocated  uint64   `json:"allocated"` // bytes since the start of the process
	Cycles     uint64   `json:"cycles"`    // number of cycles of the garbage collector
	Goal       uint64   `json:"goal"`      // heap size of the next cycle
	Goroutines int      `json:"goroutines"`
	Pauses     []Bucket `json:"pauses"` // pauses of the collector since the start
}

// Bucket is the number of pauses of at most Up microseconds that were longer
// than the Up of the previous bucket.
type Bucket struct {
	Up    float64 `json:"up"` // 0: no limit
	Count uint64  `json:"count"`
}

func memoryPage(ctx context.Context, v *view) (*Memory, error) {
	out := &Memory{}
	at, rows := 0, 0
	frames, err := v.runBetween(ctx, "memory", func(l *ownerSlice) (bool, error) {
		if err := l.checkNotLent(); err != nil {
			return false, err
		}
		for k := 0; ; k, at = k+1, at+1 {
			if k > 0 && k%16 == 0 && l.isOver() {
				return true, nil
			}
			a := v.world.ArchetypeAt(at)
			if a == (ecs.Archetype{}) {
				break
			}
			out.Chunks += a.ChunkCount()
			out.Rows += a.ChunkCount() * a.Capacity()
			rows += a.RowBytes()
		}
		out.Archetypes, out.Entities, out.Frame = at, v.world.Len(), v.lastFrame.Load()
		out.Bytes, out.Live = v.world.SlabBytes()
		out.Wasted = max(0, out.Bytes-rows) // rows may be from several frames, so the difference can be negative
		return false, nil
	})
	if err != nil {
		return nil, err
	}
	out.Frames = frames
	if out.Rows > 0 {
		out.Fill = float64(out.Entities) / float64(out.Rows)
	}
	out.addProcess()
	return out, nil
}

// addProcess adds the statistics of the Go process.
func (m *Memory) addProcess() {
	s := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/gc/heap/objects:objects"},
		{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/cycles/total:gc-cycles"}, {Name: "/gc/heap/goal:bytes"}, {Name: "/sched/pauses/total/gc:seconds"},
	}
	metrics.Read(s)
	for k, to := range []*uint64{&m.Heap, &m.Total, &m.Objects, &m.Allocated, &m.Cycles, &m.Goal} {
		if s[k].Value.Kind() == metrics.KindUint64 {
			*to = s[k].Value.Uint64()
		}
	}
	m.Goroutines, m.Pauses = runtime.NumGoroutine(), []Bucket{}
	if s[6].Value.Kind() != metrics.KindFloat64Histogram {
		return
	}
	h := s[6].Value.Float64Histogram()
	for k, n := range h.Counts {
		if up := h.Buckets[k+1] * 1e6; n > 0 && !math.IsInf(up, 1) {
			m.Pauses = append(m.Pauses, Bucket{math.Round(up*100) / 100, n})
		} else if n > 0 {
			m.Pauses = append(m.Pauses, Bucket{0, n})
		}
	}
}
