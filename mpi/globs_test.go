package mpi

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestSaveAnywhere checks that the name of a directory is not treated as a pattern. For any name, a
// save replaces only its own files, and new files have the mode of the umask.
func TestSaveAnywhere(t *testing.T) {
	dir := t.TempDir()
	like := filepath.Join(dir, "like")
	if err := os.WriteFile(like, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	want, err := os.Stat(like)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"run1", "run[1]", "a[b", "*", "?", `\`, "[a-", "tick-1", "tick-*.rows", "a b\n", "run{1,2}", "run1/*"}
	foreign := []string{"tick-notes.rows", "tick-1-rank-0-of-1.rows", "rows"}
	for _, name := range names {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(at, 0o777); err != nil {
			t.Fatal(err)
		}
		for _, f := range foreign {
			if err := os.WriteFile(filepath.Join(at, f), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	lists := func() (all []string) {
		for _, name := range names {
			list, err := os.ReadDir(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range list {
				info, err := e.Info()
				if err != nil {
					t.Fatal(err)
				}
				if !e.IsDir() && info.Mode() != want.Mode() {
					t.Errorf("%s in %q has mode %v, os.WriteFile gives %v", e.Name(), name, info.Mode(), want.Mode())
				}
				all = append(all, filepath.Join(name, e.Name()))
			}
		}
		slices.Sort(all)
		return all
	}
	expect := lists()
	for round, crc := range []string{"00000001", "0000000a"} {
		for _, name := range names {
			at := filepath.Join(dir, name)
			part := part{Name: "tick-7-rank-0-of-1-" + crc + suffix}
			if err := replace(filepath.Join(at, part.Name), []byte(name), false); err != nil {
				t.Fatal(err)
			}
			b, err := json.Marshal(part)
			if err != nil {
				t.Fatal(err)
			}
			if err := new(manifest).save(at, [][]byte{b}); err != nil {
				t.Fatalf("round %d, %q: %v", round, name, err)
			}
			if round == 0 {
				expect = append(expect, filepath.Join(name, manifestName))
			} else {
				expect = slices.DeleteFunc(expect, func(e string) bool { return e == filepath.Join(name, "tick-7-rank-0-of-1-00000001.rows") })
			}
			expect = append(expect, filepath.Join(name, part.Name))
			slices.Sort(expect)
			if got := lists(); !slices.Equal(got, expect) {
				t.Fatalf("round %d: after a save to %q there is\n%q, want\n%q", round, name, got, expect)
			}
		}
	}
}
