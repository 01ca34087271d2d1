package scene

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/lanewise/lanewise/ecs"
)

// Heavy is a component that is much larger than its text.
type Heavy struct{ Data [2048]float32 }

func init() { ecs.RegisterComponent[Heavy]() }

// repeatLines writes lines until the text has the given size.
func repeatLines(size int, line func(i int) string) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString(line(i))
	}
	return b.String()
}

func numbered(format string) func(i int) string {
	return func(i int) string { return strings.ReplaceAll(format, "#", fmt.Sprint(i)) }
}

// attacks are texts of about the given size that cost as much as possible.
var attacks = []struct {
	name string
	text func(size int) string
}{
	{"doubling prefabs", func(size int) string {
		return `{"prefabs":{"p0":{"Mass":{}},` + repeatLines(min(size, 5000), func(i int) string {
			return fmt.Sprintf(`"p%d":{"children":{"a":{"of":"p%d"},"b":{"of":"p%d"}}},`, i+1, i, i)
		}) + `}}`
	}},
	{"a long key over many children", func(size int) string {
		return `{"entities":{"` + strings.Repeat("k", size/2) + `":{"children":{` + repeatLines(size/2, numbered(`"#":{},`)) + `}}}}`
	}},
	{"a key of the limit over many children", func(size int) string {
		return `{"entities":{"` + strings.Repeat("k", 2000) + `":{"children":{` + repeatLines(size, numbered(`"#":{},`)) + `}}}}`
	}},
	{"a large prefab, many times", func(size int) string {
		return `{"prefabs":{"p":{"Buffer[Waypoint]":[` + repeatLines(size/2, numbered(`{"At":{"X":1}},`)) + `]}},"entities":{` + repeatLines(size/2, numbered(`"#":{"of":"p"},`)) + `}}`
	}},
	{"references in copies with long names", func(size int) string {
		return `{"prefabs":{"p":{"children":{"c":{"Buffer[Waypoint]":[` + repeatLines(size/2, numbered(`{"Goal":"@p/c"},`)) + `]}}}},"entities":{` +
			repeatLines(size/2, func(i int) string { return fmt.Sprintf(`"%d%s":{"of":"p"},`, i, strings.Repeat("n", 1900)) }) + `}}`
	}},
	{"unknown prefabs", func(size int) string {
		return `{"prefabs":{` + repeatLines(size/2, numbered(`"some_prefab_#":{},`)) + `},"entities":{` + repeatLines(size/2, numbered(`"e#":{"of":"some_prefeb_#"},`)) + `}}`
	}},
	{"unknown components", func(size int) string {
		return `{"entities":{` + repeatLines(size, func(i int) string { return fmt.Sprintf(`"e%d":{"%s%d":{}},`, i, strings.Repeat("m", 150), i) }) + `}}`
	}},
	{"unknown fields", func(size int) string {
		return `{"entities":{` + repeatLines(size, numbered(`"e#":{"Mass":{"k#":1}},`)) + `}}`
	}},
	{"unknown entities", func(size int) string {
		return `{"entities":{` + repeatLines(size, numbered(`"some_entity_#":{"Parent":{"Entity":"@same_entity_#"}},`)) + `}}`
	}},
	{"names twice", func(size int) string { return `{"entities":{` + repeatLines(size, numbered(`"e":{},`)) + `}}` }},
	{"bad names", func(size int) string { return `{"entities":{` + repeatLines(size, numbered(`"a:#":{},`)) + `}}` }},
	{"components twice", func(size int) string { return `{"entities":{"e":{` + repeatLines(size, numbered(`"Mass":{},`)) + `}}}` }},
	{"children over children", func(size int) string {
		return `{"prefabs":{"p":{"children":{` + repeatLines(size/2, numbered(`"c#":{},`)) + `}}},"entities":{"e":{"of":"p","children":{` + repeatLines(size/2, numbered(`"c#":{"Mass":{}},`)) + `}}}}`
	}},
	{"children over one prefab, many times", func(size int) string {
		return `{"prefabs":{"p":{"children":{` + repeatLines(size/4, numbered(`"c#":{},`)) + `}}},"entities":{` + repeatLines(size/2, numbered(`"e#":{"of":"p"},`)) + `}}`
	}},
	{"a chain of prefabs with groups", func(size int) string {
		return `{"prefabs":{"p0":{"children":{"c":{}}},` + repeatLines(min(size, 4000), func(i int) string {
			return fmt.Sprintf(`"p%d":{"of":"p%d","children":{"x%d":{"of":"p%d"}}},`, i+1, i, i, i)
		}) + `}}`
	}},
	{"prefabs over prefabs, a text each", func(size int) string {
		return `{"prefabs":{"p0":{"Mass":{}},` + repeatLines(4000, func(i int) string { return fmt.Sprintf(`"p%d":{"of":"p%d","Mass":{"Kg":1}},`, i+1, i) }) +
			`},"entities":{` + repeatLines(size, numbered(`"e#":{"of":"p90","Mass":{}},`)) + `}}`
	}},
	{"references out of the scene", func(size int) string {
		return `{"entities":{"e":{"Buffer[Waypoint]":[` + repeatLines(size, numbered(`{"Goal":"@:a"},`)) + `]}}}`
	}},
	{"references within the scene", func(size int) string {
		return `{"entities":{"e":{"Buffer[Waypoint]":[` + repeatLines(size, numbered(`{"Goal":"@e"},`)) + `]}}}`
	}},
	{"small entities", func(size int) string { return `{"entities":{` + repeatLines(size, numbered(`"#":{},`)) + `}}` }},
	{"heavy components", func(size int) string {
		return `{"entities":{` + repeatLines(size, numbered(`"#":{"Heavy":{}},`)) + `}}`
	}},
	{"heavy components of copies", func(size int) string {
		return `{"prefabs":{"p":{"Heavy":{},"children":{"a":{"Heavy":{}}}}},"entities":{` + repeatLines(size, numbered(`"#":{"of":"p"},`)) + `}}`
	}},
	{"shared values, each another one", func(size int) string {
		return `{"entities":{` + repeatLines(size, numbered(`"#":{"Team":{"No":#}},`)) + `}}`
	}},
	{"shared values, written differently", func(size int) string {
		return `{"entities":{` + repeatLines(size, numbered(`"#":{"Team":{"No":1/*#*/}},`)) + `}}`
	}},
	{"values of chunks, each another one", func(size int) string {
		return `{"entities":{` + repeatLines(size, numbered(`"#":{"PerChunk[Bounds]":{"Max":{"X":#}}},`)) + `}}`
	}},
	{"archetypes, each another one", func(size int) string {
		all := []string{"Position", "Velocity", "Mass", "Frozen", "Lit", "Awake", "Deep", "Graded", "Parent", "Grip", "Label", "Buffer[Waypoint]"}
		return `{"entities":{` + repeatLines(size, func(i int) string {
			line := fmt.Sprintf(`"%d":{`, i)
			for k, name := range all {
				if i>>k&1 != 0 {
					line += `"` + name + `":` + []string{"{}", "[]"}[k/11] + `,`
				}
			}
			return line + `},`
		}) + `}}`
	}},
	{"marks", func(size int) string {
		return `{"prefabs":{"p":{"Lit":{}}},"entities":{` + repeatLines(size, numbered(`"#":{"of":"p","disabled":["Lit","Awake"],"remove":["Mass"]},`)) + `}}`
	}},
	{"texts of managed components, many times", func(size int) string {
		return `{"prefabs":{"p":{"Label":{"Tags":[` + repeatLines(size/2, numbered(`"",`)) + `]}}},"entities":{` + repeatLines(size/2, numbered(`"#":{"of":"p"},`)) + `}}`
	}},
	{"shared values in copies, with references", func(size int) string {
		return `{"prefabs":{"p":{"children":{"c":{"Team":{"Name":"@` + strings.Repeat("x", size/2) + `"}}}}},"entities":{` + repeatLines(size/2, numbered(`"#":{"of":"p"},`)) + `}}`
	}},
	{"deep", func(size int) string {
		return `{"entities":{` + repeatLines(size, numbered(`"#":{"Deep":`+strings.Repeat("[", 190)+strings.Repeat("]", 190)+`},`)) + `}}`
	}},
	{"no string ends", func(size int) string { return `{"entities":{"a":{"Mass":` + strings.Repeat(`"\`, size/2) }},
}

// An untrusted text takes time and memory in proportion to its length, or is refused. Each attack
// has two sizes, because the larger one shows a cost that grows faster than linearly.
func TestHostileTexts(t *testing.T) {
	size, most, opts := 1<<15, uint64(64), []Option{MaxBytes(16 << 20)}
	if *full {
		size, most, opts = 1<<20, 256, nil
	}
	for _, a := range attacks {
		text := []byte(a.text(size))
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		start := time.Now()
		d, err := Parse("x", text, opts...)
		parsed := time.Since(start)
		if err == nil {
			_, err = d.Bake()
		}
		if err == nil {
			_, err = Format("x", text)
		}
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		used := (after.TotalAlloc - before.TotalAlloc) >> 20
		if testing.Verbose() {
			t.Logf("%-42s %4d KiB: %7v to parse, %7v in all, %4d MiB; %.110v", a.name, len(text)>>10, parsed.Round(time.Millisecond), took.Round(time.Millisecond), used, err)
		}
		if used > most || took > 4*time.Second { // less than a second on an idle machine: see the long run
			t.Errorf("%s: %d bytes of text took %v and %d MiB", a.name, len(text), took, used)
		}
	}
}

// A text that a limit refuses can be read with a larger limit.
func TestMaxBytes(t *testing.T) {
	text := []byte(attacks[3].text(1 << 13))
	heavy := []byte(`{"entities":{` + repeatLines(2000, numbered(`"#":{"Heavy":{}},`)) + `}}`)
	for _, c := range []struct {
		text []byte
		n    int
		fits bool
	}{{text, 1 << 18, false}, {text, 1 << 30, true}, {text, 0, true}, {heavy, 1 << 16, false}, {heavy, 1 << 22, true}, {heavy, 0, true}} {
		files := fstest.MapFS{"a.scene": {Data: c.text}}
		_, err := ReadFile(files, "a.scene", MaxBytes(c.n))
		if (err == nil) != c.fits || err != nil && !strings.Contains(err.Error(), "scene.MaxBytes") {
			t.Errorf("%d bytes: %v", c.n, err)
		}
		d, err := Parse("a", c.text, MaxBytes(c.n))
		if err == nil {
			_, err = d.Bake()
		}
		if (err == nil) != c.fits {
			t.Errorf("%d bytes: %v", c.n, err)
		}
	}
	defer func() {
		if v := fmt.Sprint(recover()); !strings.HasPrefix(v, "scene: MaxBytes: -1 bytes: ") {
			t.Error(v)
		}
	}()
	MaxBytes(-1)
}

// A byte-order mark is no error, because editors write it. Errors have the same line and column as
// without the mark, and a formatted text has no mark.
func TestByteOrderMark(t *testing.T) {
	const mark = "\uFEFF"
	for _, text := range []string{everything, `{"entities": {"a": {"Mess": {}}}}`, `{`} {
		_, want := Parse("s", []byte(text))
		_, got := Parse("s", []byte(mark+text))
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v, without the mark %v", got, want)
		}
		form, err := Format("s", []byte(text))
		again, err2 := Format("s", []byte(mark+text))
		if string(form) != string(again) || fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Errorf("the form is %.60q, without the mark %.60q", again, form)
		}
	}
	for _, text := range []string{"\xFF\xFE{\x00}\x00", "\xFE\xFF\x00{\x00}"} {
		if _, err := Parse("s", []byte(text)); err == nil || err.Error() != "s:1:1: the text begins with the byte-order mark of UTF-16: save it as UTF-8" {
			t.Error(err)
		}
	}
	if _, err := Parse("s", []byte("{"+mark+"}")); err == nil {
		t.Error("a mark in the middle is accepted")
	}
}
