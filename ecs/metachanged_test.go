package ecs_test

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// TestChangedThroughMeta checks that a filter on a chunk component sees writes to the meta entity.
// If a chunk's value is written through the chunk, the filter lets only that chunk pass.
func TestChangedThroughMeta(t *testing.T) {
	w := newWorld(t, 1)
	first := w.Spawn(A{}, ecs.PerChunk[B]{})
	other := w.Spawn(A{}, ecs.PerChunk[B]{}, Tag{})
	q := w.Query(ecs.With[A](), ecs.With[ecs.PerChunk[B]](), ecs.Changed[ecs.PerChunk[B]]())
	either := w.Query(ecs.With[A](), ecs.ChangedAny(ecs.With[ecs.PerChunk[B]]()))
	metas := w.Query(ecs.Write[B](), ecs.With[ecs.ChunkHeader]())
	changedMetas := w.Query(ecs.Read[B](), ecs.With[ecs.ChunkHeader](), ecs.Changed[B]())
	since := func() {
		v := w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate(""))
		for _, q := range []*ecs.Query{q, either, changedMetas} {
			q.SetSince(v)
		}
	}
	seen := func(what string, chunks, metaChunks int) {
		t.Helper()
		if q.ChunkCount() != chunks || either.Count() != chunks || changedMetas.ChunkCount() != metaChunks || q.Unchanged() != (chunks == 0) {
			t.Errorf("%s: %d chunks have changed, want %d; %d chunks of meta entities, want %d", what, q.ChunkCount(), chunks, changedMetas.ChunkCount(), metaChunks)
		}
		since()
		if q.Count() != 0 || either.Count() != 0 || changedMetas.Count() != 0 {
			t.Errorf("%s: it has changed for ever", what)
		}
	}
	seen("at first", 2, 1)
	must(t, ecs.Set(w, first, ecs.PerChunk[B]{B{1, 1}}))
	seen("Set of one chunk", 1, 1)
	must(t, ecs.Set(w, w.MetaOf(first), B{2, 2}))
	seen("Set of the meta entity", 2, 1) // they are neighbours
	for c := range metas.Chunks() {
		ecs.Column[B](c).X[0]++
	}
	seen("Column of the meta entities", 2, 1)
	ecs.NewWorldLookup[B](w).Set(w.MetaOf(other), B{3, 3})
	seen("Lookup of the meta entity", 2, 1)
	metas.ParallelFor(chunkFunc(func(c *ecs.Chunk) { ecs.Column[B](c) }))
	n := 0
	q.ParallelFor(chunkFunc(func(*ecs.Chunk) { n++ }))
	must(t, w.Sync())
	if n != 2 {
		t.Errorf("a job behind the writer has seen %d chunks", n)
	}
	seen("a job", 2, 1)
	for c := range w.Query(ecs.With[Tag](), ecs.Write[ecs.PerChunk[B]]()).Chunks() {
		ecs.SetChunkValue(c, B{4, 4})
	}
	seen("SetChunkValue", 1, 1)
	if ecs.NewWorldLookup[B](w).ChangedSince(w.MetaOf(other), w.Version()) || ecs.ChangeVersion[B](w, w.MetaOf(other)) >= w.Version() {
		t.Error("it has changed since now")
	}
	must(t, ecs.Set(w, other, ecs.PerChunk[B]{B{5, 5}}))
	v := ecs.ChangeVersion[B](w, w.MetaOf(other))
	must(t, ecs.AddTypes(w, ecs.Matching(w.Query(ecs.With[Tag]())), ecs.With[ecs.PerChunk[Bound]]())) // its meta entity moves
	if got := ecs.ChangeVersion[B](w, w.MetaOf(other)); got != v {
		t.Errorf("the version of the meta entity is %d, was %d", got, v)
	}
	must(t, integrity(w))
}

// A meta entity moves to a chunk with other meta entities. This must not hide direct writes to these
// other meta entities, even if the world's version is past half its range.
func TestChangedThroughMetaLate(t *testing.T) {
	for _, version := range []uint32{100, 1<<31 + 100, 3 << 30} {
		w := newWorld(t, 1)
		setVersion(w, version)
		e := w.Spawn(A{}, ecs.PerChunk[B]{}, ecs.PerChunk[D]{})
		w.Spawn(A{}, ecs.PerChunk[B]{}, Tag{})
		q := w.Query(ecs.With[A](), ecs.With[ecs.PerChunk[B]](), ecs.With[ecs.PerChunk[D]](), ecs.Without[Tag](), ecs.Changed[ecs.PerChunk[B]]())
		q.SetSince(w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("")))
		must(t, ecs.Set(w, w.MetaOf(e), B{2, 2}))
		if n := q.Count(); n != 1 {
			t.Errorf("version %d: %d have changed, want 1", version, n)
		}
		must(t, ecs.AddTypes(w, ecs.Matching(w.Query(ecs.With[Tag]())), ecs.With[ecs.PerChunk[D]]()))
		if n := q.Count(); n != 1 {
			t.Errorf("version %d: %d have changed when another meta entity has come, want 1", version, n)
		}
		must(t, integrity(w))
	}
}
