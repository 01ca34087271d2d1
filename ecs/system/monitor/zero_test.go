package monitor_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/system/monitor"
)

// panicOf returns what f panics with.
func panicOf(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if err, _ = r.(error); err == nil {
				err = fmt.Errorf("%v", r)
			}
		}
	}()
	f()
	return nil
}

// What was not made, or is not there, is named, with what it is from.
func TestZero(t *testing.T) {
	w := world()
	half, done := monitor.BeginSnapshot(w), monitor.BeginSnapshot(w)
	if half.Continue(func() bool { return true }) || !done.Continue(nil) {
		t.Fatal("a snapshot does not end when it is time to, or before")
	}
	done.Explain()
	none := system.InstanceOf(w, &Drive{})
	for _, tt := range []struct {
		want string
		as   error
		f    func()
	}{
		{"Snapshot.Continue: the snapshot is the zero Snapshot", ecs.ErrState, func() { new(monitor.Snapshot).Continue(nil) }},
		{"Snapshot.Explain: the snapshot is the zero Snapshot", ecs.ErrState, func() { new(monitor.Snapshot).Explain() }},
		{"Snapshot.Explain: the snapshot is the zero Snapshot", ecs.ErrState, func() { (*monitor.Snapshot)(nil).Explain() }},
		{"Snapshot.Explain: not all is copied yet", ecs.ErrState, func() { half.Explain() }},
		{"Snapshot.Explain: it was called already", ecs.ErrState, func() { done.Explain() }},
		{"Hold: the border is nil", ecs.ErrArgument, func() { monitor.Hold(nil, func() {}) }},
		{"Hold: the function is nil", ecs.ErrArgument, func() { monitor.Hold(&monitor.Border{}, nil) }},
		{"Idle: the instance is nil", ecs.ErrArgument, func() { monitor.Idle(none) }},
		{"Queries: the instance is nil", ecs.ErrArgument, func() { monitor.Queries(none) }},
		{"Touches: the instance is nil", ecs.ErrArgument, func() { monitor.Touches(none) }},
		{"AppendSamples: the instance is nil", ecs.ErrArgument, func() { monitor.AppendSamples(nil, none, 0) }},
		{"BeginSnapshot: the world is nil", ecs.ErrArgument, func() { monitor.BeginSnapshot(nil) }},
	} {
		if err := panicOf(tt.f); !errors.Is(err, tt.as) || !strings.HasPrefix(err.Error(), "system: monitor."+tt.want) {
			t.Errorf("got panic %v, want %q", err, tt.want)
		}
	}
	if half.Continue(nil); half.Explain().World != "example" {
		t.Error("the other half is missing")
	}
}
