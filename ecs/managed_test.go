package ecs

import (
	"runtime"
	"testing"
)

// Obj is a managed component with a pointer to its number.
type Obj struct {
	Managed
	Number *int32
	Self   Entity
}

func (Obj) Column() (c []Obj) { return }

func (o Obj) number() int32 {
	if o.Number == nil {
		return 0
	}
	return *o.Number
}

// ObjEn and ObjCl are valid variants; ObjView and ElemObj are not valid.
type (
	ObjEn struct {
		Managed
		Enableable
		Text string
	}
	ObjCl struct {
		Managed
		Cleanup
		Text string
	}
	ObjView struct {
		Managed
		Text string
	}
	ElemObj struct {
		Managed
		Value int32
	}
	ObjShared struct {
		Managed
		Shared
	}
)

func (ObjView) Column() (c struct{ Text []string }) { return }

// TestManaged checks that every operation works with a component that has pointers.
func TestManaged(t *testing.T) {
	w := newWorld(t, 2)
	n := func(v int32) Obj { return Obj{Number: &v} }
	e := w.Spawn(n(1), A{1})
	f := w.Spawn(A{2})
	must(t, Add(w, f, n(2)))
	cmd := w.NewCommands()
	g, err := cmd.Spawn(n(3), A{3})
	must(t, err)
	must(t, Set(cmd, f, n(20)))
	must(t, Add(cmd, g, Obj{Number: n(30).Number, Self: g}))
	must(t, cmd.Playback(w))
	q := w.Query(Write[Obj]())
	sum := int32(0)
	for c := range q.Chunks() {
		list := *Column[Obj](c)
		for i := range list {
			sum += list[i].number()
			if c.Entities()[i] != e && c.Entities()[i] != f && list[i].Self != c.Entities()[i] {
				t.Errorf("the deferred id became %v", list[i].Self)
			}
			list[i].Number = n(list[i].number() + 100).Number
		}
		if len(*ReadColumn[Obj](c)) != 3 || len(*ColumnPadded[Obj](c)) < 3 {
			t.Error("the column has another length")
		}
	}
	if look := NewWorldLookup[Obj](w); sum != 51 || get[Obj](t, w, e).number() != 101 || !look.Set(e, n(7)) {
		t.Errorf("the sum is %d", sum)
	} else if v, ok := look.Get(e); !ok || v.number() != 7 {
		t.Error("the look-up does not see what it has set")
	}
	must(t, Set(w, e, Obj{Number: n(8).Number, Self: e}))
	copies, err := w.Instantiate(e, 2)
	must(t, err)
	for _, id := range copies {
		if v := get[Obj](t, w, id); v.number() != 8 || v.Self != id {
			t.Errorf("the copy %v has %d and refers to %v", id, v.number(), v.Self)
		}
	}
	must(t, AddTypes(w, Matching(q), With[Tag]()))
	must(t, AddAll(w, Matching(q), Sh{Value: 3}))
	if _, err := Remove[A](w, e); err != nil || get[Obj](t, w, e).number() != 8 {
		t.Errorf("the value is lost on the way: %v", err)
	}
	must(t, integrity(w))
}

// TestManagedFlavours checks that invalid kinds of managed components are refused, and that valid
// kinds work.
func TestManagedFlavours(t *testing.T) {
	w := newWorld(t, 1)
	for _, v := range []any{ObjView{}, BufferOf(ElemObj{}), ObjShared{}} {
		wantPanic(t, ErrArgument, func() { w.Spawn(v) })
	}
	e := w.Spawn(ObjEn{Text: "a"}, ObjCl{Text: "b"})
	must(t, SetEnabled[ObjEn](w, e, false))
	if w.Query(With[ObjEn]()).Count() != 0 || get[ObjEn](t, w, e).Text != "a" {
		t.Error("a managed component cannot be turned off")
	}
	must(t, w.Destroy(e))
	if get[ObjCl](t, w, e).Text != "b" || Has[ObjEn](w, e) {
		t.Error("a managed cleanup component is lost")
	}
	if _, err := Remove[ObjCl](w, e); err != nil || w.Exists(e) {
		t.Errorf("the entity outlives its cleanup: %v", err)
	}
}

// TestManagedIsLetGo checks that the garbage collector frees objects of removed rows.
func TestManagedIsLetGo(t *testing.T) {
	w := newWorld(t, 1)
	freed := make(chan bool, 1)
	held := &new([64]int32)[0] // too large to share its memory with other objects
	runtime.AddCleanup(held, func(bool) { freed <- true }, true)
	e := w.Spawn(Obj{Number: held}) // held is not used after this
	w.Spawn(Obj{})
	must(t, w.Destroy(e))
	for range 100 {
		runtime.GC()
		select {
		case <-freed:
			return
		default:
			runtime.Gosched()
		}
	}
	t.Error("what a destroyed entity has held is still there")
}
