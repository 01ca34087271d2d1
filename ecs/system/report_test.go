package system

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/jobs/profile"
)

func TestBrief(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 7: "7ns", 999: "999ns", 1000: "1µs", 1234: "1.23µs", 999_499: "999µs", 999_500: "1ms",
		1_235_000: "1.24ms", 12_345_678: "12.3ms", 1_500_000_000: "1.5s", 75 * time.Second: "1m15s", -3: "-3ns",
		math.MaxInt64: "2561111h6m40s", 5_000_000_000_000_000_000: "1388888h53m20s",
	} {
		if got := threeDigits(d); got != want {
			t.Errorf("%d ns: %s, want %s", d, got, want)
		}
	}
}

func TestWait(t *testing.T) {
	w := ReportWait{System: "a/b.Move", For: "a/b.Push", Component: "a/transform.TranslationOf[float32]", Writes: true}
	if got, want := w.String(), "b.Move for b.Push: it writes transform.Translation, which that reads"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestShort(t *testing.T) {
	for name, want := range map[string]string{
		"":                                  "",
		"game.Move":                         "game.Move",
		"example.org/a/game.Move":           "game.Move",
		"a/b.C, d/e.F":                      "b.C, e.F",
		"a/b.C[d/e.F,g/h.I[j/k.L]]":         "b.C[e.F,h.I[k.L]]",
		"a/b.C of world game":               "b.C of world game",
		"a.b/c/d.E[f/g.H,i/j.K] of world x": "d.E[g.H,j.K] of world x",
		"example.org/game.Of[[]x/y.Z]/":     "game.Of[[]y.Z]",
	} {
		if got := shortName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// TestShortComponent checks that the alias of a component type is used if its parameter is float32, and only
// then. The name of a system is left as it is, because systems have no aliases.
func TestShortComponent(t *testing.T) {
	for name, want := range map[string]string{
		"": "", "a/b.C": "b.C",
		"a/b.COf[float32]": "b.C",
		"a/b.COf[float64], d/e.FOf[float32] of world x": "b.COf[float64], e.F of world x",
		"a/b.C[d/e.FOf[float32],g/h.I[float32]]":        "b.C[e.F,h.I[float32]]",
		"example.org/game.Of[float32]":                  "game.Of[float32]",
		"Of[float32]":                                   "Of[float32]",
		"a/b.COf[float32]#2":                            "b.C#2",
	} {
		if got := shortComponent(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := shortName("a/b.HierarchyOf[float32]"); got != "b.HierarchyOf[float32]" {
		t.Errorf("the system is %q", got)
	}
}

// newFullReport returns a report with an entry of each kind.
func newFullReport() *Report {
	const move, draw = "example.org/game.Move", "example.org/game.Draw"
	mode := profile.LoopMode{Job: move + ": example.org/game.step", From: 10_000, To: 20_000, All: 4}
	return &Report{
		World: "game", Frames: 3, Frame: 2 * time.Millisecond,
		Order: []ReportSystem{
			{System: "example.org/game.All", Group: true, Updates: 1},
			{System: move, Depth: 1, Updates: 0.5, Own: 1500, Jobs: 2, Work: 40_000, Span: 21_000, LoopModes: []profile.LoopMode{mode}},
			{System: move, Depth: 1, Updates: 0.5, Own: 1500, Jobs: 2, Work: 40_000, Span: 21_000, LoopModes: []profile.LoopMode{mode}},
		},
		Ungrouped: []ReportSystem{{System: draw, Waited: 7}},
		NotCreated: []ReportMissing{
			{System: "example.org/game.Old", Why: "Manual"},
			{System: "example.org/sea.Wave", Plugin: "sea", Why: "late"},
			{System: "example.org/sea.Wind", Plugin: "sea", Why: "failed"},
			{System: "example.org/sea.Foam", Plugin: "sea", Why: "late"},
		},
		Waits:    []ReportWait{{System: draw, For: move, Component: "example.org/game.Place", ForItWrites: true}},
		Parallel: [][]string{{move, draw}},
		Critical: []ReportPart{{move, false, 1500}, {move, true, 21_000}, {draw, false, 3}, {draw, true, 4}},
		Syncs: []ReportSync{
			{System: move, Count: 0.5, Waited: 10_000, For: []ReportPart{{draw, true, 9000}, {move, true, 900}, {move, true, 99}}},
			{Waited: 5},
		},
		Advice: []string{"one\ntwo"},
	}
}

// TestString checks the text of a report: it has all sections in order, aligned columns of times,
// one line for entities with the same text, and no entries with tiny times.
func TestString(t *testing.T) {
	const want = `world "game": 3 frames measured, 2ms each

order          updates  own    waits  jobs  work  span
  game.All     1        0s     0s     0     0s    0s
    game.Move  0.5      1.5µs  0s     2     40µs  21µs
    game.Move  0.5      1.5µs  0s     2     40µs  21µs
  in no group
    game.Draw  0        0s     7ns    0     0s    0s

not created
  game.Old: Manual
  2 systems of the plugin sea: late
  sea.Wind: failed

loops that are tried with one worker and with all
  game.Move, game.step: MODE

waits
  game.Draw for game.Move: it reads game.Place, which that writes

could run at once
  game.Move, game.Draw

critical path, 22.5µs
  game.Move: 1.5µs
  jobs of game.Move: 21µs
  and shorter ones: 7ns

sync points
  game.Move: 0.5 a frame, 10µs for game.Draw (9µs), game.Move (900ns)
  end of the frame: 5ns

advice
  one
  two
`
	r := newFullReport()
	if got, want := r.String(), strings.Replace(want, "MODE", r.Order[1].LoopModes[0].String(), 1); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestStringUnmeasured: without frames the text has no times, and no section without entries.
func TestStringUnmeasured(t *testing.T) {
	r := &Report{World: "game", Order: []ReportSystem{{System: "example.org/game.Move", Own: time.Second}}}
	if got, want := r.String(), "world \"game\"\n\norder\n  game.Move\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
