//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVideo checks for each built-in video format that a video has one picture per step.
func TestVideo(t *testing.T) {
	dir := t.TempDir()
	names := []string{"a.gif", "a.png", "a.Y4M"}
	if testing.Short() {
		names = names[2:] // the tests of package film cover the encoders of the others
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		out, report, code := lanewise(t, "orrery", "-catalog", extract, "-t1", "2000-01-11T12:00", "-dt", "10", "-video", path)
		if code != exitOK || !strings.Contains(out, "wrote       "+path+"\n") || !strings.Contains(report, "video, 2000-01-11T12:00") {
			t.Fatalf("exit code %d\n%s%s", code, out, report)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		switch name {
		case "a.gif":
			all, err := gif.DecodeAll(bytes.NewReader(text))
			if err != nil || len(all.Image) != 2 || all.Config.Width != videoSize {
				t.Errorf("a GIF of %d pictures, error %v", len(all.Image), err)
			}
		case "a.png":
			m, err := png.Decode(bytes.NewReader(text))
			if err != nil || m.Bounds().Dx() != videoSize || bytes.Count(text, []byte("fcTL")) != 2 {
				t.Errorf("an APNG of %d pictures, error %v", bytes.Count(text, []byte("fcTL")), err)
			}
		default:
			if n := bytes.Count(text, []byte("FRAME\n")); n != 2 || !bytes.HasPrefix(text, []byte("YUV4MPEG2 W960 H960 F24:1 ")) {
				t.Errorf("a Y4M of %d pictures", n)
			}
		}
	}
}

// TestVideoHash checks that a video does not change the hash of a run.
func TestVideoHash(t *testing.T) {
	dir := t.TempDir()
	var hashes []string
	for _, more := range [][]string{nil, {"-video", filepath.Join(dir, "a.y4m")}} {
		out, _, _ := lanewise(t, append([]string{"orrery", "-catalog", extract, "-t1", "2000-01-03T12:00"}, more...)...)
		_, rest, _ := strings.Cut(out, "\nhash ")
		hash, _, _ := strings.Cut(rest, "\n")
		hashes = append(hashes, hash)
	}
	if hashes[0] != hashes[1] || len(strings.TrimSpace(hashes[0])) != 16 {
		t.Errorf("the hashes are %q", hashes)
	}
}

// TestVideoByFFmpeg checks the kinds of videos that ffmpeg writes. A script replaces ffmpeg: it
// writes its input, fails, or does not exist.
func TestVideoByFFmpeg(t *testing.T) {
	dir := t.TempDir()
	defer func(was func(string) (string, error)) { lookFor = was }(lookFor)
	program := filepath.Join(dir, "ffmpeg")
	lookFor = func(string) (string, error) { return program, nil }
	script := func(text string) {
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "a.mp4")
	args := []string{"orrery", "-catalog", extract, "-t1", "2000-01-02T12:00", "-video", path}

	script(`for last; do :; done; cat > "$last"`)
	if out, report, code := lanewise(t, args...); code != exitOK {
		t.Fatalf("exit code %d\n%s%s", code, out, report)
	}
	text, err := os.ReadFile(path)
	if err != nil || bytes.Count(text, []byte("FRAME\n")) != 2 {
		t.Errorf("%v, %d pictures", err, bytes.Count(text, []byte("FRAME\n")))
	}

	script("echo no space left >&2; exit 3")
	_, report, code := lanewise(t, args...)
	if code != exitError || !strings.Contains(report, "ffmpeg: exit status 3: no space left") {
		t.Errorf("exit code %d\n%s", code, report)
	}
	if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, text) {
		t.Errorf("a failure changes what was there (%v)", err)
	}

	program = filepath.Join(dir, "missing")
	if _, report, code := lanewise(t, args...); code != exitError || !strings.Contains(report, "missing") {
		t.Errorf("a program that is gone: exit code %d\n%s", code, report)
	}
	lookFor = func(string) (string, error) { return "", errors.New("not found") }
	_, report, code = lanewise(t, args...)
	if code != exitUsage || !strings.Contains(report, "a.mp4: .mp4 is written by ffmpeg, which is not here (not found): install it, or take .gif") {
		t.Errorf("exit code %d\n%s", code, report)
	}
	if err := encode(context.Background(), "mp4", path, nil); err == nil {
		t.Error("no error without ffmpeg")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("the directory holds %v (%v)", entries, err)
	}
}
