package arrow_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"testing"

	upstream "github.com/apache/arrow-go/v18/arrow"

	"github.com/lanewise/lanewise/arrow"
	"github.com/lanewise/lanewise/ecs"
)

type (
	heap struct{ Grain float32 }
	next struct{ To ecs.Entity }
)

// TestHandlesOutlive checks handles after a Restore. A Source and its Views show the restored world.
// An Importer that began before the Restore is refused, because its ids may now belong to other
// entities. After Close, all are refused.
func TestHandlesOutlive(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	from := ecs.NewWorld("from")
	a := from.Spawn(heap{1})
	from.Spawn(heap{2}, next{a})
	from.Spawn(heap{3}, next{a})
	terms := []ecs.Term{ecs.Read[heap](), ecs.Optional(ecs.Read[next]())}
	s, err := arrow.New(from, terms...)
	must(err)
	var batches []upstream.RecordBatch
	for b := range s.Gathered(2) {
		b.Retain()
		batches = append(batches, b)
		defer b.Release()
	}

	w := ecs.NewWorld("into")
	stays := w.Spawn(heap{9})
	m, err := ecs.Capture(w, nil)
	must(err)
	begun, err := arrow.NewImporter(w, terms...)
	must(err)
	added, err := arrow.NewImporter(w, terms...)
	must(err)
	must(added.Add(batches[0]))
	source, err := arrow.New(w, ecs.Read[heap]())
	must(err)
	shown := func() (list []float32) {
		views, err := source.Views()
		must(err)
		for v := range views {
			b, err := v.Batch()
			must(err)
			for i := range int(b.NumRows()) {
				var x float32
				_, err := fmt.Sscan(b.Column(1).ValueStr(i), &x)
				must(err)
				list = append(list, x)
			}
		}
		return list
	}
	if got, want := shown(), []float32{9, 1, 2}; !reflect.DeepEqual(got, want) {
		t.Errorf("the views have %v, want %v", got, want)
	}
	must(ecs.Restore(w, m))
	if got, want := shown(), []float32{9}; !reflect.DeepEqual(got, want) {
		t.Errorf("after Restore the views have %v, want %v", got, want)
	}
	var others []ecs.Entity // with the ids of the importer's entities
	for range 3 {
		others = append(others, w.Spawn(heap{}, next{stays}))
	}
	hash := w.Hash()
	for name, im := range map[string]*arrow.Importer{"begun": begun, "added": added} {
		if err := im.Add(batches[1]); !errors.Is(err, ecs.ErrState) {
			t.Errorf("%s: Add after Restore: %v, want ErrState", name, err)
		}
		if ids, err := im.Close(); !errors.Is(err, ecs.ErrState) || ids != nil {
			t.Errorf("%s: Close after Restore: %v, %v, want ErrState", name, ids, err)
		}
	}
	for _, e := range others {
		if v, err := ecs.Get[next](w, e); err != nil || v.To != stays {
			t.Errorf("entity %v, which no importer has made, leads to %v, want %v: %v", e, v.To, stays, err)
		}
	}
	if w.Hash() != hash {
		t.Error("the world has changed")
	}
	again, err := arrow.NewImporter(w, terms...)
	must(err)
	must(again.Add(batches[0]))
	must(again.Add(batches[1]))
	_, err = again.Close()
	must(err)

	open, err := arrow.NewImporter(w, terms...)
	must(err)
	must(w.Close())
	if err := open.Add(batches[0]); !errors.Is(err, ecs.ErrDisposed) {
		t.Errorf("Add after Close of the world: %v, want ErrDisposed", err)
	}
	for name, f := range map[string]func(){
		"Views":       func() { shown() },
		"WriteStream": func() { _ = source.WriteStream(new(bytes.Buffer)) },
		"New":         func() { _, _ = arrow.New(w, ecs.Read[heap]()) },
	} {
		func() {
			defer func() {
				err, _ := recover().(error)
				if !errors.Is(err, ecs.ErrDisposed) {
					t.Errorf("%s after Close of the world: %v, want a panic with ErrDisposed", name, err)
				}
			}()
			f()
		}()
	}
}
