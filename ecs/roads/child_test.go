package roads_test

import (
	"flag"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/roads"
	"github.com/lanewise/lanewise/ecs/system"
)

// food is a flag on which the ticks of a world depend.
var food = flag.Float64("herd.food", 1, "the weight that an animal gains in each tick")

// feeding is a herd whose animals gain weight.
func feeding() roads.Subject {
	s := herd(20)
	s.Tick = func(w *ecs.World) error {
		for e := range w.Entities() {
			size, err := ecs.Get[Size](w, e)
			if err != nil {
				return err
			}
			if err := ecs.Set(w, e, Size{size.Kg + *food}); err != nil {
				return err
			}
		}
		system.ClockOf(w).Advance(system.DefaultStep)
		return system.Update(w)
	}
	return s
}

// isChild reports whether this process is the child of road child.
func isChild() bool { return flag.Lookup("roads.child").Value.String() != "" }

// TestChildFlags sends a world down road child. Its name has characters that patterns of -run and
// shells read.
func TestChildFlags(t *testing.T) {
	t.Run("(a 'b' [c] $d)", func(t *testing.T) {
		roads.Test(t, feeding(), roads.Options{Only: []string{"child"}, Programs: 2, Ticks: 3})
	})
}

// TestChildTwice checks that a child process gets the flags of its parent, and that a test with
// road child can run twice in a process.
func TestChildTwice(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOARCH != "wasm" {
		words := append(strings.Fields(os.Getenv("LANEWISE_EXEC")), binary, "-test.run=^TestChildFlags$", "-test.count=2", "-herd.food=3")
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// TestChildLost checks that a child process which does not call Test is found.
func TestChildLost(t *testing.T) {
	if !isChild() && runtime.GOARCH != "wasm" {
		message := report(t, herd(5), roads.Options{Only: []string{"child"}, Programs: -1, Ticks: 1})
		wantTexts(t, message, "did not reach call 1 of Test in TestChildLost", "PASS")
	}
}
