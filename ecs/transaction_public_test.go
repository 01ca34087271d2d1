package ecs_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// wantRefusal checks that an error is of category ErrState and names the operation.
func wantRefusal(t *testing.T, err error, op string) {
	t.Helper()
	if !errors.Is(err, ecs.ErrState) || !strings.HasPrefix(err.Error(), "ecs: "+op+": ") {
		t.Errorf("got error %v, want ErrState of %s", err, op)
	}
}

// panicError returns the error with which f panics.
func panicError(f func()) (err error) {
	defer func() { err, _ = recover().(error) }()
	f()
	return nil
}

// fill is a job whose type has a name, which errors show.
type fill struct {
	n   int
	err error
}

func (f *fill) Change(w *ecs.World) error {
	for range f.n {
		w.Spawn(Place{})
	}
	return f.err
}

// End must return the errors of all jobs, in their order. A world that is lent cannot be lent
// again.
func TestJobs(t *testing.T) {
	w := ecs.NewWorld(t.Name())
	x, err := ecs.BeginTransaction(w)
	if err != nil {
		t.Fatal(err)
	}
	y, err := ecs.BeginTransaction(w)
	if wantRefusal(t, err, "BeginTransaction"); y != nil {
		t.Error("there is a transaction beside the error")
	}
	first, second := errors.New("the first"), errors.New("the second")
	last := x.Schedule(&fill{3, second}, x.Schedule(&fill{2, first}))
	if err := x.End(); !errors.Is(err, first) || !errors.Is(err, second) || err.Error() != "the first\nthe second" {
		t.Errorf("got error %v", err)
	}
	if w.Len() != 5 || !last.Done() || w.InTransaction() {
		t.Errorf("%d entities; the world is lent: %v", w.Len(), w.InTransaction())
	}
	wantRefusal(t, x.End(), "Transaction.End")
	wantRefusal(t, panicError(func() { x.Schedule(&fill{}) }), "Transaction.Schedule")
}

// A zero Transaction has no world, and returns clear errors.
func TestZeroTransaction(t *testing.T) {
	for _, x := range []*ecs.Transaction{nil, {}} {
		wantRefusal(t, x.End(), "Transaction.End")
		wantRefusal(t, panicError(func() { x.Schedule(&fill{}) }), "Transaction.Schedule")
		if !x.Done() {
			t.Error("it waits for something")
		}
	}
}
