package scene

import (
	"bytes"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("lanewise.update", false, "write "+goldenFile+" anew: only with a new version of the format")

const goldenFile = "testdata/v1.baked"

// Files of version 1 are read, and have the bytes that they had: all machines write the same.
func TestGolden(t *testing.T) {
	b := bake(t, everything)
	if *update {
		must(t, os.MkdirAll("testdata", 0o755))
		must(t, os.WriteFile(goldenFile, bytesOf(t, b), 0o644))
	}
	file, err := os.ReadFile(goldenFile)
	must(t, err)
	old, err := ReadBaked(bytes.NewReader(file))
	must(t, err)
	const golden = 0xc51fe7449eb0baeb
	if old.Image().Hash() != b.Image().Hash() || old.Image().Hash() != golden {
		t.Errorf("the hash is %#x, of the text %#x, want %#x", old.Image().Hash(), b.Image().Hash(), uint64(golden))
	}
	own := bytesOf(t, b)
	head := bytes.Index(file, []byte{0x89, 'L', 'W', 'S'}) // the snapshot has a version of its own
	if head < 0 || len(own) < head || !bytes.Equal(own[:head], file[:head]) {
		t.Error("what is before the snapshot has other bytes")
	}
	if x, err := b.Text(); err != nil {
		t.Error(err)
	} else if y, err := old.Text(); err != nil || !bytes.Equal(x, y) {
		t.Errorf("its text is another one, %v", err)
	}
}
