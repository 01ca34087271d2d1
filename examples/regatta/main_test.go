package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// golden is the hash of 12 frames of a regatta with 300 boats: on every machine and path,
// with any number of workers, drawn or not.
const golden = "6a3b61479e81854a\n"

func TestHash(t *testing.T) {
	defer use(t, kernels.Path())
	for _, path := range kernels.Paths() {
		use(t, path)
		all := []int{1, 2, 3, 8, 64}
		if testing.Short() {
			all = []int{1, 3}
		}
		for _, workers := range all {
			t.Run(fmt.Sprintf("path=%s/workers=%d", path, workers), func(t *testing.T) {
				if got := sail(t, workers, &show{boats: 300, frames: 12}); got != golden {
					t.Errorf("it says %q, want %q", got, golden)
				}
			})
		}
	}
}

// sail runs a regatta and returns what it says.
func sail(t *testing.T, workers int, s *show) string {
	t.Helper()
	pool := jobs.New(jobs.Workers(workers))
	defer pool.Close()
	var said bytes.Buffer
	if err := s.run(&said, system.OnPool(pool)); err != nil {
		t.Fatal(err)
	}
	return said.String()
}

func use(t *testing.T, path string) {
	t.Helper()
	if err := kernels.Use(path); err != nil {
		t.Fatal(err)
	}
}

// Who draws does not change the world, and pictures do not depend on who draws.
func TestPictures(t *testing.T) {
	dir := t.TempDir()
	var first []byte
	for _, workers := range []int{1, 3} {
		s := &show{boats: 300, frames: 12, every: 4, width: 320, height: 180, png: filepath.Join(dir, "a.png"), gif: filepath.Join(dir, "a.gif")}
		if got := sail(t, workers, s); got != golden {
			t.Errorf("with a picture it says %q, want %q", got, golden)
		}
		picture, err := os.ReadFile(s.png)
		if err != nil {
			t.Fatal(err)
		}
		film, err := os.ReadFile(s.gif)
		if err != nil {
			t.Fatal(err)
		}
		if both := append(picture, film...); first == nil {
			first = both
		} else if !bytes.Equal(first, both) {
			t.Errorf("%d workers draw other pictures", workers)
		}
		p, err := png.Decode(bytes.NewReader(picture))
		if err != nil || p.Bounds() != image.Rect(0, 0, 320, 180) {
			t.Fatalf("the picture is %v, %v", p, err)
		}
		g, err := gif.DecodeAll(bytes.NewReader(film))
		if err != nil || len(g.Image) != 3 {
			t.Fatalf("the film has %d pictures, %v", len(g.Image), err)
		}
	}
	s := &show{boats: 3, frames: 6, every: 3, width: 64, height: 36, video: filepath.Join(dir, "a.y4m")}
	sail(t, 1, s)
	film, err := os.ReadFile(s.video)
	if err != nil || !strings.HasPrefix(string(film), "YUV4MPEG2 W64 H36 F20:1 ") || strings.Count(string(film), "FRAME\n") != 2 {
		t.Errorf("the video begins with %.40q, %v", film, err)
	}
}

// Every boat stays on the course, no sail is trimmed against the wind, and all three
// cameras see something: the chart every boat, the others some near and some far.
func TestRace(t *testing.T) {
	w, err := newRegatta(400, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	boats := w.Query(ecs.Read[Helm](), ecs.Read[Air](), ecs.Read[transform.Translation](), ecs.Read[transform.LocalToWorld]())
	count := map[float32]int{}
	for range 4 { // a minute at a time, in steps of half a second
		for range 30 {
			system.ClockOf(w).Advance(0.5)
			if err := system.Update(w); err != nil {
				t.Fatal(err)
			}
		}
		for c := range boats.Chunks() {
			h, air, at := ecs.Column[Helm](c), ecs.Column[Air](c), ecs.Column[transform.Translation](c)
			for i := range h.Leg {
				count[h.Leg[i]]++
				if x, z := math.Abs(float64(at.X[i])), math.Abs(float64(at.Z[i])); !(x < outerX+300) || !(z < outerZ+300) || x < innerX-250 && z < innerZ-250 {
					t.Fatalf("a boat is at %v, %v, off the course", at.X[i], at.Z[i])
				}
				if !(h.Speed[i] >= 0 && h.Speed[i] < 12) || !(air.Force[i] > 3 && air.Force[i] < 13) {
					t.Fatalf("a boat makes %v in a wind of %v", h.Speed[i], air.Force[i])
				}
			}
		}
	}
	for leg := beat; leg < legs; leg++ {
		if count[leg] < 100 {
			t.Errorf("leg %v has %d boats of 1,600", leg, count[leg])
		}
	}
	views := render.ViewsOf(w)
	if len(views) != 3 || views[2].Seen != 400 {
		t.Fatalf("%d cameras, of which the last sees %d", len(views), views[len(views)-1].Seen)
	}
	for i, v := range views[:2] {
		seen := map[render.ShapeID]int{}
		for _, b := range v.Batches {
			seen[b.Look.Shape] += b.Count
		}
		if seen[render.ShapeNamed("far")] == 0 || seen[render.ShapeNamed("hull")] == 0 || seen[render.ShapeNamed("hull")] != seen[render.ShapeNamed("main")] {
			t.Errorf("camera %d sees %v", i, seen)
		}
	}
}

// A sail is on the side to which the wind blows.
func TestLee(t *testing.T) {
	for a := -3.1; a <= 3.1; a += 0.05 {
		side, cos := lee(float32(a))
		if math.Abs(float64(cos)-math.Cos(a)) > 0.1 || side > 1 || side < -1 || float64(side)*math.Sin(a) < -1e-3 {
			t.Errorf("the wind at %.2f: side %v, cosine %v", a, side, cos)
		}
	}
}

func TestFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", ""},
		{"-size 64x36 -boats 5 -frames 1 -every 2 -png a.png", ""},
		{"-size wide", "-size wide: it is like 1280x720"},
		{"-size 0x5", "-size 0x5"},
		{"-boats 0", "there is at least one of each"},
		{"-gif a.gif -video b.mp4", "are two films"},
		{"fast", `what is "fast"?`},
	} {
		if _, err := flags(strings.Fields(c.args)); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.args, err, c.want)
		}
	}
	dir := filepath.Join(t.TempDir(), "none")
	for _, s := range []*show{{png: dir + "/a.png"}, {gif: dir + "/a.gif"}, {video: dir + "/a.y4m"}} {
		s.boats, s.frames, s.every, s.width, s.height = 1, 1, 1, 8, 8
		if err := s.run(new(bytes.Buffer)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a directory that is not there: %v", err)
		}
	}
}

// Without ffmpeg a video is refused before the work, with the remedy; with one it gets
// the pictures.
func TestVideo(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	s := &show{boats: 2, frames: 3, every: 1, width: 32, height: 18, video: filepath.Join(dir, "a.mp4")}
	if err := s.run(new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "without it there is -video of a name in .y4m") {
		t.Errorf("without ffmpeg: %v", err)
	}
}
