package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

// golden is the hash of a map of 256 × 256 points. It is the same on every machine, with any number of
// workers.
const golden = "c5ad84a865a435d7"

func TestHash(t *testing.T) {
	for _, workers := range []int{1, 2, 8} {
		t.Run(fmt.Sprint("workers=", workers), func(t *testing.T) {
			var out bytes.Buffer
			name := filepath.Join(t.TempDir(), "set.png")
			if err := run(t.Context(), &out, 256, name, jobs.Workers(workers), jobs.Safety(jobs.Panic)); err != nil {
				t.Fatal(err)
			}
			if lines := strings.Fields(out.String()); lines[len(lines)-1] != golden {
				t.Errorf("%s, want %s", &out, golden)
			}
			f, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if p, err := png.Decode(f); err != nil || p.Bounds().Dx() != 256 {
				t.Error("no picture", err)
			}
		})
	}
}

// TestTilesArePoints checks that filled tiles are equal to tiles drawn point by point.
func TestTilesArePoints(t *testing.T) {
	pool := jobs.New(jobs.Workers(2))
	defer func() {
		if err := closePool(pool); err != nil {
			t.Error(err)
		}
	}()
	m := newMap(256)
	if err := pool.Schedule(&Tile{m: m, size: m.size}).Wait(); err != nil {
		t.Fatal(err)
	}
	for i, steps := range m.steps {
		if want := m.stepsAt(i%m.size, i/m.size); steps != want {
			t.Fatalf("the point %d, %d took %d steps, want %d", i%m.size, i/m.size, steps, want)
		}
	}
}

// TestCancelled checks that a cancelled run returns an error and leaves no picture.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	name := filepath.Join(t.TempDir(), "set.png")
	if err := run(ctx, new(bytes.Buffer), 256, name); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("there is a picture")
	}
}

func TestSizes(t *testing.T) {
	for _, size := range []int{-16, 0, 8, 100} {
		if err := run(t.Context(), new(bytes.Buffer), size, ""); err == nil {
			t.Errorf("size %d is taken", size)
		}
	}
}

// TestLeft checks that the program reports the name of a job for which no goroutine waits.
func TestLeft(t *testing.T) {
	pool := jobs.New(jobs.Workers(1))
	done := make(chan struct{})
	go func() {
		defer close(done)
		pool.ScheduleHere(&Preview{newMap(16)})
	}()
	<-done
	if err := closePool(pool); err == nil || !strings.Contains(err.Error(), "left: 1, main.Preview among them") {
		t.Error(err)
	}
}
