package ecs_test

import (
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// Conformance: 156
func TestSingleton(t *testing.T) {
	w := newWorld(t, 1)
	q := w.Query(ecs.Write[A]())
	if v, ok := ecs.FindSingleton[A](q); ok {
		t.Errorf("there is none, and it is %v", v)
	}
	if e, ok := q.FindSingle(); ok {
		t.Errorf("there is none, and it is %v", e)
	}
	_, err := ecs.Singleton[A](q)
	fails(t, ecs.ErrState, err)
	_, err = q.Single()
	fails(t, ecs.ErrState, err)
	fails(t, ecs.ErrState, ecs.SetSingleton(q, A{1}))
	e := w.Spawn(A{1}, B{2, 3})
	setVersion(w, 50)
	must(t, ecs.SetSingleton(q, A{7}))
	if v, err := ecs.Singleton[A](q); v.Value != 7 || err != nil {
		t.Error(v, err)
	}
	if v := ecs.ChangeVersion[A](w, e); v != 50 {
		t.Errorf("the version is %d", v)
	}
	if v, ok := ecs.FindSingleton[A](q); v.Value != 7 || !ok {
		t.Error(v, ok)
	}
	if got, ok := q.FindSingle(); got != e || !ok {
		t.Error(got, ok)
	}
	if got, err := q.Single(); got != e || err != nil {
		t.Error(got, err)
	}
	_, err = ecs.Singleton[B](q)
	fails(t, ecs.ErrState, err) // no term for it
	fails(t, ecs.ErrState, ecs.SetSingleton(w.Query(ecs.Read[A]()), A{8}))
	w.Spawn(A{2})
	_, err = ecs.Singleton[A](q)
	fails(t, ecs.ErrState, err)
	if !strings.Contains(err.Error(), "ecs.A") || !strings.Contains(err.Error(), "2 entities") {
		t.Error(err)
	}
	fails(t, ecs.ErrState, ecs.SetSingleton(q, A{1}))
	panics(t, ecs.ErrState, func() { ecs.FindSingleton[A](q) })
	if v, err := ecs.Singleton[A](w.Query(ecs.Read[A](), ecs.With[B]())); v.Value != 7 || err != nil {
		t.Error(v, err)
	}
	must(t, q.Close())
	_, err = ecs.Singleton[A](q)
	fails(t, ecs.ErrDisposed, err)
	_, err = q.Single()
	fails(t, ecs.ErrDisposed, err)
	fails(t, ecs.ErrDisposed, ecs.SetSingleton(q, A{}))
}

// Conformance: 158
func TestSingletonWithoutValue(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(Tag{}, En{Value: 3}, A{4}, Sh{Value: 5}, Obj{}, ecs.BufferOf(elems(1, 2)...))
	_, err := ecs.Singleton[Tag](w.Query(ecs.With[Tag]()))
	fails(t, ecs.ErrState, err)
	fails(t, ecs.ErrState, ecs.SetSingleton(w.Query(ecs.Write[Tag]()), Tag{}))
	_, err = ecs.Singleton[En](w.Query(ecs.Read[En]()))
	fails(t, ecs.ErrState, err)
	panics(t, ecs.ErrState, func() { ecs.FindSingleton[En](w.Query(ecs.Read[En]())) })
	if got, err := w.Query(ecs.With[Tag]()).Single(); got != e || err != nil {
		t.Error(got, err)
	}
	q := w.Query(ecs.Write[A](), ecs.With[En]()) // the query has another component that can be off
	if v, err := ecs.Singleton[A](q); v.Value != 4 || err != nil {
		t.Error(v, err)
	}
	must(t, ecs.SetEnabled[En](w, e, false))
	_, err = ecs.Singleton[A](q)
	fails(t, ecs.ErrState, err)
	// There are two entities with an A, but the first is off, so the second is the singleton.
	other := w.Spawn(A{9}, En{})
	if v, err := ecs.Singleton[A](q); v.Value != 9 || err != nil {
		t.Error(v, err)
	}
	must(t, w.Destroy(other))
	if v, err := ecs.Singleton[Sh](w.Query(ecs.With[Sh]())); v.Value != 5 || err != nil {
		t.Error(v, err)
	}
	must(t, ecs.SetSingleton(w.Query(ecs.With[Sh]()), Sh{Value: 6}))
	must(t, ecs.SetSingleton(w.Query(ecs.Write[Obj]()), Obj{Number: new(int32)}))
	if v, err := ecs.Singleton[Obj](w.Query(ecs.Read[Obj]())); v.Number == nil || err != nil {
		t.Error(v, err)
	}
	only, err := ecs.Singleton[Buf](w.Query(ecs.Read[Buf]()))
	must(t, err)
	panics(t, ecs.ErrState, func() { only.Append(Elem{3}) })
	setVersion(w, 60)
	b, err := ecs.Singleton[Buf](w.Query(ecs.Write[Buf]()))
	must(t, err)
	b.Append(Elem{3})
	holds(t, only, 1, 2, 3)
	if v := ecs.ChangeVersion[Buf](w, e); v != 60 {
		t.Errorf("the version is %d", v)
	}
	must(t, integrity(w))
}

// Conformance: 159
func TestCreateSingleton(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(A{1}, ecs.Prefab{})     // a model does not count
	w.Spawn(C{}, ecs.PerChunk[A]{}) // the value of a chunk does not count
	e, err := ecs.CreateSingleton(w, A{5})
	must(t, err)
	if got := get[A](t, w, e); got.Value != 5 {
		t.Error(got)
	}
	_, err = ecs.CreateSingleton(w, A{6})
	fails(t, ecs.ErrState, err)
	tag, err := ecs.CreateSingleton(w, Tag{})
	must(t, err)
	_, err = ecs.CreateSingleton(w, Tag{})
	fails(t, ecs.ErrState, err)
	w.Spawn(A{7})
	panics(t, ecs.ErrState, func() { w.Query(ecs.With[A]()).FindSingle() })
	must(t, w.Destroy(tag))
	if e, ok := w.Query(ecs.With[Tag]()).FindSingle(); ok {
		t.Error(e)
	}
	if _, err = ecs.CreateSingleton(w, Tag{}); err != nil {
		t.Error(err)
	}
	_, err = ecs.CreateSingleton[int32](w, 1)
	fails(t, ecs.ErrArgument, err)
	must(t, w.Close())
	_, err = ecs.CreateSingleton(w, B{})
	fails(t, ecs.ErrDisposed, err)
}

// Reading or writing a singleton must first complete the jobs that access it.
func TestSingletonAndJobs(t *testing.T) {
	w := newWorld(t, 2)
	w.Spawn(A{1}, ecs.BufferOf(elems(1)...))
	q := w.Query(ecs.Write[A](), ecs.Write[Buf]())
	q.ParallelFor(chunkFunc(func(c *ecs.Chunk) {
		(*ecs.Column[A](c))[0]++
		ecs.Column[Buf](c).At(0).Append(Elem{2})
		_, err := ecs.Singleton[A](q)
		fails(t, ecs.ErrState, err)
		_, err = q.Single()
		fails(t, ecs.ErrState, err)
	}))
	if v, err := ecs.Singleton[A](q); v.Value != 2 || err != nil {
		t.Error(v, err)
	}
	q.ParallelFor(chunkFunc(func(c *ecs.Chunk) { (*ecs.Column[A](c))[0] *= 10 }))
	must(t, ecs.SetSingleton(q, A{5}))
	q.ParallelFor(chunkFunc(func(c *ecs.Chunk) { ecs.Column[Buf](c).At(0).Append(Elem{3}) }))
	b, err := ecs.Singleton[Buf](q)
	must(t, err)
	holds(t, b, 1, 2, 3)
	if v, err := ecs.Singleton[A](q); v.Value != 5 || err != nil {
		t.Error(v, err)
	}
	must(t, w.Sync())
}
