package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestOrreryKeeps checks that a run that is saved and loaded ends with the hash of an uninterrupted
// run.
func TestOrreryKeeps(t *testing.T) {
	dir := t.TempDir()
	half := filepath.Join(dir, "half")
	play := func(args ...string) (hash, out string) {
		t.Helper()
		out, report, code := lanewise(t, append([]string{"orrery", "-catalog", extract}, args...)...)
		if code != exitOK {
			t.Fatalf("%v: exit code %d\n%s%s", args, code, out, report)
		}
		return regexp.MustCompile(`hash +([0-9a-f]{16})`).FindStringSubmatch(out)[1], out
	}
	want, _ := play("-t1", "2000-03-01T12:00", "-dt", "5")
	middle, out := play("-t1", "2000-01-31T12:00", "-dt", "5", "-save", half)
	if !strings.Contains(out, "wrote       "+half) || middle == want {
		t.Errorf("hash %s\n%s", middle, out)
	}
	got, out := play("-load", half, "-t1", "2000-03-01T12:00", "-dt", "5", "-save", filepath.Join(dir, "all"))
	if got != want || !strings.Contains(out, "2000-01-31T12:00 to 2000-03-01T12:00") {
		t.Errorf("hash %s, want %s\n%s", got, want, out)
	}
	if got, _ := play("-load", filepath.Join(dir, "all"), "-t1", "2000-01-31T12:00", "-dt", "7"); got != middle { // backwards
		t.Errorf("hash %s, want %s", got, middle)
	}
	for _, wrong := range []string{"-t0 2000-01-02 -load " + half, "-load " + half + " -save " + half} {
		if _, _, code := lanewise(t, append([]string{"orrery"}, strings.Fields(wrong)...)...); code == exitOK {
			t.Errorf("%s is taken", wrong)
		}
	}
	if _, report, code := lanewise(t, "orrery", "-load", half); code == exitOK || !strings.Contains(report, "other bodies") {
		t.Errorf("another catalogue is taken: %s", report)
	}
}
