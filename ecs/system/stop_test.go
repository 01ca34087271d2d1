package system

import (
	"errors"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// leaver is a system with something to do when it stops.
type leaver struct {
	nothing
	stop  func(*Frame) error
	stops int
}

func (l *leaver) StopRunning(f *Frame) error {
	l.stops++
	if l.stop == nil {
		return nil
	}
	return l.stop(f)
}

// stopBoth makes a group of a group of first and second, lets it run, and
// disables it. What its next turn returns is what came of the stopping.
func stopBoth(b *bench, first, second *leaver) error {
	b.Helper()
	b.adopt(first)
	b.adopt(second)
	g := b.group(b.group(first, second))
	b.ok(g.instance().Update())
	g.instance().SetEnabled(false)
	return g.instance().Update()
}

// When a group stops, every member does, and what goes wrong in each is told.
func TestStopFails(t *testing.T) {
	errFirst := errors.New("first")
	fail := func(*Frame) error { return errFirst }
	burst := func(*Frame) error { panic(errBroken) }
	for _, tt := range []struct {
		name          string
		first, second func(*Frame) error
		want          []error
	}{
		{"first fails", fail, nil, []error{errFirst}},
		{"second fails", nil, fail, []error{errFirst}},
		{"first panics", burst, nil, []error{errBroken}},
		{"both", fail, burst, []error{errFirst, errBroken}},
		{"neither", nil, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			first, second := &leaver{stop: tt.first}, &leaver{stop: tt.second}
			err := stopBoth(b, first, second)
			if (err != nil) != (tt.want != nil) {
				t.Fatalf("error %v, want %v", err, tt.want)
			}
			for _, want := range tt.want {
				if !errors.Is(err, want) || !strings.Contains(err.Error(), "system.leaver: StopRunning: ") {
					t.Errorf("error %v does not tell of %v in StopRunning", err, want)
				}
			}
			if first.stops != 1 || second.stops != 1 || InstanceOf(b.w, first).Running() || InstanceOf(b.w, second).Running() {
				t.Errorf("the members were stopped %d and %d times, want once each", first.stops, second.stops)
			}
		})
	}
}

// What StopRunning records for after it is played, member by member, and not
// what one has recorded that failed.
func TestStopPlaysPost(t *testing.T) {
	spawn := func(n int, err error) func(*Frame) error {
		return func(f *Frame) error {
			for range n {
				if _, err := f.Post().Spawn(alpha{1}); err != nil {
					return err
				}
			}
			return err
		}
	}
	b := newBench(t)
	b.ok(stopBoth(b, &leaver{stop: spawn(1, nil)}, &leaver{stop: spawn(70, nil)}))
	if b.w.Len() != 71 {
		t.Errorf("%d entities after two members have stopped, want 71", b.w.Len())
	}
	if err := stopBoth(b, &leaver{stop: spawn(3, errBroken)}, &leaver{stop: spawn(5, nil)}); !errors.Is(err, errBroken) || b.w.Len() != 76 {
		t.Errorf("%d entities after one has failed, want 76; error %v", b.w.Len(), err)
	}
	dead := b.w.Spawn(alpha{})
	b.ok(b.w.Destroy(dead))
	late := &leaver{stop: func(f *Frame) error { return ecs.Set(f.Post(), dead, alpha{}) }}
	if err := stopBoth(b, late, &leaver{stop: spawn(1, nil)}); !errors.Is(err, ecs.ErrArgument) || !strings.Contains(err.Error(), "system.leaver: post commands: ") || b.w.Len() != 77 {
		t.Errorf("%d entities, want 77; error %v", b.w.Len(), err)
	}
}
