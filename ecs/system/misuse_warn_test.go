package system_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs/system"
)

// These systems compile, but do not do what their authors expect.
type (
	unityHooks struct{ _ system.In[system.Simulation] }
	ownHooks   struct{ n int }
	byValue    struct {
		_ system.In[system.Simulation]
		n int
	}
	byValueBare struct{ _ system.In[system.Simulation] }
	byPointer   struct{ n int }
	promoted    struct{ *byPointer }
	marked      struct {
		_ system.In[system.Presentation]
	}
	embedsMarked struct{ marked }
	ownMark      struct {
		marked
		_ system.In[system.Simulation]
	}
	lostGroup struct {
		system.Group
		_ system.In[system.Simulation]
	}
	inLostGroup struct{ _ system.In[lostGroup] }
)

func (*unityHooks) OnCreate(*system.Setup) error { return nil }
func (*unityHooks) OnStartRunning(*system.Frame) {}
func (*unityHooks) OnUpdate(*system.Frame) error { return nil }
func (*unityHooks) OnStopRunning()               {}
func (*unityHooks) OnDestroy(*system.Setup)      {}
func (*unityHooks) Update(*system.Frame) error   { return nil }
func (*ownHooks) OnUpdate(dt float64)            {}
func (*ownHooks) Update(*system.Frame) error     { return nil }
func (b byValue) Create(*system.Setup) error     { return nil }
func (b byValue) Update(*system.Frame) error     { return nil }
func (byValueBare) Update(*system.Frame) error   { return nil }
func (*byPointer) Update(*system.Frame) error    { return nil }
func (*embedsMarked) Update(*system.Frame) error { return nil }
func (*ownMark) Update(*system.Frame) error      { return nil }
func (*inLostGroup) Update(*system.Frame) error  { return nil }

// The literals below use the fields of these types, which give the types state and let others embed
// them.
var _ = []any{ownHooks{n: 1}, byValue{n: 1}, byPointer{n: 1}, embedsMarked{marked: marked{}}, ownMark{marked: marked{}}}

// logged returns the text that the default logger has written.
type logged func() string

func (l logged) String() string { return l() }

// captureLog makes the default logger write to memory during the test, or for GOOS=js, to a file.
func captureLog(t *testing.T) logged {
	if runtime.GOOS == "js" {
		f, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
		if err != nil {
			t.Fatal(err)
		}
		before := os.Stderr
		os.Stderr = f
		t.Cleanup(func() {
			os.Stderr = before
			_ = f.Close()
		})
		return func() string {
			text, err := os.ReadFile(f.Name())
			if err != nil {
				t.Error(err)
			}
			return string(text)
		}
	}
	b, before := new(bytes.Buffer), slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(b, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return b.String
}

// A method that is never called, or whose writes are lost, causes a warning when the system is
// created. The default logger gets the warning once for all worlds. The logger of a world gets
// the warning once for this world; if that logger is nil, the warning is not logged. Warnings
// returns the warning in every case.
func TestSilentTraps(t *testing.T) {
	for name, c := range map[string]struct {
		typ  *system.Type
		want []string
	}{
		"Unity's names": {system.Of[unityHooks](), []string{
			"OnCreate is never called", "call it Create(*system.Setup) error", "OnStartRunning is never called", "OnUpdate is never called", "OnStopRunning is never called", "OnDestroy is never called",
		}},
		"names of its own":          {system.Of[ownHooks](), nil},
		"value receivers":           {system.Of[byValue](), []string{"Create has a value receiver", "Update has a value receiver", "declare it func (s *byValue) Update(*system.Frame) error"}},
		"nothing to lose":           {system.Of[byValueBare](), nil},
		"promoted":                  {system.Of[promoted](), nil},
		"embedded attributes":       {system.Of[embedsMarked](), []string{"it embeds", "whose attributes do not count"}},
		"attributes of its own":     {system.Of[ownMark](), nil},
		"a group that is not there": {system.Of[inLostGroup](), []string{"which this world does not have, and will not be updated", "register the group"}},
	} {
		t.Run(name, func(t *testing.T) {
			def := captureLog(t)
			var own bytes.Buffer
			worlds := map[string][]system.Option{"default": nil, "again": nil, "own": {system.WithLogger(slog.New(slog.NewTextHandler(&own, nil)))}, "silent": {system.WithLogger(nil)}}
			for _, world := range []string{"default", "again", "own", "silent"} {
				w, err := system.NewWorld(world, append(worlds[world], system.Only(c.typ))...)
				if err != nil {
					t.Fatal(err)
				}
				defer w.Close()
				all := strings.Join(system.Warnings(w), "\n")
				for _, want := range c.want {
					if strings.Count(all, want) != 1 {
						t.Errorf("world %s: Warnings are %q, want %q once", world, all, want)
					}
				}
				if len(c.want) == 0 && all != "" {
					t.Errorf("world %s: Warnings are %q, want none", world, all)
				}
			}
			for _, want := range c.want {
				if n := strings.Count(def.String(), want); n != 1 {
					t.Errorf("the default logger has %q %d times:\n%s", want, n, def)
				}
				if n := strings.Count(own.String(), want); n != 1 {
					t.Errorf("the world's logger has %q %d times:\n%s", want, n, &own)
				}
			}
			if len(c.want) == 0 && def.String()+own.String() != "" {
				t.Errorf("logged, and nothing is wrong: %s%s", def, &own)
			}
		})
	}
}

type (
	lateType struct{ _ int }
	onlyLate struct {
		_ system.Manual
		_ int
	}
)

func (*lateType) Update(*system.Frame) error { return nil }
func (*onlyLate) Update(*system.Frame) error { return nil }

// A type that is registered after a world was made is not in that world. A warning about this is
// logged, unless the world is closed or would not have received the system anyway.
func TestRegisteredLate(t *testing.T) {
	def := captureLog(t)
	closed, err := system.NewWorld("closed already")
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	w, err := system.NewWorld("made before")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	only, err := system.NewWorld("by name", system.Only())
	if err != nil {
		t.Fatal(err)
	}
	defer only.Close()
	system.Register[onlyLate]()
	defer system.Unregister[onlyLate]()
	if strings.Contains(def.String(), "onlyLate") {
		t.Errorf("it is Manual, and logged: %s", def)
	}
	system.Register[lateType]()
	system.Register[lateType]()
	defer system.Unregister[lateType]()
	text := def.String()
	if strings.Count(text, "lateType") != 1 || !strings.Contains(text, "made before") || !strings.Contains(text, "system.AddSystems") {
		t.Errorf("logged: %q", text)
	}
	if strings.Contains(text, "closed already") || strings.Contains(text, "by name") {
		t.Errorf("a world is named that could not have had it: %q", text)
	}
}

// listLogger is a logger that cannot be compared.
type listLogger []*strings.Builder

func (l listLogger) Debug(msg string, args ...any) { l.add("debug", msg, args) }
func (l listLogger) Warn(msg string, args ...any)  { l.add("warn", msg, args) }

func (l listLogger) add(level, msg string, args []any) {
	fmt.Fprintln(l[0], append([]any{level, msg}, args...)...)
}

// funcLogger is a logger whose messages go to a function.
type funcLogger func(msg string)

func (l funcLogger) Debug(msg string, _ ...any) { l(msg) }
func (l funcLogger) Warn(msg string, _ ...any)  { l(msg) }

// A logger need not be that of log/slog, and it need not be comparable. A nil *slog.Logger and a nil function discard, as nil does.
func TestOwnLogger(t *testing.T) {
	def := captureLog(t)
	own := listLogger{new(strings.Builder)}
	for _, l := range []system.Logger{own, own, (*slog.Logger)(nil), funcLogger(nil)} {
		w, err := system.NewWorld("own", system.WithLogger(l))
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
	}
	system.Register[lateType]()
	defer system.Unregister[lateType]()
	for want, n := range map[string]int{"warn system: Register: system_test.lateType": 2, "debug system: systems created world own": 2} {
		if got := strings.Count(own[0].String(), want); got != n {
			t.Errorf("%q is there %d times, want %d:\n%s", want, got, n, own[0])
		}
	}
	if def.String() != "" {
		t.Errorf("the default logger has\n%s", def)
	}
}
