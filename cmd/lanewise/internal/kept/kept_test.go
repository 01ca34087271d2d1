package kept

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/diff"
	"github.com/lanewise/lanewise/ecs/replay"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/ecs/snapshot/untyped"
	"github.com/lanewise/lanewise/ecs/system"
)

type place struct {
	X float32
	A [2]int16
}

type team struct {
	ecs.Shared
	Number int32
}

type lit struct {
	ecs.Enableable
	On bool
}

type item struct{ N uint8 }

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// saveWorld writes a world of a few entities to a file. x is the coordinate of one of these entities.
func saveWorld(t *testing.T, name string, x float32) string {
	w := ecs.NewWorld("a")
	first := w.Spawn(place{X: x, A: [2]int16{-1, 2}}, lit{On: true}, team{Number: 7})
	w.Spawn(place{X: 0.1}, lit{}, team{})
	ok(t, ecs.SetEnabled[lit](w, first, false))
	ok(t, w.SetEntityName(first, "a, b"))
	w.Spawn(ecs.BufferOf(item{3}, item{4}))
	m, err := ecs.Capture(w, nil)
	ok(t, err)
	path := filepath.Join(t.TempDir(), name)
	ok(t, snapshot.Save(path, m))
	return path
}

func snapshotOf(args ...string) (string, error) {
	var out bytes.Buffer
	err := Snapshot(args, &out)
	return out.String(), err
}

func TestSnapshot(t *testing.T) {
	a, b := saveWorld(t, "a", 1.5), saveWorld(t, "b", -2)
	for _, test := range []struct {
		args []string
		want string
		err  error
	}{
		{[]string{"info", a}, "3 entities, 0 ids free, 0 retired, 1 names", nil},
		{[]string{"info", a}, "kept.place: data, 2 entities, X f4, A i2i2\n", nil},
		{[]string{"info", a}, "ecs.Buffer[github.com/lanewise/lanewise/cmd/lanewise/internal/kept.item]: buffer, 1 entities, elements u1\n", nil},
		{[]string{"verify", a, b}, ": whole, 3 entities, hash ", nil},
		{[]string{"diff", a, a}, "no difference\n", nil},
		{[]string{"diff", a, b}, `entity 0:1 "a, b": kept.place.X is 1.5 and -2 (archetype `, ErrDiffers},
		{[]string{"diff", a, b, "-most", "0"}, "and more\n", ErrDiffers},
		{[]string{"export", a, "-component", "place"}, "entity,name,X,A.0,A.1\n0:1,\"a, b\",1.5,-1,2\n1:1,,0.1,0,0\n", nil},
		{[]string{"export", "-component", "kept.lit", a}, "entity,name,On,on\n0:1,\"a, b\",true,false\n1:1,,false,true\n", nil},
		{[]string{"export", "-component", "kept.team", a}, "entity,name,bytes\n0:1,\"a, b\",07000000\n1:1,,\n", nil},
		{[]string{"export", "-component", "ecs.Buffer[kept.item]", a}, "entity,name,element,value\n2:1,,0,3\n2:1,,1,4\n", nil},
		{[]string{"-h"}, "These read the file alone", nil},
		{[]string{"diff", "-h"}, "-most", nil},
	} {
		got, err := snapshotOf(test.args...)
		if !errors.Is(err, test.err) || !strings.Contains(got, test.want) {
			t.Errorf("%q: %v\n%s\nwant %s", test.args, err, got, test.want)
		}
	}
	for _, test := range [][]string{{}, {"what"}, {"info"}, {"info", a, b}, {"diff", a}, {"export", a}, {"export", "-wrong", a}} {
		if _, err := snapshotOf(test...); !errors.As(err, new(Usage)) {
			t.Errorf("%q: %v", test, err)
		}
	}
	if _, err := snapshotOf("export", a, "-component", "plaze"); err == nil || !strings.Contains(err.Error(), "kept.place") {
		t.Error(err)
	}
	bytes, err := os.ReadFile(a)
	ok(t, err)
	ok(t, os.WriteFile(a, bytes[:len(bytes)-3], 0o600))
	if got, err := snapshotOf("verify", b, a); !errors.Is(err, untyped.ErrCorrupt) || !strings.Contains(got, a+": not a whole snapshot: ") || !strings.Contains(got, b+": whole") {
		t.Errorf("%v\n%s", err, got)
	}
	for _, args := range [][]string{{"info", a}, {"diff", a, b}, {"diff", b, a}, {"export", "-component", "place", a}} {
		if _, err := snapshotOf(args...); !errors.Is(err, untyped.ErrCorrupt) || strings.Count(err.Error(), a+": ") != 1 {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// grow creates an entity per tick.
type grow struct{ wrong bool }

func (g *grow) Update(f *system.Frame) error {
	if w := f.World(); w.Len() != 4 || !g.wrong {
		w.Spawn(place{})
	} else {
		w.Spawn(item{})
	}
	return nil
}

// recordTicks writes ten ticks to a file.
func recordTicks(t *testing.T, name string, wrong bool, opts ...replay.Option) string {
	w, err := system.NewWorld("world", system.Only(system.Of[grow]()))
	ok(t, err)
	defer func() { ok(t, w.Close()) }()
	system.Find[grow](w).wrong = wrong
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	ok(t, err)
	r, err := replay.Record(f, w, opts...)
	ok(t, err)
	for range 10 {
		r.Input("key", []byte{1, 2})
		ok(t, system.Update(w))
		ok(t, r.Tick())
	}
	ok(t, r.Close())
	ok(t, f.Close())
	return path
}

func TestReplay(t *testing.T) {
	a, b := recordTicks(t, "a", false), recordTicks(t, "b", true)
	run := func(args ...string) (string, error) {
		var out bytes.Buffer
		err := Replay(args, &out)
		return out.String(), err
	}
	if got, err := run(a); err != nil || !strings.Contains(got, "10 ticks, 10 inputs of 20 bytes\nlast hash ") {
		t.Errorf("%v\n%s", err, got)
	}
	if got, err := run(a, a); err != nil || got != "no difference in 10 ticks\n" {
		t.Errorf("%v\n%s", err, got)
	}
	for want, pair := range map[string][]string{ //lanewise:inexact each comparison is independent
		"tick 5: the hashes are [0-9a-f]* in .*/a and [0-9a-f]* in .*/b; the first 4 ticks are equal\nTo find the system, the entity and both values, record both runs again and add the options replay.BySystem.. and replay.Values.5, 5.\n": {a, b},
		"one of the ticks 5 to 8: after tick 8, the hashes are [0-9a-f]* in .*/c and [0-9a-f]* in .*/d; the first 4 ticks are equal\nTo find the tick, .* replay.Values.5, 8.\n": {
			recordTicks(t, "c", false, replay.Every(4)), recordTicks(t, "d", true, replay.Every(2))},
		"tick 5: entity 4:1: .*/e has kept.place, .*/f kept.item .*; the first 4 ticks are equal\nTo find the system, record .*\n": {
			recordTicks(t, "e", false, replay.Every(4), replay.Values(5, 5)), recordTicks(t, "f", true, replay.Values(1, 10))},
	} {
		if got, err := run(pair...); !errors.Is(err, ErrDiffers) || !regexp.MustCompile("^"+want+"$").MatchString(got) {
			t.Errorf("%v\n%s\nwant %s", err, got, want)
		}
		if got, err := run(pair[1]); err != nil || strings.Contains(want, "entity 4:1") != strings.Contains(got, "the values after 10 ticks\n") {
			t.Errorf("%v\n%s", err, got)
		}
	}
	if got, err := run("-h"); err != nil || !strings.Contains(got, "reads the files alone") {
		t.Errorf("%v\n%s", err, got)
	}
	if _, err := run(); !errors.As(err, new(Usage)) {
		t.Error(err)
	}
	if _, err := run(a, "no such file"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	bytes, err := os.ReadFile(a)
	ok(t, err)
	ok(t, os.WriteFile(a, bytes[:len(bytes)-30], 0o600))
	if got, err := run(a); !errors.Is(err, replay.ErrCorrupt) || !strings.Contains(got, "10 whole ticks") && !strings.Contains(got, "9 whole ticks") {
		t.Errorf("%v\n%s", err, got)
	}
}

// damageValues changes the last bytes of the values of each tick in a recording. The frames of the recording stay whole.
func damageValues(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	ok(t, err)
	const head, tick = 16, 2
	for at := head; at < len(b); {
		end := at + 12 + int(binary.LittleEndian.Uint64(b[at+4:]))
		if binary.LittleEndian.Uint32(b[at:]) == tick {
			b[end-1] ^= 1
		}
		binary.LittleEndian.PutUint32(b[end:], crc32.Checksum(b[at:end], crc32.MakeTable(crc32.Castagnoli)))
		at = end + 4
	}
	ok(t, os.WriteFile(path, b, 0o600))
}

// TestReplayDamagedValues checks that the command prints the tick of the difference if the values of this tick cannot be read, and
// returns the error.
func TestReplayDamagedValues(t *testing.T) {
	a, b := recordTicks(t, "a", false, replay.Values(1, 10)), recordTicks(t, "b", true, replay.Values(1, 10))
	damageValues(t, b)
	var out bytes.Buffer
	err := Replay([]string{a, b}, &out)
	if want := "tick 5: the hashes are "; !strings.HasPrefix(out.String(), want) || !strings.Contains(out.String(), "; the first 4 ticks are equal\n") {
		t.Errorf("want %q and the number of equal ticks\n%s", want, out.String())
	}
	if !errors.Is(err, untyped.ErrCorrupt) || !strings.Contains(err.Error(), "the values after tick 5: ") {
		t.Errorf("got error %v, want one of the values after tick 5", err)
	}
	if !errors.Is(err, ErrDiffers) {
		t.Errorf("got error %v, want also ErrDiffers", err)
	}
	out.Reset()
	damageValues(t, a) // equal hashes, so nothing reads the values
	if err := Replay([]string{a, a}, &out); err != nil || out.String() != "no difference in 10 ticks\n" {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// hostile is a name that clears the screen and then imitates a line of the command's output.
const hostile = "\x1b[2J\x9b31mgame.Body\nhash 0000000000000000, of version 1\r\u202e"

// TestHostileNames checks that no name in a file, and no name of a file, can control the terminal or
// add a line to the output.
func TestHostileNames(t *testing.T) {
	f, err := untyped.Open(saveWorld(t, "a.snapshot", 1))
	ok(t, err)
	var plain bytes.Buffer
	ok(t, infoOf(f, &plain))
	f.Sums = slices.Grow(f.Sums, 1)[:len(f.Sums)+1]
	f.Sums[len(f.Sums)-1].Name = hostile
	for i := range f.Components {
		c := &f.Components[i]
		c.Name = hostile + c.Name
		for k := range c.Lanes {
			c.Lanes[k].Name += hostile
		}
	}
	var out bytes.Buffer
	ok(t, infoOf(f, &out))
	_, one := choose(f, "")
	_, none := choose(f, hostile)
	_, two := choose(&untyped.File{Components: []untyped.Component{{Name: hostile + ".x"}, {Name: hostile + "y.x"}}}, "x")
	_, bad := snapshotOf("verify", filepath.Join(t.TempDir(), hostile))
	verified, _ := snapshotOf("verify", filepath.Join(t.TempDir(), hostile))
	for what, text := range map[string]string{
		"info": out.String(), "no component": one.Error(), "another component": none.Error(), "two": two.Error(), "verify": verified, "verify's error": bad.Error(),
		"a difference": diff.Difference{Kind: diff.Value, Component: hostile, Lane: hostile, A: hostile}.String() + "\n",
		"two parted":   (&replay.Divergence{System: hostile, Component: hostile}).String() + "\n",
	} {
		if strings.ContainsFunc(strings.ReplaceAll(text, "\n", ""), func(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError || r == '\u202e' }) {
			t.Errorf("%s: %q", what, text)
		}
		if strings.Contains(text, "\nhash 0000") {
			t.Errorf("%s has a line that a name has made: %q", what, text)
		}
	}
	if got, want := strings.Count(out.String(), "\n"), strings.Count(plain.String(), "\n")+1; got != want {
		t.Errorf("info has %d lines, want %d:\n%s", got, want, out.String())
	}
}
