package ecs

import (
	"strings"
	"testing"
)

// Conformance: 156
func TestSingleton(t *testing.T) {
	w := newWorld(t, 1)
	q := w.Query(Write[A]())
	if v, ok := FindSingleton[A](q); ok {
		t.Errorf("there is none, and it is %v", v)
	}
	if e, ok := q.FindSingle(); ok {
		t.Errorf("there is none, and it is %v", e)
	}
	_, err := Singleton[A](q)
	fails(t, ErrState, err)
	_, err = q.Single()
	fails(t, ErrState, err)
	fails(t, ErrState, SetSingleton(q, A{1}))
	e := w.Spawn(A{1}, B{2, 3})
	w.at(50)
	must(t, SetSingleton(q, A{7}))
	if v, err := Singleton[A](q); v.Value != 7 || err != nil {
		t.Error(v, err)
	}
	if v := ChangeVersion[A](w, e); v != 50 {
		t.Errorf("the version is %d", v)
	}
	if v, ok := FindSingleton[A](q); v.Value != 7 || !ok {
		t.Error(v, ok)
	}
	if got, ok := q.FindSingle(); got != e || !ok {
		t.Error(got, ok)
	}
	if got, err := q.Single(); got != e || err != nil {
		t.Error(got, err)
	}
	_, err = Singleton[B](q)
	fails(t, ErrState, err) // no term for it
	fails(t, ErrState, SetSingleton(w.Query(Read[A]()), A{8}))
	w.Spawn(A{2})
	_, err = Singleton[A](q)
	fails(t, ErrState, err)
	if !strings.Contains(err.Error(), "ecs.A") || !strings.Contains(err.Error(), "2 entities") {
		t.Error(err)
	}
	fails(t, ErrState, SetSingleton(q, A{1}))
	panics(t, ErrState, func() { FindSingleton[A](q) })
	if v, err := Singleton[A](w.Query(Read[A](), With[B]())); v.Value != 7 || err != nil {
		t.Error(v, err)
	}
	must(t, q.Close())
	_, err = Singleton[A](q)
	fails(t, ErrDisposed, err)
	_, err = q.Single()
	fails(t, ErrDisposed, err)
	fails(t, ErrDisposed, SetSingleton(q, A{}))
}

// Conformance: 158
func TestSingletonWithoutValue(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(Tag{}, En{Value: 3}, A{4}, Sh{Value: 5}, Obj{}, BufferOf(elems(1, 2)...))
	_, err := Singleton[Tag](w.Query(With[Tag]()))
	fails(t, ErrState, err)
	fails(t, ErrState, SetSingleton(w.Query(Write[Tag]()), Tag{}))
	_, err = Singleton[En](w.Query(Read[En]()))
	fails(t, ErrState, err)
	panics(t, ErrState, func() { FindSingleton[En](w.Query(Read[En]())) })
	if got, err := w.Query(With[Tag]()).Single(); got != e || err != nil {
		t.Error(got, err)
	}
	q := w.Query(Write[A](), With[En]()) // the query has another component that can be off
	if v, err := Singleton[A](q); v.Value != 4 || err != nil {
		t.Error(v, err)
	}
	must(t, SetEnabled[En](w, e, false))
	_, err = Singleton[A](q)
	fails(t, ErrState, err)
	// The second of two is the singleton while the first is off.
	other := w.Spawn(A{9}, En{})
	if v, err := Singleton[A](q); v.Value != 9 || err != nil {
		t.Error(v, err)
	}
	must(t, w.Destroy(other))
	if v, err := Singleton[Sh](w.Query(With[Sh]())); v.Value != 5 || err != nil {
		t.Error(v, err)
	}
	must(t, SetSingleton(w.Query(With[Sh]()), Sh{Value: 6}))
	must(t, SetSingleton(w.Query(Write[Obj]()), Obj{Number: new(int32)}))
	if v, err := Singleton[Obj](w.Query(Read[Obj]())); v.Number == nil || err != nil {
		t.Error(v, err)
	}
	only, err := Singleton[Buf](w.Query(Read[Buf]()))
	must(t, err)
	panics(t, ErrState, func() { only.Append(Elem{3}) })
	w.at(60)
	b, err := Singleton[Buf](w.Query(Write[Buf]()))
	must(t, err)
	b.Append(Elem{3})
	holds(t, only, 1, 2, 3)
	if v := ChangeVersion[Buf](w, e); v != 60 {
		t.Errorf("the version is %d", v)
	}
	must(t, w.integrity())
}

// Conformance: 159
func TestCreateSingleton(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(A{1}, Prefab{})     // a model does not count
	w.Spawn(C{}, PerChunk[A]{}) // the value of a chunk does not count
	e, err := CreateSingleton(w, A{5})
	must(t, err)
	if got := get[A](t, w, e); got.Value != 5 {
		t.Error(got)
	}
	_, err = CreateSingleton(w, A{6})
	fails(t, ErrState, err)
	tag, err := CreateSingleton(w, Tag{})
	must(t, err)
	_, err = CreateSingleton(w, Tag{})
	fails(t, ErrState, err)
	w.Spawn(A{7})
	panics(t, ErrState, func() { w.Query(With[A]()).FindSingle() })
	must(t, w.Destroy(tag))
	if e, ok := w.Query(With[Tag]()).FindSingle(); ok {
		t.Error(e)
	}
	if _, err = CreateSingleton(w, Tag{}); err != nil {
		t.Error(err)
	}
	_, err = CreateSingleton[int32](w, 1)
	fails(t, ErrArgument, err)
	must(t, w.Close())
	_, err = CreateSingleton(w, B{})
	fails(t, ErrDisposed, err)
}

// A singleton is read and written after the jobs are done.
func TestSingletonAndJobs(t *testing.T) {
	w := newWorld(t, 2)
	w.Spawn(A{1}, BufferOf(elems(1)...))
	q := w.Query(Write[A](), Write[Buf]())
	q.ParallelFor(chunkFunc(func(c *Chunk) {
		(*Column[A](c))[0]++
		Column[Buf](c).At(0).Append(Elem{2})
		_, err := Singleton[A](q)
		fails(t, ErrState, err)
		_, err = q.Single()
		fails(t, ErrState, err)
	}))
	if v, err := Singleton[A](q); v.Value != 2 || err != nil {
		t.Error(v, err)
	}
	q.ParallelFor(chunkFunc(func(c *Chunk) { (*Column[A](c))[0] *= 10 }))
	must(t, SetSingleton(q, A{5}))
	q.ParallelFor(chunkFunc(func(c *Chunk) { Column[Buf](c).At(0).Append(Elem{3}) }))
	b, err := Singleton[Buf](q)
	must(t, err)
	holds(t, b, 1, 2, 3)
	if v, err := Singleton[A](q); v.Value != 5 || err != nil {
		t.Error(v, err)
	}
	must(t, w.Sync())
}
