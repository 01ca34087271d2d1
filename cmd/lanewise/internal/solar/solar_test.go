package solar

import (
	"os"
	"path/filepath"
	"testing"
)

// TestHolds checks that the error for a wrong LANEWISE_DATA is one line with the value and a remedy.
func TestHolds(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "planets.csv")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dir, file, want string }{
		{dir, "planets.csv", ""},
		{dir, "moons.csv", "D: the directory has no moons.csv: unset LANEWISE_DATA to skip the tests with real data"},
		{filepath.Join(dir, "nowhere"), "planets.csv", "D: there is no such directory: unset LANEWISE_DATA to skip the tests with real data"},
		{file, "planets.csv", "D: this is a file: give LANEWISE_DATA the directory of it"},
	} {
		got := ""
		if err := checkFolder("D", c.dir, c.file); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s, %s: got %q, want %q", c.dir, c.file, got, c.want)
		}
	}
}
