package ecs

import "testing"

// TestChangedThroughMeta: a filter on a chunk component sees writes to the meta entity. It sees writes
// through a chunk only for that chunk.
func TestChangedThroughMeta(t *testing.T) {
	w := newWorld(t, 1)
	first := w.Spawn(A{}, PerChunk[B]{})
	other := w.Spawn(A{}, PerChunk[B]{}, Tag{})
	q := w.Query(With[A](), With[PerChunk[B]](), Changed[PerChunk[B]]())
	either := w.Query(With[A](), ChangedAny(With[PerChunk[B]]()))
	metas := w.Query(Write[B](), With[ChunkHeader]())
	changedMetas := w.Query(Read[B](), With[ChunkHeader](), Changed[B]())
	since := func() {
		v := w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate(""))
		for _, q := range []*Query{q, either, changedMetas} {
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
	must(t, Set(w, first, PerChunk[B]{B{1, 1}}))
	seen("Set of one chunk", 1, 1)
	must(t, Set(w, w.MetaOf(first), B{2, 2}))
	seen("Set of the meta entity", 2, 1) // they are neighbours
	for c := range metas.Chunks() {
		Column[B](c).X[0]++
	}
	seen("Column of the meta entities", 2, 1)
	NewWorldLookup[B](w).Set(w.MetaOf(other), B{3, 3})
	seen("Lookup of the meta entity", 2, 1)
	metas.ParallelFor(chunkFunc(func(c *Chunk) { Column[B](c) }))
	n := 0
	q.ParallelFor(chunkFunc(func(*Chunk) { n++ }))
	must(t, w.Sync())
	if n != 2 {
		t.Errorf("a job behind the writer has seen %d chunks", n)
	}
	seen("a job", 2, 1)
	for c := range w.Query(With[Tag](), Write[PerChunk[B]]()).Chunks() {
		SetChunkValue(c, B{4, 4})
	}
	seen("SetChunkValue", 1, 1)
	if NewWorldLookup[B](w).ChangedSince(w.MetaOf(other), w.Version()) || ChangeVersion[B](w, w.MetaOf(other)) >= w.Version() {
		t.Error("it has changed since now")
	}
	must(t, Set(w, other, PerChunk[B]{B{5, 5}}))
	v := ChangeVersion[B](w, w.MetaOf(other))
	must(t, AddTypes(w, Matching(w.Query(With[Tag]())), With[PerChunk[Bound]]())) // its meta entity moves
	if got := ChangeVersion[B](w, w.MetaOf(other)); got != v {
		t.Errorf("the version of the meta entity is %d, was %d", got, v)
	}
	must(t, w.integrity())
}

// A meta entity that moves to a chunk with others does not hide direct writes to them, even if the world's
// version is past half its range.
func TestChangedThroughMetaLate(t *testing.T) {
	for _, version := range []uint32{100, 1<<31 + 100, 3 << 30} {
		w := newWorld(t, 1)
		w.at(version)
		e := w.Spawn(A{}, PerChunk[B]{}, PerChunk[D]{})
		w.Spawn(A{}, PerChunk[B]{}, Tag{})
		q := w.Query(With[A](), With[PerChunk[B]](), With[PerChunk[D]](), Without[Tag](), Changed[PerChunk[B]]())
		q.SetSince(w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("")))
		must(t, Set(w, w.MetaOf(e), B{2, 2}))
		if n := q.Count(); n != 1 {
			t.Errorf("version %d: %d have changed, want 1", version, n)
		}
		must(t, AddTypes(w, Matching(w.Query(With[Tag]())), With[PerChunk[D]]()))
		if n := q.Count(); n != 1 {
			t.Errorf("version %d: %d have changed when another meta entity has come, want 1", version, n)
		}
		must(t, w.integrity())
	}
}
