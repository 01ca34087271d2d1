package kernels

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestPaths(t *testing.T) {
	paths := Paths()
	t.Logf("here are %v, in use is %s", paths, Path())
	if paths[0] != "generic" {
		t.Errorf("the first path is %q, want generic", paths[0])
	}
	if want := paths[len(paths)-1]; os.Getenv("LANEWISE_KERNELS") == "" && Path() != want {
		t.Errorf("the path at start is %q, want the last of %v", Path(), paths)
	}
	defer use(Path())
	for _, name := range paths {
		if err := Use(name); err != nil || Path() != name {
			t.Errorf("Use(%q): %v, the path is %q", name, err, Path())
		}
	}
}

func TestUseUnknown(t *testing.T) {
	before := Path()
	for _, name := range []string{"", "avx1024", "AVX2", "generic "} {
		err := Use(name)
		if !errors.Is(err, ErrPath) || !strings.HasPrefix(err.Error(), "kernels: Use: \"") || !strings.Contains(err.Error(), "generic") {
			t.Errorf("Use(%q): %v", name, err)
		}
		if Path() != before {
			t.Errorf("Use(%q) changed the path to %q", name, Path())
		}
	}
}

// TestEnvironment starts the test program again with LANEWISE_KERNELS set, because the variable is
// read only at the start.
func TestEnvironment(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts the test program anew, which nothing emulates there")
	}
	for _, name := range append(Paths(), "foo", "AVX2", " generic", "neon", "avx2") {
		words := append(strings.Fields(os.Getenv("LANEWISE_EXEC")), os.Args[0], "-test.run=^TestPaths$", "-test.v") // an emulator, if there is one
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Env = append(os.Environ(), "LANEWISE_KERNELS="+name)
		out, err := cmd.CombinedOutput()
		if slices.Contains(Paths(), name) {
			if err != nil || !strings.Contains(string(out), "in use is "+name+"\n") {
				t.Errorf("LANEWISE_KERNELS=%s: %v\n%s", name, err, out)
			}
			continue
		}
		// The message is one line without a trace of goroutines, because the user of the program set
		// the variable.
		want := fmt.Sprintf("kernels: LANEWISE_KERNELS: %q: no such path here: there are %s\n", name, strings.Join(Paths(), ", "))
		if cmd.ProcessState.ExitCode() != 2 || string(out) != want {
			t.Errorf("LANEWISE_KERNELS=%s: %v, want exit status 2 and %q\n%s", name, err, want, out)
		}
	}
}
