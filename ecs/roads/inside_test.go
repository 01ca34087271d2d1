package roads

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/scene"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// TestFaultsApply checks that a fault says whether its panic has been. The first world has no
// systems, so that no function of a tick can panic.
func TestFaultsApply(t *testing.T) {
	bare := &Subject{
		New:  func(pool *jobs.Pool) (*ecs.World, error) { return ecs.NewWorld("bare", ecs.OnPool(pool)), nil },
		Tick: func(*ecs.World) error { return nil },
	}
	full := &Subject{New: func(pool *jobs.Pool) (*ecs.World, error) {
		w, err := system.NewWorld("full", system.OnPool(pool))
		if err == nil {
			w.Spawn(coin{7})
		}
		return w, err
	}}
	fading := &Subject{New: func(pool *jobs.Pool) (*ecs.World, error) {
		w, err := system.NewWorld("fading", system.OnPool(pool), system.Only(system.Of[spender]()))
		if err == nil {
			w.Spawn(coin{7})
		}
		return w, err
	}}
	for _, c := range []struct {
		name    string
		subject *Subject
		fault   fault
		want    bool
	}{
		{"hook", bare, panicInHook, false},
		{"system", bare, panicInSystem, false},
		{"job", bare, panicInJob, false},
		{"writer", bare, panicInWriter, true},
		{"keys", bare, panicInKeys, false},
		{"capture", bare, panicInCapture, true},
		{"codec", bare, panicInCodec, false},
		{"system", full, panicInSystem, true},
		{"job", full, panicInJob, true},
		{"keys", full, panicInKeys, true},
		{"job", fading, panicInJob, false}, // its only chunk is gone when the job would visit it
	} {
		trip, err := newTrip(c.subject, 1, t.TempDir)
		if err != nil {
			t.Fatal(err)
		}
		trip.Rand = rand.New(rand.NewPCG(1, 2))
		m, err := trip.Mark()
		if err != nil {
			t.Fatal(err)
		}
		if done, err := c.fault(trip, m, 1); done != c.want || err != nil {
			t.Errorf("%s of a %s world: the panic was %v (%v), and must be %v", c.name, trip.World.Name(), done, err, c.want)
		}
		if err := trip.close(); err != nil {
			t.Error(err)
		}
	}
}

// spender destroys all coins before other systems of the tick.
type spender struct {
	_     system.First[system.Initialization]
	coins *ecs.Query
}

func (s *spender) Create(u *system.Setup) error {
	s.coins = u.Query(ecs.With[coin]())
	return nil
}

func (s *spender) Update(f *system.Frame) error {
	return ecs.DestroyAll(f.Commands(), ecs.Matching(s.coins))
}

// callingFiles calls a function at each Open, if it has one.
type callingFiles struct {
	files fs.FS
	call  atomic.Pointer[func()]
}

func (c *callingFiles) Open(name string) (fs.File, error) {
	if f := c.call.Load(); f != nil {
		(*f)()
	}
	return c.files.Open(name)
}

// TestPanicInLoad lets the goroutine panic that reads a sub-scene. The scene fails several ticks after
// that, so ticksWith must wait for it.
func TestPanicInLoad(t *testing.T) {
	files := &callingFiles{files: fstest.MapFS{"a.scene": {Data: []byte(`{"entities": {"a": {}}}`)}}}
	s := &Subject{New: func(pool *jobs.Pool) (*ecs.World, error) {
		w, err := system.NewWorld("park", system.OnPool(pool))
		if err == nil {
			scene.Load(w, "a.scene", 1)
			err = scene.Configure(w, scene.Config{Files: files, Delay: 5})
		}
		return w, err
	}}
	for _, panics := range []bool{true, false} {
		trip, err := newTrip(s, 1, t.TempDir)
		if err != nil {
			t.Fatal(err)
		}
		b := newBomb(1)
		if call := b.call; panics {
			files.call.Store(&call)
		}
		if err := trip.ticksWith(2); errors.Is(err, errBoom) != panics || b.hasPanicked() != panics {
			t.Errorf("a panic: %v; done: %v; the error: %v", panics, b.hasPanicked(), err)
		}
		files.call.Store(nil)
		if err := trip.close(); err != nil {
			t.Error(err)
		}
	}
}

// TestReloadWhileUnloading sends a world down road scene while a scene with a sub-scene waits to be
// unloaded. The road must not ask for the sub-scene, which is destroyed then.
func TestReloadWhileUnloading(t *testing.T) {
	files := fstest.MapFS{
		"park.scene": {Data: []byte(`{"entities": {"pond": {"SubScene": {"Path": "pond.scene"}, "Request": {}}}}`)},
		"pond.scene": {Data: []byte(`{"entities": {"fish": {}}}`)},
	}
	var park ecs.Entity
	s := &Subject{New: func(pool *jobs.Pool) (*ecs.World, error) {
		w, err := system.NewWorld("town", system.OnPool(pool))
		if err == nil {
			park = scene.Load(w, "park.scene", 1)
			err = scene.Configure(w, scene.Config{Files: files, Delay: 1})
		}
		return w, err
	}}
	trip, err := newTrip(s, 1, t.TempDir)
	if err != nil {
		t.Fatal(err)
	}
	trip.Rand = rand.New(rand.NewPCG(1, 2))
	before := trip.World.Len()
	err = errors.Join(trip.Tick(8), ecs.SetEnabled[scene.Request](trip.World, park, false))
	if n := trip.World.Len(); err != nil || n != before+2 {
		t.Fatalf("%d entities with both scenes (%v), want %d", n, err, before+2)
	}
	if err := reload(trip); err != nil {
		t.Error(err)
	}
	if err := trip.close(); err != nil {
		t.Error(err)
	}
}

// TestAgain checks that a shell reads the command which runs a program again.
func TestAgain(t *testing.T) {
	got := rerunCommand("TestA/it's_$(x)/b", []string{"-herd.food=3", "-herd.name=a b"}, Program{Workers: 1, Procs: 2, Path: "generic"})
	want := `go test -run '^TestA$/^it'\''s_\$\(x\)$/^b$' -herd.food=3 '-herd.name=a b' -roads.program='workers=1 procs=2 path=generic:'`
	if got != want {
		t.Errorf("the command is\n%s, and must be\n%s", got, want)
	}
}
