package main

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const page = "../../docs/guide/window.md"

var (
	listing = regexp.MustCompile("(?s)<!-- (\\S+) -->\n```go\n(.*?)```")
	shell   = regexp.MustCompile("(?s)```sh\n(.*?)```")
)

// read returns the files and the commands of the page.
func read(t *testing.T) (files map[string]string, commands []string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	files = map[string]string{}
	for _, m := range listing.FindAllStringSubmatch(string(text), -1) {
		if files[m[1]] != "" {
			files[m[1]] += "\n"
		}
		files[m[1]] += m[2]
	}
	for _, m := range shell.FindAllStringSubmatch(string(text), -1) {
		commands = append(commands, strings.Split(strings.TrimSpace(m[1]), "\n")...)
	}
	return files, commands
}

// TestGuideListings checks that the listings of the page contain the whole program in hello.
func TestGuideListings(t *testing.T) {
	files, _ := read(t)
	sources, err := filepath.Glob("hello/*.go")
	if err != nil || len(sources) != len(files) {
		t.Fatalf("the page has %d files, hello %v (%v)", len(files), sources, err)
	}
	for _, name := range sources {
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := files[filepath.Base(name)]; got != string(want) {
			t.Errorf("the page's %s is not that of hello:\n%s", filepath.Base(name), got)
		}
	}
}

// TestGuideCommands follows the page from an empty folder. The result must be a window with moving
// sprites. Instead of the two modules that the page fetches, the test uses the modules of this
// repository. The system packages that the page installs exist already, because this test could
// not have been compiled without them.
func TestGuideCommands(t *testing.T) {
	files, commands := read(t)
	dir := t.TempDir()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Dir(filepath.Dir(here))
	instead := map[string]string{
		"go get github.com/lanewise/lanewise": "go mod edit -require github.com/lanewise/lanewise@v0.1.0 -replace github.com/lanewise/lanewise=" + root,
		"go run .":                            "go build -o sparks .",
	}
	ran := 0
	for _, c := range commands {
		switch word := strings.Fields(c); {
		case word[0] == "apt-get":
			continue
		case word[0] == "cd":
			dir = filepath.Join(dir, word[1])
			for name, text := range files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			continue
		case instead[c] != "":
			c = instead[c]
		}
		ran++
		word := strings.Fields(c)
		cmd := exec.Command(word[0], word[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"), "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", c, err, out)
		}
	}
	if ran != 6 {
		t.Errorf("%d commands were run", ran)
	}
	first, second := watch(t, filepath.Join(dir, "sparks"))
	if first.Bounds() != image.Rect(0, 0, 800, 600) {
		t.Fatalf("the screen is %v", first.Bounds())
	}
	sky, sparks, moved := 0, 0, 0
	for y := range 600 {
		for x := range 800 {
			a, b := first.RGBAAt(x, y), second.RGBAAt(x, y)
			switch {
			case b == color.RGBA{10, 12, 30, 255}:
				sky++
			case b.R == 255 && b.G >= 80 && b.G < 230 && b.B == 40:
				sparks++
			}
			if a != b {
				moved++
			}
		}
	}
	if sky+sparks < 480_000*99/100 || sparks < 20_000 || sky < 20_000 || moved < 10_000 {
		t.Errorf("of 480,000 pixels %d are sky, %d of sparks, and %d have changed in a second", sky, sparks, moved)
	}
}

// watch runs a program on a separate screen. It returns the contents of the screen shortly after the
// window has appeared, and later.
func watch(t *testing.T, program string) (first, second *image.RGBA) {
	t.Helper()
	dir := t.TempDir()
	number, other, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "800x600x24", "-fbdir", dir)
	server.ExtraFiles = []*os.File{other}
	start(t, server)
	other.Close()
	var display int
	if _, err := fmt.Fscan(number, &display); err != nil {
		t.Fatalf("Xvfb says no number: %v", err)
	}
	window := exec.Command(program)
	window.Env = append(os.Environ(), fmt.Sprintf("DISPLAY=:%d", display))
	start(t, window)
	pixels := filepath.Join(dir, "Xvfb_screen0")
	for deadline := time.Now().Add(2 * time.Minute); ; {
		time.Sleep(100 * time.Millisecond)
		if first = shot(t, pixels); first.RGBAAt(10, 10).B != 0 {
			break // the screen was black before
		}
		if time.Now().After(deadline) {
			t.Fatal("no window in 2 minutes")
		}
	}
	time.Sleep(1500 * time.Millisecond)
	return first, shot(t, pixels)
}

// start starts a program that ends with the test.
func start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Kill(); err != nil {
			t.Errorf("%s has ended by itself: %v", cmd.Path, err)
		}
		_ = cmd.Wait()
	})
}

// shot reads the contents of a screen from the file in which Xvfb stores it: XWD, version 7, 32 bits
// per pixel.
func shot(t *testing.T, name string) *image.RGBA {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	word := func(i int) int { return int(binary.BigEndian.Uint32(data[4*i:])) }
	header, width, height, line, colors := word(0), word(4), word(5), word(12), word(19)
	if word(1) != 7 || word(11) != 32 {
		t.Fatalf("XWD of version %d with %d bits a pixel", word(1), word(11))
	}
	p := image.NewRGBA(image.Rect(0, 0, width, height))
	pixels := data[header+12*colors:]
	for y := range height {
		for x := range width {
			b := pixels[y*line+4*x:]
			p.SetRGBA(x, y, color.RGBA{b[2], b[1], b[0], 255})
		}
	}
	return p
}
