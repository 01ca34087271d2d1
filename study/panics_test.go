package study

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// fussy is a model that panics in a chosen call of one of its methods.
type fussy struct {
	Ticks int `default:"3"`

	walkers *ecs.Query
}

// far is the distance of a walk.
type far struct{ X float64 }

func (far) Column() (c struct{ X []float64 }) { return }

var (
	fussyCalls  []string // the calls of a run
	fussyPanics int      // the number of the call that panics; 0 for none
)

func (m *fussy) distance() (sum float64) {
	for c := range m.walkers.Chunks() {
		for _, x := range ecs.ReadColumn[far](c).X {
			sum += x
		}
	}
	return sum
}

func call(name string) {
	if fussyCalls = append(fussyCalls, name); len(fussyCalls) == fussyPanics {
		panic(fmt.Sprintf("call %d, %s", fussyPanics, name))
	}
}

func (m *fussy) Setup(r *Run) (*ecs.World, error) {
	w := ecs.NewWorld("fussy", ecs.OnPool(r.Pool()))
	m.walkers = w.Query(ecs.Write[far]())
	w.Create(w.Archetype(ecs.With[far]()), 100)
	call("Setup")
	return w, nil
}

func (m *fussy) Step(r *Run) (bool, error) {
	for c := range m.walkers.Chunks() {
		x := ecs.Column[far](c).X
		for i := range x {
			x[i] += r.Unit(uint64(i), 1)
		}
		call("Step") // within a loop over chunks
	}
	Emit(r, Walked{Distance: m.distance(), Ticks: r.Tick})
	return r.Tick+1 < m.Ticks, nil
}

func (m *fussy) Result(*Run) Walked {
	call("Result")
	return Walked{Distance: m.distance()}
}

func (m *fussy) Save(r *Run, w io.Writer) error {
	if err := SaveWorld(r, w); err != nil {
		return err
	}
	call("Save")
	return nil
}

func (m *fussy) Load(r *Run, from io.Reader) (*ecs.World, error) {
	w, err := m.Setup(r)
	if err != nil {
		return w, err
	}
	err = LoadWorld(w, from)
	call("Load")
	return w, err
}

// TestPanicAtEachCall panics in each call of a method of the model. The panic must be recorded with
// its message, and the state saved before must be complete. A run that starts again must have the same
// result. The next run in the process must have the same result too.
//
// Conformance: 509
func TestPanicAtEachCall(t *testing.T) {
	p := programOf[*fussy]("test")
	pool := jobs.New(jobs.Workers(1))
	defer pool.Close()
	run := func(panics, saves int) (o *outcome, kept []byte, told string) {
		t.Helper()
		keep := func(k *runSaver) task {
			k.id, k.isDue = "me", func(tick int) bool { return tick == saves }
			k.restarted = func(why string) { told += why }
			return task{values: []string{"3"}, keep: k}
		}
		fussyCalls, fussyPanics = nil, panics
		if saves > 0 { // recover, and continue
			k := &runSaver{read: func() ([]byte, error) { return nil, fs.ErrNotExist }, write: func(b []byte) error {
				kept = b
				return errSuspended
			}}
			o, err := p.execute(t.Context(), keep(k), pool)
			if !errors.Is(err, errSuspended) {
				return o, kept, told
			}
		}
		k := &runSaver{read: func() ([]byte, error) { return kept, nil }, write: func([]byte) error { return nil }}
		if saves = -1; kept == nil {
			k.read = func() ([]byte, error) { return nil, fs.ErrNotExist }
		}
		o, err := p.execute(t.Context(), keep(k), pool)
		if err != nil {
			t.Fatal(err)
		}
		return o, kept, told
	}
	want, _, _ := run(0, 0)
	if want.state != OK {
		t.Fatal(want.state, want.Why)
	}
	for _, saves := range []int{0, 2} {
		if o, _, _ := run(0, saves); o.difference(want) != "" {
			t.Fatalf("undisturbed: %s", o.difference(want))
		}
		names := fussyCalls
		for k := 1; k <= len(names); k++ {
			o, kept, told := run(k, saves)
			text := fmt.Sprintf("call %d, %s", k, names[k-1])
			loads := saves > 0 && k > saves+2 && k <= saves+4 // Setup and Load of the saved state
			switch {
			case loads && (o.state != OK || o.difference(want) != "" || !strings.Contains(told, "panic: "+text)):
				t.Errorf("%s: %v, told %q", text, o.state, told)
			case !loads && (o.state != Panic || o.Why != text || told != "" || !strings.Contains(o.Stack, "fussy")):
				t.Errorf("%s: %v: %s; told %q", text, o.state, o.Why, told)
			case names[k-1] == "Save" && kept != nil:
				t.Errorf("%s: something is kept", text)
			case loads && slices.ContainsFunc(system.Worlds(), func(w *ecs.World) bool { return w.Pool() == pool }):
				t.Errorf("%s: a world is left open", text)
			}
			if o, _, _ := run(0, 0); o.state != OK || o.difference(want) != "" {
				t.Errorf("after %s: %v, %s", text, o.state, o.difference(want))
			}
		}
		if saves > 0 && fmt.Sprint(names) != "[Setup Step Step Save Setup Load Step Result]" {
			t.Errorf("calls %v", names)
		}
	}
}
