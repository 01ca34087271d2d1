package profile

import (
	"testing"
	"time"
)

// TestKeepsTheLast checks that a ring keeps the newest events and returns them from the oldest to the
// newest.
func TestKeepsTheLast(t *testing.T) {
	var s Source
	s.Init(2)
	r := s.Recorder()
	r.Record(3)
	w := s.NewWorker(1, false)
	for n := range 5 {
		p := w.Begin(nil)
		p.End("job", n)
		list := r.AppendEvents(nil, 0)
		if want := min(n+1, 3); len(list) != want {
			t.Errorf("len(list) is %v, want %v: after %d: %+v", len(list), want, n, list)
		} else if list[want-1].Blocks != n {
			t.Errorf("list[want-1].Blocks is %v, want %v: after %d: %+v", list[want-1].Blocks, n, n, list)
		} else if list[0].Blocks != n+1-want {
			t.Errorf("list[0].Blocks is %v, want %v: after %d: %+v", list[0].Blocks, n+1-want, n, list)
		} else if list[0].Worker != 1 {
			t.Errorf("list[0].Worker is %v, want 1: after %d: %+v", list[0].Worker, n, list)
		} else if list[0].Caller {
			t.Errorf("list[0].Caller: after %d: %+v", n, list)
		}
		if late := r.AppendEvents(nil, list[len(list)-1].End); len(late) != 0 {
			t.Errorf("after the newest there are %+v", late)
		}
	}
	r.Record(0)
	if w.Begin(nil) != (Piece{}) {
		t.Errorf("something is kept after the end: w.Begin(nil) != (Piece{})")
	} else if len(r.AppendEvents(nil, 0)) != 0 {
		t.Errorf("something is kept after the end: len(r.AppendEvents(nil, 0)) != 0")
	}
}

// TestPieceOutlivesItsRing checks a piece whose ring is replaced while it runs. Recording the end of
// that piece must be safe, although no reader sees it.
func TestPieceOutlivesItsRing(t *testing.T) {
	var s Source
	s.Init(1)
	w, r := s.NewWorker(0, true), s.Recorder()
	m := r.NewMeter()
	r.Record(2)
	p := w.Begin(m)
	r.Record(1)
	p.End("job", 0)
	if list := r.AppendEvents(nil, 0); len(list) != 0 {
		t.Errorf("a new ring has %+v", list)
	}
	if busy, first, last := m.Take(); busy != last-first {
		t.Errorf("busy != last-first: busy for %v, from %v to %v", busy, first, last)
	} else if first <= 0 {
		t.Errorf("first <= 0: busy for %v, from %v to %v", busy, first, last)
	} else if last > Clock() {
		t.Errorf("last > Clock(): busy for %v, from %v to %v", busy, first, last)
	} else if busy > time.Minute {
		t.Errorf("busy > time.Minute: busy for %v, from %v to %v", busy, first, last)
	}
}
