package exhibit

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/examples/epidemic/model"
	"github.com/lanewise/lanewise/inspect"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// run starts an exhibit or a link, and advances it to a tick.
func run(t *testing.T, link string, pool *jobs.Pool, tick int) *Run {
	t.Helper()
	r, _, err := Open(link, pool)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	if err := r.Advance(tick); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestGolden compares the hashes that the page expects with the hashes that this machine computes, on every path of
// package kernels that uses vectors. The builds without assembly (make purego-full, s390x-full) test plain Go, which
// takes longer.
func TestGolden(t *testing.T) {
	chosen := kernels.Path()
	defer use(t, chosen)
	for _, path := range kernels.Paths() {
		if path != chosen && (path == "generic" || testing.Short()) {
			continue
		}
		for _, e := range All() {
			t.Run(fmt.Sprintf("path=%s/%s", path, e.Name), func(t *testing.T) {
				use(t, path)
				pool := jobs.New(jobs.Workers(3))
				defer func() { _ = pool.Close() }()
				if hash := run(t, e.Name, pool, e.Checked).Hash(); hash != e.Golden {
					t.Errorf("the hash is %#016x, want %#016x", hash, e.Golden)
				}
			})
		}
	}
}

func use(t *testing.T, path string) {
	t.Helper()
	if err := kernels.Use(path); err != nil {
		t.Fatal(err)
	}
}

// TestLinks checks that the link of a run leads to a run with the same hash. During the first run, parameters change,
// and pictures are drawn.
func TestLinks(t *testing.T) {
	var c Canvas
	for _, e := range All() {
		t.Run(e.Name, func(t *testing.T) {
			first := run(t, e.Name, nil, 0)
			c.Aspect = 1.3
			for step := range 4 {
				for i, p := range e.Params {
					if p.Live {
						first.Set(i, p.Min+float64(step+i)*p.Step)
						first.Set(i, p.Min+float64(step+2*i+1)*p.Step) // replaces the first change of this tick
					}
				}
				if err := first.Advance(2); err != nil {
					t.Fatal(err)
				}
				c.Reset()
				first.Simulation.Draw(&c, first.Tick)
			}
			link := first.Link()
			second := run(t, link, nil, first.Tick)
			if second.Link() != link || second.Hash() != first.Hash() {
				t.Errorf("%s leads to %s, with hash %x, want %x", link, second.Link(), second.Hash(), first.Hash())
			}
			if first.Hash() == run(t, e.Name, nil, first.Tick).Hash() && len(first.changes) > 0 {
				t.Errorf("%s: the changes have no effect", link)
			}
			// A change at an earlier tick must drop the later changes of the link.
			third := run(t, link, nil, 3)
			for i, p := range e.Params {
				if p.Live {
					third.Set(i, p.Max)
				}
			}
			if err := third.Advance(3); err != nil {
				t.Fatal(err)
			}
			for i, p := range e.Params {
				if p.Live && third.Values[i] != p.Max {
					t.Errorf("%s is %v, want %v", p.Name, third.Values[i], p.Max)
				}
			}
		})
	}
}

// TestFiles checks that a loaded run continues as the saved run does, and that Load refuses other files.
func TestFiles(t *testing.T) {
	for _, e := range All() {
		first := run(t, e.Name, nil, 5)
		for i, p := range e.Params {
			if p.Live {
				first.Set(i, p.Max)
			}
		}
		if err := first.Advance(5); err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		err := first.Save(&file)
		if e.World != (err == nil) || e.World != (first.Simulation.World() != nil) {
			t.Errorf("%s: %v", e.Name, err)
		}
		if !e.World {
			continue
		}
		saved := file.Bytes()
		second, err := Load(bytes.NewReader(saved), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(second.Close)
		if second.Link() != first.Link() || !slices.Equal(second.Values, first.Values) || second.Hash() != first.Hash() {
			t.Errorf("%s: the run of the file is %s, want %s", e.Name, second.Link(), first.Link())
		}
		for _, r := range []*Run{first, second} {
			if err := r.Advance(5); err != nil {
				t.Fatal(err)
			}
		}
		if second.Hash() != first.Hash() {
			t.Errorf("%s: the loaded run goes on with hash %x, want %x", e.Name, second.Hash(), first.Hash())
		}
		for _, wrong := range [][]byte{nil, []byte(mark), []byte(mark + "zoo\n"), []byte(mark + "gas\n"), saved[:len(saved)-9], saved[1:]} {
			if _, err := Load(bytes.NewReader(wrong), nil); err == nil {
				t.Errorf("%s: a file of %d bytes is loaded", e.Name, len(wrong))
			}
		}
	}
}

// TestEdited checks that Load refuses a file whose parameters say another number of rows than its world has.
func TestEdited(t *testing.T) {
	for name, edit := range map[string]string{"cloth": "knots=20", "epidemic": "side=64", "solar": "minors=100"} {
		var file bytes.Buffer
		if err := run(t, name, nil, 1).Save(&file); err != nil {
			t.Fatal(err)
		}
		edited := bytes.Replace(file.Bytes(), []byte(name+"?"), []byte(name+"?"+edit+"&"), 1)
		if _, err := Load(bytes.NewReader(edited), nil); err == nil || !strings.Contains(err.Error(), "its parameters say") {
			t.Errorf("%s with %s: %v", name, edit, err)
		}
	}
}

// TestInspected inspects the world of each exhibit between ticks, as the page does. The run and its file have the same bits as
// without an inspector.
func TestInspected(t *testing.T) {
	for _, e := range All() {
		if !e.World {
			continue
		}
		plain, r := run(t, e.Name, nil, 0), run(t, e.Name, nil, 0)
		w := r.Simulation.World()
		system.WorldID(w) // an inspector shows only worlds that package system knows
		in := inspect.New(inspect.Only(w))
		defer in.Close()
		advance := func(runs ...*Run) {
			for _, r := range runs {
				if err := r.Advance(1); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range 2 {
			advance(r, plain)
			for _, path := range []string{"/api/worlds", "/api/types", "/api/frame", "/api/entities", "/api/archetypes", "/api/memory"} {
				if a := in.Answer(t.Context(), inspect.Request{Method: "GET", Path: path, Owner: true}); a.Status != 200 {
					t.Errorf("%s %s: %d %s", e.Name, path, a.Status, a.Data)
				}
			}
		}
		var file bytes.Buffer
		if err := r.Save(&file); err != nil {
			t.Fatal(err)
		}
		loaded, err := Load(&file, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer loaded.Close()
		advance(r, plain, loaded)
		if want := plain.Hash(); r.Hash() != want || loaded.Hash() != want {
			t.Errorf("%s: the hash is %016x with an inspector, and %016x from a file, want %016x", e.Name, r.Hash(), loaded.Hash(), want)
		}
	}
}

// TestTown checks that the world of the epidemic gets no more days when nothing can change any more, and that it goes on with other rates.
func TestTown(t *testing.T) {
	for _, c := range []struct {
		link, note string
		days       int // at most
	}{
		{"epidemic?side=64&first=1&beta=0&gamma=0", "over after 0 days, 1 people stay ill", 0},
		{"epidemic?side=64&beta=1&gamma=0", "4096 people stay ill", 126},
		{"epidemic?side=64&gamma=0.5,20:0", "people stay ill", 300},
		{"epidemic?side=64&beta=0&gamma=0.5", "over after ", 50},
	} {
		r := run(t, c.link, nil, 400)
		s := r.Simulation.(*town)
		if days := s.days.Count(); days > c.days || !strings.Contains(s.Note(), c.note) {
			t.Errorf("%s: %d days, %q; want %d days at most, %q", c.link, days, s.Note(), c.days, c.note)
		}
		if s.over && s.ill > 0 && s.exposed() && s.rates[0] > 0 {
			t.Errorf("%s: it is over, and an ill person has a neighbour who can be infected", c.link)
		}
		ill, before := s.ill, s.days.Count()
		r.Set(3, 0.5)
		if err := r.Advance(5); err != nil {
			t.Fatal(err)
		}
		if got := s.days.Count(); ill > 0 && got == before {
			t.Errorf("%s: %d days, also after people recover again", c.link, got)
		}
	}
}

// TestCurve checks the column of a day in the curve of the epidemic: no color appears for nobody.
func TestCurve(t *testing.T) {
	for link, want := range map[string][3]bool{ //lanewise:inexact the cases are independent
		"epidemic?side=64&first=1&beta=0&gamma=0.5,1:0": {model.Susceptible: true},
		"epidemic?side=64&beta=1&gamma=0":               {model.Infected: true},
		"epidemic?side=64&beta=1&gamma=0.05":            {model.Recovered: true},
	} {
		r := run(t, link, nil, 400)
		s := r.Simulation.(*town)
		s.Draw(&Canvas{Aspect: 1}, 0)
		const wide, tall = 240, 100
		picture := make([]byte, 4*wide*tall)
		s.drawCurve(picture, wide, 0, 0, wide, tall)
		last := len(s.curve) - 1
		seen := [3]bool{}
		for y := range tall {
			pixel := picture[4*(y*wide+last*wide/max(120, len(s.curve))):]
			for k, tone := range tones {
				if d := tone.dim(0.9); [3]byte(pixel) == [3]byte{d.r, d.g, d.b} {
					seen[k] = true
				}
			}
		}
		if seen != want {
			t.Errorf("%s: %s: day %d has the colors %v, want %v", link, s.Note(), last, seen, want)
		}
	}
}

// TestOpen checks values that links can have, and links that are refused.
func TestOpen(t *testing.T) {
	r := run(t, "flock?birds=1234&noise=99,7:0.26", nil, 9)
	if r.Values[0] != 1000 || fmt.Sprintf("%.2f", r.Values[1]) != "0.25" || r.start[1] != 2 {
		t.Errorf("the values are %v from %v", r.Values, r.start)
	}
	for link, want := range map[string]string{
		"":                         "no exhibit",
		"zoo?tick=3":               `no exhibit "zoo"`,
		"flock?tick=-1":            "tick=-1",
		"flock?tick=1000001":       "tick=1000001",
		"flock?tick=x":             "tick=x",
		"flock?cats=3":             `no parameter "cats"`,
		"flock?noise=":             "noise=",
		"flock?noise=1,2":          "noise=1,2",
		"flock?noise=1,-2:1":       "noise=1,-2:1",
		"flock?noise=3:1":          "noise=3:1",
		"flock?birds=1000,20:1500": "cannot change",
	} {
		if _, _, err := Open(link, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", link, err, want)
		}
	}
	for _, e := range All() {
		for _, p := range e.Params {
			if p.allowed(p.Default) != p.Default || p.allowed(p.Max) > p.Max {
				t.Errorf("%s: %s has the default %v, which is not on the slider", e.Name, p.Name, p.Default)
			}
		}
		if Find(e.Name) != e {
			t.Errorf("%s is not listed well", e.Name)
		}
	}
}

// TestPictures checks that there are points in each picture, even if the picture is narrow.
func TestPictures(t *testing.T) {
	for _, e := range All() {
		r := run(t, e.Name, nil, 30)
		for _, aspect := range []float32{1, 1.6} {
			c := Canvas{Aspect: aspect}
			r.Simulation.Draw(&c, r.Tick)
			seen := map[uint64]bool{}
			for i := 0; i < len(c.Bytes); i += 8 {
				seen[binary.LittleEndian.Uint64(c.Bytes[i:])] = true
			}
			if e.Look == Cells && len(c.Bytes) != 4*c.Width*c.Height {
				t.Errorf("%s: %d bytes for %d × %d cells", e.Name, len(c.Bytes), c.Width, c.Height)
			}
			want := 200
			if e.Look == Cells {
				want = 8 // pairs of pixels
			}
			if len(seen) < want || len(c.Bytes)%8 != 0 {
				t.Errorf("%s: %d different points", e.Name, len(seen))
			}
		}
	}
}

// TestFaces checks that far faces come first, that faces of one distance keep their order, and that faces outside of the
// picture and immense ones are left out.
func TestFaces(t *testing.T) {
	var c Canvas
	at := func(x, y float32, red, green uint8) corner { return corner{x, y, color{r: red, g: green}, 255} }
	for i := range 100 {
		far := uint8(i * 37 % 50)
		c.Face(float32(far)/50, at(-0.5, 0, far, uint8(i)), at(0.5, 0, far, 0), at(0, 3.9, far, 0))
		c.Face(0.5, at(1.1, 0, 255, 0), at(2, 0, 0, 0), at(2, 1, 0, 0))
		c.Face(0.5, at(-5, 0, 255, 0), at(5, 0, 0, 0), at(0, 5, 0, 0))
	}
	c.SortFaces()
	if len(c.Bytes) != 24*100 || len(c.faces) != 0 {
		t.Fatalf("%d bytes, want 2400; %d faces remain", len(c.Bytes), len(c.faces))
	}
	for i := 24; i < len(c.Bytes); i += 24 {
		now, before := c.Bytes[i:i+24], c.Bytes[i-24:i]
		if now[4] < before[4] || now[4] == before[4] && now[5] < before[5] {
			t.Errorf("face %d at distance %d comes after face %d at %d", now[5], now[4], before[5], before[4])
		}
	}
	if y := int16(binary.LittleEndian.Uint16(c.Bytes[18:])); y < 31900 || y > 32000 {
		t.Errorf("the upper corner is at %d, want 3.9/4 of 32767", y)
	}
}

// TestSort checks that far balls come first, and that balls outside of the picture are left out.
func TestSort(t *testing.T) {
	var c Canvas
	for i := range 100 {
		c.Ball(0, 0, 0.01, float32(i*37%100)/100, color{r: uint8(i * 37 % 100)})
		c.Ball(1.5, 0, 0.01, 0.5, color{g: 1})
	}
	c.Sort()
	last, seen := -1, 0
	for i := 0; i < len(c.Bytes); i += 8 {
		p := c.Bytes[i : i+8]
		if p[5] == 1 {
			t.Fatal("a ball outside of the picture is seen")
		}
		if p[7] == 0 {
			continue
		}
		seen++
		if int(p[4]) < last {
			t.Fatalf("ball %d comes after %d", p[4], last)
		}
		last = int(p[4])
	}
	if seen != 100 || len(c.points) != 0 {
		t.Errorf("%d balls are seen, want 100", seen)
	}
}
