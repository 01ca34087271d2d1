package system_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// panicOf returns the value with which f panics.
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

// If a program calls a method of a nil or zero value, the error names the value and the function that
// returns a valid value.
func TestZero(t *testing.T) {
	w := world(system.Of[Stir](), system.Of[Drift]())
	half, done := system.NewExplainer(w), system.NewExplainer(w)
	if half.Continue(func() bool { return true }) || !done.Continue(nil) {
		t.Fatal("an explainer does not end when it is time to, or before")
	}
	done.Report()
	none := system.InstanceOf(w, &Drift{})
	for _, tt := range []struct {
		want string
		as   error
		f    func()
	}{
		{"Explainer.Continue: the explainer is the zero Explainer", ecs.ErrState, func() { new(system.Explainer).Continue(nil) }},
		{"Explainer.Report: the explainer is the zero Explainer", ecs.ErrState, func() { new(system.Explainer).Report() }},
		{"Explainer.Report: the explainer is the zero Explainer", ecs.ErrState, func() { (*system.Explainer)(nil).Report() }},
		{"Explainer.Report: not all is copied yet", ecs.ErrState, func() { half.Report() }},
		{"Explainer.Report: it was called already", ecs.ErrState, func() { done.Report() }},
		{"FrameEnd.Pause: the end of the frame is nil", ecs.ErrArgument, func() { (*system.FrameEnd)(nil).Pause(func() {}) }},
		{"FrameEnd.Pause: the function is nil", ecs.ErrArgument, func() { (&system.FrameEnd{}).Pause(nil) }},
		{"Instance.IdleReason: the instance is nil", ecs.ErrArgument, func() { none.IdleReason() }},
		{"Instance.Queries: the instance is nil", ecs.ErrArgument, func() { none.Queries() }},
		{"Instance.Components: the instance is nil", ecs.ErrArgument, func() { none.Components() }},
		{"Instance.AppendSamples: the instance is nil", ecs.ErrArgument, func() { none.AppendSamples(nil, 0) }},
		{"NewExplainer: the world is nil", ecs.ErrArgument, func() { system.NewExplainer(nil) }},
	} {
		if err := panicOf(tt.f); !errors.Is(err, tt.as) || !strings.HasPrefix(err.Error(), "system: "+tt.want) {
			t.Errorf("got panic %v, want %q", err, tt.want)
		}
	}
	if half.Continue(nil); half.Report().World != "example" {
		t.Error("the other half is missing")
	}
}
