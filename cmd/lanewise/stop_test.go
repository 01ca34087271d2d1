package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/catalogue"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/orrery"
	"github.com/lanewise/lanewise/jobs"
)

// TestMillionBadLines checks that the command prints only a few lines for a file with a million
// bad lines. If no line is good, reading stops after ten lines. If one line is good, all bad lines
// are counted.
func TestMillionBadLines(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 10_000
	}
	whole, err := os.ReadFile(extract)
	if err != nil {
		t.Fatal(err)
	}
	header, rest, _ := strings.Cut(string(whole), "\n-----")
	rest = header + "\n-----" + strings.Join(strings.SplitAfterN(rest, "\n", 3)[:2], "") // followed by one orbit
	dir := t.TempDir()
	for _, c := range []struct {
		name, text, out, report string
		code                    int
	}{
		{"none good", strings.Repeat("?\n", n), "", "10 bad lines and not a good one: is this the Minor Planet Center's export format?", exitError},
		{"one good", rest + strings.Repeat("?\n", n), fmt.Sprintf("input       %s bad lines skipped\n", formatThousands(n)), "further lines like these are counted, not shown", exitOK},
	} {
		path := filepath.Join(dir, "catalogue.txt")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, report, code := lanewise(t, "orrery", "-catalog", path, "-t1", "2000-01-01T12:00", "-dt", "4000")
		if lines := strings.Count(out+report, "\n"); code != c.code || lines > 20 || !strings.Contains(out, c.out) || !strings.Contains(report, c.report) {
			t.Errorf("%s: exit code %d, %d lines:\n%s%s", c.name, code, lines, out, report)
		}
	}
}

// TestFailedSelfCheck checks that the exit code and the last line report a position that differs
// from the reference.
func TestFailedSelfCheck(t *testing.T) {
	t.Cleanup(func() { checkPlaces = orrery.Check })
	checkPlaces = func(p *orrery.Places, set *catalogue.Set, date float64, pool *jobs.Pool) (orrery.Deviation, error) {
		p.Minors.Y[7] += 2e-9
		return orrery.Check(p, set, date, pool)
	}
	out, report, code := lanewise(t, "orrery", "-catalog", extract, "-t1", "2000-01-02")
	name := readMinors(t, extract)[7].Name
	want := "lanewise orrery: self-check failed: " + name + " is "
	_, rest, found := strings.Cut(report, want)
	number, _, _ := strings.Cut(rest, " AU away")
	if away, err := strconv.ParseFloat(number, 64); code != exitError || !found || err != nil || math.Abs(away-2e-9) > 1e-14 {
		t.Errorf("exit code %d, want %d and %q, then about 2e-09, in\n%s", code, exitError, want, report)
	}
	if strings.Contains(out, "self-check") {
		t.Errorf("the summary has a self-check:\n%s", out)
	}
}

// stopAt is a terminal that stops the run when it shows a certain text.
type stopAt struct {
	bytes.Buffer
	text string
	stop func()
}

func (s *stopAt) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(s.text)) {
		s.stop()
	}
	return s.Buffer.Write(p)
}

// TestStopCode checks that every stopped command prints that it was stopped, and exits with code
// 130.
func TestStopCode(t *testing.T) {
	table := filepath.Join(t.TempDir(), "out.csv")
	for _, c := range []struct{ at, want, args string }{
		{" %", "steps", "orrery -catalog " + extract + " -csv " + table},
		{"empty record", "stopped while reading " + extract, "orrery -catalog " + extract + " -csv " + table},
		{"", "lanewise hash: ", "hash"},
		{"", "lanewise doctor: ", "doctor -each 1ms"},
	} {
		ctx, stop := context.WithCancel(context.Background())
		report := &stopAt{text: c.at, stop: stop}
		if c.at == "" {
			stop()
		}
		var out bytes.Buffer
		code := run(ctx, strings.Fields(c.args), &terminal{out: &out, err: report, live: true}) // a bar is drawn immediately
		if code != exitStopped || !strings.Contains(report.String(), c.want) {
			t.Errorf("%s: exit code %d, want %d and %q in\n%s", c.args, code, exitStopped, c.want, report)
		}
		if list, err := os.ReadDir(filepath.Dir(table)); err != nil || len(list) > 0 {
			t.Errorf("%s leaves %v, %v", c.args, list, err)
		}
		stop()
	}
}

// TestSignalCodes checks that the exit code of a signal is 128 plus its number, as in shells.
func TestSignalCodes(t *testing.T) {
	for by, want := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143, nil: 130} {
		ctx, cancel := context.WithCancelCause(context.Background())
		if cancel(nil); by != nil {
			ctx, cancel = context.WithCancelCause(context.Background())
			cancel(&stopError{by})
		}
		if got := stopCode(ctx); got != want {
			t.Errorf("stopped by %v: exit code %d, want %d", by, got, want)
		}
	}
}

// TestStopWhileWriting checks that a stop ends the writing of a file and keeps the old file.
func TestStopWhileWriting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := writeText(path, "old"); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	o, err := newOutput(path)
	if err != nil {
		t.Fatal(err)
	}
	written := 0
	err = o.write(ctx, func(w io.Writer) error {
		for range 100 {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return err
			}
			stop()
			written++
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || written > 2 {
		t.Errorf("error %v after %d MiB", err, written)
	}
	if text, err := os.ReadFile(path); string(text) != "old" {
		t.Errorf("the file holds %d bytes, %v; want the old ones", len(text), err)
	}
	if list, err := os.ReadDir(filepath.Dir(path)); len(list) != 1 {
		t.Errorf("files %v, %v", list, err)
	}
}
