package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// lanewise runs a command line and returns what it printed and its exit code.
func lanewise(t *testing.T, args ...string) (out, err string, code int) {
	t.Helper()
	return lanewiseUntil(t, context.Background(), false, args...)
}

func lanewiseUntil(t *testing.T, ctx context.Context, live bool, args ...string) (out, err string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(ctx, args, &terminal{out: &o, err: &e, live: live})
	return o.String(), e.String(), code
}

// keepPath restores the kernels' path when the test ends.
func keepPath(t *testing.T) {
	path := kernels.Path()
	t.Cleanup(func() {
		if err := kernels.Use(path); err != nil {
			t.Error(err)
		}
	})
}

func TestHelp(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, exitUsage, "Usage: lanewise <command>"},
		{[]string{"help"}, exitOK, "Usage: lanewise <command>"},
		{[]string{"-h"}, exitOK, "Usage: lanewise <command>"},
		{[]string{"help", "doctor"}, exitOK, "\n  -only expression\n"},
		{[]string{"--help", "orrery", "-t0"}, exitOK, "Usage: lanewise orrery [flags]\n"},
		{[]string{"help", "orery"}, exitUsage, `there is no command "orery"`},
		{[]string{"orery"}, exitUsage, `there is no command "orery"`},
		{[]string{"orrery", "-h"}, exitOK, "-catalog"},
		{[]string{"hash", "-help"}, exitOK, "-frames"},
	} {
		out, err, code := lanewise(t, c.args...)
		if code != c.code || !strings.Contains(out+err, c.want) {
			t.Errorf("lanewise %q: exit code %d, want %d; %q wanted in\n%s%s", c.args, code, c.code, c.want, out, err)
		}
		if c.code == exitOK && err != "" {
			t.Errorf("lanewise %q: help that was asked for is output, not\n%s", c.args, err)
		}
	}
}

// TestUsage checks that a wrong command line prints the error and, in a second line, where to find
// help. The exit code must be 2, and standard output empty.
func TestUsage(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"orrery -speed 3", "flag provided but not defined: -speed"},
		{"orrery -t0 yesterday", `not a date: "yesterday"`},
		{"orrery -t1 2027-02-29", "the calendar has no such day"},
		{"orrery -t1 2027", "a Julian date must be from"},
		{"orrery -dt 0", "want a number of days above 0"},
		{"orrery -dt -1", "want a number of days above 0"},
		{"orrery -dt NaN", "want a number of days above 0"},
		{"orrery -dt Inf", "want a number of days above 0"},
		{"orrery -dt 1e-30", "at most 1e+09 are possible"},
		{"orrery -t1", "flag needs an argument"},
		{"orrery -workers x", "invalid value"},
		{"orrery -workers -1", "-workers -1: want 0 to 1024"},
		{"orrery -path sse9", "-path sse9: this machine has"},
		{"orrery -path=", `"" for flag -path: want a value: leave the flag out for the default`},
		{"orrery -csv=", `"" for flag -csv: want a value`},
		{"orrery -png=", `"" for flag -png: want a value`},
		{"orrery -catalog=", `"" for flag -catalog: want a value`},
		{"orrery -planets=", `"" for flag -planets: want a value`},
		{"orrery -moons=", `"" for flag -moons: want a value`},
		{"orrery -png x.jpg", "-png x.jpg: want a name that ends in .png, not .jpg"},
		{"orrery -video=", `"" for flag -video: want a value`},
		{"orrery -video x.avi", "-video x.avi: want a name that ends in .gif, .png, .apng or .y4m, or in .mp4"},
		{"orrery -t0 9999-12-31", "-t0 9999-12-31: 3650 days from it is after the year 9999: say with -t1"},
		{"orrery -t0 9990-01-03", "-t0 9990-01-03: 3650 days from it is after the year 9999"},
		{"orrery catalogue.txt", `"catalogue.txt" is no flag`},
		{"hash -frames -1", "-frames -1: want 0 or more"},
		{"hash -frames 1.5", "invalid value"},
		{"hash -path sse9", "-path sse9: this machine has"},
		{"hash -path=", `"" for flag -path: want a value`},
		{"hash 5", `"5" is no flag`},
		{"doctor -only [", "error parsing regexp"},
		{"doctor -only Rotat3", "no kernel has such a name"},
		{"doctor -each 0s", "-each 0s: want more than 0"},
		{"doctor -each fast", "invalid value"},
		{"doctor kernels", `"kernels" is no flag`},
	} {
		out, err, code := lanewise(t, strings.Fields(c.args)...)
		name, _, _ := strings.Cut(c.args, " ")
		reason, rest, _ := strings.Cut(err, "\n")
		if code != exitUsage || out != "" || !strings.HasPrefix(reason, "lanewise "+name+": ") || !strings.Contains(reason, c.want) {
			t.Errorf("lanewise %s: exit code %d, want %d and %q; got %q and\n%s", c.args, code, exitUsage, c.want, out, err)
		}
		if want := "Run 'lanewise help " + name + "' for its flags.\n"; rest != want {
			t.Errorf("lanewise %s: after the reason %q, want %q", c.args, rest, want)
		}
	}
}

// TestBadData checks that bad data causes one clear error line and exit code 1.
func TestBadData(t *testing.T) {
	dir := t.TempDir()
	whole, err := os.ReadFile("testdata/extract.mpcorb.txt")
	if err != nil {
		t.Fatal(err)
	}
	put := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(whole); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	cut := put("cut.gz", packed.Bytes()[:packed.Len()/2])
	prose := put("prose.txt", []byte("To be,\nor not to be.\n"))
	lone := put("moons.csv", []byte("Type,q,e,i,w,N,M,n,Epoch,NAIF ID,Name\nMN,1000,0,0,0,0,0,1,2451545,905,Styx\n"))
	for _, c := range []struct{ args, want string }{
		{"-catalog " + filepath.Join(dir, "none"), filepath.Join(dir, "none")},
		{"-catalog " + dir, dir + ": is a directory, not a file"},
		{"-catalog " + cut, "gzip is cut off"},
		{"-catalog " + prose, "holds no orbits"},
		{"-catalog " + prose + " -strict", prose + ":1: "},
		{"-catalog testdata/faulty.mpcorb.txt -strict", "testdata/faulty.mpcorb.txt:10: eccentricity 1 is not in [0, 1)"},
		{"-planets " + dir, "is a directory"},
		{"-planets " + prose, prose + ":1: the header has no column"},
		{"-moons " + filepath.Join(dir, "none"), filepath.Join(dir, "none")},
		{"-moons " + lone + " -strict", lone + `:2: moon "Styx": its planet, NAIF ID 9, is not in the table`},
		{"-csv " + filepath.Join(dir, "no", "such.csv"), filepath.Join(dir, "no")},
		{"-csv " + dir, dir + ": is a directory, not a file"},
		{"-png " + filepath.Join(dir, "no", "such.png"), filepath.Join(dir, "no")},
	} {
		args := append([]string{"orrery", "-t1", "2000-01-02"}, strings.Fields(c.args)...)
		out, err, code := lanewise(t, args...)
		last := strings.TrimSuffix(err, "\n")
		last = last[strings.LastIndexByte(last, '\n')+1:]
		if code != exitError || out != "" || !strings.Contains(last, c.want) || !strings.HasPrefix(last, "lanewise orrery: ") {
			t.Errorf("lanewise orrery %s: exit code %d, want %d and %q in the last line of\n%s%s", c.args, code, exitError, c.want, out, err)
		}
	}

	// Without -strict, the command uses the valid lines of a file with bad lines. It reports the
	// first bad lines with their numbers, and counts all bad lines.
	faulty, readErr := os.ReadFile("testdata/faulty.mpcorb.txt")
	if readErr != nil {
		t.Fatal(readErr)
	}
	lines := bytes.SplitAfter(faulty, []byte("\n"))
	mixed := put("mixed.txt", append(append([]byte(nil), whole...), bytes.Join(lines[9:], nil)...))
	out, report, code := lanewise(t, "orrery", "-t1", "2000-01-02", "-catalog", mixed, "-moons", lone, "-workers", "1")
	if code != exitOK || !strings.Contains(out, "24 bad lines skipped, 1 empty record\n") || !strings.Contains(out, "self-check  ok") {
		t.Errorf("exit code %d, printed\n%s", code, out)
	}
	if n := strings.Count(report, mixed+":"); n != shownFaults+1 || strings.Count(report, mixed+": further lines") != 1 {
		t.Errorf("%d lines of the catalogue are reported, want %d and a word on the rest:\n%s", n, shownFaults, report)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 12: "12", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567", -1234: "-1,234", -123: "-123"} {
		if got := formatThousands(n); got != want {
			t.Errorf("thousands(%d) = %q, want %q", n, got, want)
		}
	}
	if got := count(1, "step") + count(2000, "step"); got != "1 step2,000 steps" {
		t.Errorf("count gives %q", got)
	}
}
