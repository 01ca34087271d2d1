package main

import (
	"bytes"
	"errors"
	"image"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// golden is the hash of 12 frames of a race with 300 boats; see TestHash of package regatta.
const golden = "c364ccf8e2bc36d2\n"

// sail runs a regatta and returns its output.
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

// TestPictures checks that drawing does not change the world, and that pictures do not depend on
// the number of workers.
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

func TestFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", ""},
		{"-size 64x36 -boats 5 -frames 1 -every 2 -png a.png", ""},
		{"-size wide", "-size wide: it is like 1280x720"},
		{"-size 0x5", "-size 0x5"},
		{"-boats 0", "there is at least one of each"},
		{"-gif a.gif -video b.mp4", "are two films"},
		{"-rate -1", "-rate -1: up to 1000 steps a second"},
		{"-rate NaN", "-rate NaN"},
		{"-rate 12.5", ""},
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

// TestVideo checks that, without ffmpeg, the program refuses a video before it does any work, and
// names a remedy. With ffmpeg, it must pass the pictures to ffmpeg.
func TestVideo(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	s := &show{boats: 2, frames: 3, every: 1, width: 32, height: 18, video: filepath.Join(dir, "a.mp4")}
	if err := s.run(new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "without it there is -video of a name in .y4m") {
		t.Errorf("without ffmpeg: %v", err)
	}
}
