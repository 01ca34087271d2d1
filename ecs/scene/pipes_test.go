//go:build unix

package scene

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// What is no regular file fails, and the readers of the process go on.
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
	// A text that becomes a pipe while it is watched.
	must(t, Refresh(w))
	must(t, os.Remove(filepath.Join(dir, "good.scene")))
	must(t, syscall.Mkfifo(filepath.Join(dir, "good.scene"), 0o644))
	if err := Refresh(w); err == nil || !strings.Contains(err.Error(), "named pipe") || Find(w, good, "lamp/0").Null() {
		t.Error(err)
	}
}
