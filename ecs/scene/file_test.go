package scene

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"testing/fstest"
)

var full = flag.Bool("lanewise.full", false, "cut and change every byte, not one of thirteen; long random tests")

// bytesOf returns a scene as it is in a file.
func bytesOf(t testing.TB, b *Baked) []byte {
	t.Helper()
	var out bytes.Buffer
	must(t, b.Write(&out))
	return out.Bytes()
}

func TestBakedRoundTrip(t *testing.T) {
	a := bake(t, everything)
	file := bytesOf(t, a)
	b, err := ReadBaked(bytes.NewReader(file))
	must(t, err)
	if !bytes.Equal(bytesOf(t, b), file) {
		t.Error("written again it has other bytes")
	}
	if a.Image().Hash() != b.Image().Hash() || !reflect.DeepEqual(a.Names(), b.Names()) || !reflect.DeepEqual(a.Outward(), b.Outward()) || a.Prefabs() != b.Prefabs() || a.Sum() != b.Sum() {
		t.Error("it is another scene")
	}
	if x, y := get[Label](t, fork(t, a), a, "walker"), get[Label](t, fork(t, b), b, "walker"); !reflect.DeepEqual(x, y) {
		t.Errorf("managed %+v, want %+v", y, x)
	}
}

// Every cut and every flipped bit is an error, and never a panic.
func TestBakedDamage(t *testing.T) {
	file := bytesOf(t, bake(t, everything))
	step := 13
	if *full {
		step = 1
	}
	for n := 0; n < len(file); n += step {
		if _, err := ReadBaked(bytes.NewReader(file[:n])); err == nil {
			t.Fatalf("cut to %d of %d bytes it is read", n, len(file))
		}
	}
	for i := 0; i < len(file); i += step {
		bit := byte(1) << (i % 8)
		file[i] ^= bit
		if _, err := ReadBaked(bytes.NewReader(file)); err == nil {
			t.Fatalf("with byte %d of %d changed it is read", i, len(file))
		}
		file[i] ^= bit
	}
	if _, err := ReadBaked(bytes.NewReader(append(file, 0))); err == nil {
		t.Error("with a byte behind its end it is read")
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.scene")
	write := func(text string) { must(t, os.WriteFile(path, []byte(text), 0o600)) }
	write(`{"entities": {"a": {"Health": 1}}}`)
	health := func(b *Baked) Health { return get[Health](t, fork(t, b), b, "a") }
	for i, step := range []struct {
		do   func()
		anew bool
		want Health
	}{
		{func() {}, true, 1},
		{func() {}, false, 1},
		{func() { write(`{"entities": {"a": {"Health": 2}}}`) }, true, 2},
		{func() { must(t, os.WriteFile(path+Suffix, []byte("nonsense"), 0o600)) }, true, 2},
	} {
		step.do()
		b, anew, err := BakeFile(path)
		must(t, err)
		if anew != step.anew || health(b) != step.want {
			t.Errorf("%d: anew %v, health %d", i, anew, health(b))
		}
		if b, err = ReadFile(os.DirFS(dir), "a.scene"); err != nil || health(b) != step.want {
			t.Errorf("%d: read %v", i, err)
		}
	}
	must(t, os.Remove(path))
	b, err := ReadFile(os.DirFS(dir), "a.scene")
	must(t, err)
	if health(b) != 2 {
		t.Error("the baked file alone is another")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); left != nil {
		t.Errorf("left over: %q", left)
	}
	if _, err := ReadFile(fstest.MapFS{}, "a.scene"); err == nil {
		t.Error("no file is read")
	}
	stale := fstest.MapFS{"a.scene": {Data: []byte(`{"entities": {"a": {"Health": 3}}}`)}, "a.scene.baked": {Data: bytesOf(t, b)}}
	if b, err := ReadFile(stale, "a.scene"); err != nil || health(b) != 3 {
		t.Errorf("beside another text the baked file is read, %v", err)
	}
}
