//go:build unix

package scene

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
)

// Writing a text or a baked file to a pipe, or to a directory, fails at once. A text from a pipe
// can be checked.
func TestPipesCommand(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "a.scene")
	must(t, os.WriteFile(text, []byte(textOf(3, 1)), 0o644))
	for _, put := range []func(name string) error{
		func(name string) error { return syscall.Mkfifo(name, 0o644) },
		func(name string) error { return os.Mkdir(name, 0o755) },
	} {
		other := filepath.Join(dir, "other.scene")
		must(t, put(other))
		must(t, put(text+Suffix))
		for _, args := range [][]string{{"bake", text}, {"bake", other}, {"fmt", other}} {
			var out, errs strings.Builder
			ended := inBackground(func() int { return Main("scenes", args, &out, &errs) })
			select {
			case code := <-ended:
				if code != 1 || !strings.Contains(errs.String(), "a scene is a regular file") {
					t.Errorf("%q: code %d, %s", args, code, errs.String())
				}
			case <-time.After(2 * time.Minute):
				t.Fatalf("%q waits", args)
			}
		}
		must(t, os.Remove(other))
		must(t, os.Remove(text+Suffix))
	}
	pipe := filepath.Join(dir, "pipe.scene")
	must(t, syscall.Mkfifo(pipe, 0o644))
	for _, args := range [][]string{{"check", pipe}, {"fmt", "-d", pipe}} {
		form, err := Format(text, []byte(textOf(3, 1)))
		must(t, err)
		wrote := inBackground(func() error { return os.WriteFile(pipe, form, 0) })
		var out, errs strings.Builder
		if code := Main("scenes", args, &out, &errs); code != 0 {
			t.Errorf("%q: code %d, %s", args, code, errs.String())
		}
		must(t, <-wrote)
	}
}

// inBackground calls a function and sends its result.
func inBackground[T any](do func() T) <-chan T {
	c := make(chan T, 1)
	go func() { c <- do() }()
	return c
}

// If a file is not regular, reading it fails at once. The attempt must not block the readers of other
// scenes.
func TestPipes(t *testing.T) {
	dir := t.TempDir()
	list := []string{"dir.scene"}
	must(t, os.Mkdir(filepath.Join(dir, "dir.scene"), 0o755))
	for _, name := range []string{"1.scene", "2.scene", "3.scene", "4.scene", "5.scene.baked", "6.scene"} {
		must(t, syscall.Mkfifo(filepath.Join(dir, name), 0o644))
		list = append(list, strings.TrimSuffix(name, ".baked"))
	}
	must(t, os.WriteFile(filepath.Join(dir, "good.scene"), []byte(textOf(3, 1)), 0o644))
	w := stage(t, Config{Files: os.DirFS(dir), Live: true})
	var all []ecs.Entity
	for _, name := range list {
		all = append(all, Load(w, name, 0))
	}
	good := Load(w, "good.scene", 0)
	if err := Wait(w); err == nil || !strings.Contains(err.Error(), "a scene is a regular file") {
		t.Error(err)
	}
	for i, e := range all {
		if phaseOf(t, w, e) != Failed {
			t.Errorf("%s is %v", list[i], phaseOf(t, w, e))
		}
		if _, _, err := BakeFile(filepath.Join(dir, list[i])); err == nil {
			t.Errorf("%s is baked", list[i])
		}
	}
	if phaseOf(t, w, good) != Loaded {
		t.Errorf("the good one is %v", phaseOf(t, w, good))
	}
	// A text becomes a pipe while it is watched.
	must(t, Refresh(w))
	must(t, os.Remove(filepath.Join(dir, "good.scene")))
	must(t, syscall.Mkfifo(filepath.Join(dir, "good.scene"), 0o644))
	if err := Refresh(w); err == nil || !strings.Contains(err.Error(), "named pipe") || Find(w, good, "lamp/0").IsZero() {
		t.Error(err)
	}
}
