package scene

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Conformance: 373
func TestErrors(t *testing.T) {
	entity := func(text string) string { return "{\"entities\": {\n\t\"a\": {" + text + "}}}" }
	for _, c := range []struct{ text, want string }{
		// The text.
		{``, `1:1: a scene: an object is expected, as in {}; there is the end of the text`},
		{`{"entities": {}`, `1:16: a comma or } is expected; there is the end of the text`},
		{`{"entitys": {}}`, `1:2: no key "entitys": a scene has "prefabs" and "entities"`},
		{`{"entities": {}, "entities": {}}`, `1:18: "entities" is there twice`},
		{"{}\x00", `1:3: the text has a byte 0 here: remove it, or save the text as UTF-8`},
		{"{\"entities\": {\x00}}", `1:15: the text has a byte 0 here: remove it, or save the text as UTF-8`},
		{`{} {}`, `1:4: behind the scene comes an object`},
		{"{\"entities\": {\xff}}", `1:15: the text is not UTF-8 here`},
		{`{"entities": {"": {}}}`, `1:15: the name "" is empty`},
		{`{"entities": {"@a": {}}}`, `1:15: the name "@a" begins with @, as references do`},
		{`{"entities": {"a:b": {}}}`, `1:15: the name "a:b" has a colon, which is behind the name of a scene in references`},
		{`{"entities": {"a\n": {}}}`, `1:15: the name "a\n" has a control character`},
		{"{\"entities\": {\n\"é\": {}, \"a\": {},\n\"a\": {}}}", `3:1: the name "a" is there twice, first in line 2`},
		{`{"prefabs": {"a": {}}, "entities": {"a": {}}}`, `1:37: the name "a" is there twice, first in line 1`},
		{`{"prefabs": {"a": {}, "a": {}}}`, `1:23: the name "a" is there twice`},
		{`{"entities": {"a": {"children": {"b": {}}}, "a/b": {}}}`, `1:45: the name "a/b" is there twice, first in line 1`},
		{entity(`"Health": 1 /* x`), `2:20: the comment has no end: write */`},
		{entity(`"Health": / 1`), `2:18: a single /: comments begin with // or /*`},
		{entity(`"Health`), `2:8: the string has no end`},
		{entity("\"Label\": {\"Text\": \"a\tb\"}"), `2:28: a string has a line end or control character: write it as \n or \u0009`},
		{entity(`"Label": {"Text": "\x"}`), `2:27: a string has an escape that is none of \" \\ \/ \b \f \n \r \t \u0000`},
		{entity(`"Label": {"Text": "\ud800x"}`), `2:27: a string has one half of a pair of surrogates`},
		{entity(`"Deep": {"Pair": [}]`), `2:26: ] is expected; there is }`},
		// Components and fields.
		{entity(`"Positoin": {}`), `2:8: no component "Positoin" is registered: there is "Position"`},
		{entity(`"Zzzzzzzz": {}`), `2:8: no component "Zzzzzzzz" is registered: import the package that has it, or call ecs.RegisterComponent[T]() before`},
		{entity(`"ChunkHeader": {}`), `2:8: no component "ChunkHeader" is registered: import the package that has it, or call ecs.RegisterComponent[T]() before`},
		{entity(`"Health": 1, "Health": 2`), `2:31: entity "a" has the component github.com/lanewise/lanewise/ecs/scene.Health twice`},
		{entity(`"Health": 1, "scene.Health": 2`), `2:37: entity "a" has the component github.com/lanewise/lanewise/ecs/scene.Health twice`},
		{entity(`"Position": {"Q": 1}`), `2:21: scene.Position has no field "Q": it has X, Y, Z`},
		{entity(`"Position": {"Width": 1}`), `2:21: scene.Position has no field "Width": it has X, Y, Z`},
		{entity(`"Position": {"X": 1, "X": 2}`), `2:29: field X is there twice`},
		{entity(`"Lit": {"Enableable": {}}`), `2:16: scene.Lit has no field "Enableable": it has Lumen`},
		{entity(`"Frozen": {"X": 1}`), `2:19: github.com/lanewise/lanewise/ecs/scene.Frozen is a tag, which has no fields: write {}`},
		{entity(`"Frozen": true`), `2:18: github.com/lanewise/lanewise/ecs/scene.Frozen, a tag: an object is expected, as in {}; there is true`},
		{entity(`"Label": {"Inner": {"Z": 1}}`), `2:28: scene.Point has no field "Z": it has X, Y`},
		// Values.
		{entity(`"Health": 40000`), `2:18: 40000 does not fit scene.Health: it is from -32768 to 32767`},
		{entity(`"Health": 1.0`), `2:18: 1.0 is not a whole number, as scene.Health is`},
		{entity(`"Health": 01`), `2:18: a number is written as -1, 0.5 or 1e-3`},
		{entity(`"Health": "1"`), `2:18: a whole number is expected; there is a string`},
		{entity(`"Health": nope`), `2:18: a value is expected; there is 'n'`},
		{entity(`"Lit": {"Lumen": -1}`), `2:25: -1 does not fit uint32: it is from 0 to 4294967295`},
		{entity(`"Position": {"X": 1e39}`), `2:26: 1e39 does not fit a float32`},
		{entity(`"Position": {"X": "Inf"}`), `2:26: a number is expected, or "NaN", "+Inf" or "-Inf"; there is "Inf"`},
		{entity(`"Position": {"X": null}`), `2:26: a number is expected; there is null`},
		{entity(`"Deep": {"Flags": [true, false]}`), `2:26: [3]bool has 3 elements; here are 2`},
		{entity(`"Deep": {"Flags": [true, false, true, true]}`), `2:46: [3]bool has 3 elements; here are more`},
		{entity(`"Deep": {"Flags": [1, false, true]}`), `2:27: true or false is expected; there is a number`},
		{entity(`"Graded": {"Level": "middle"}`), `2:28: "middle" is no scene.Level: a level is low or high`},
		{entity(`"Label": {"Until": "soon"}`), `2:27: "soon" is no time.Time: parsing time "soon" as "2006-01-02T15:04:05Z07:00": cannot parse "soon" as "2006"`},
		// References.
		{entity(`"Parent": {"Entity": "@nobody"}`), `2:29: no entity "nobody" in this scene`},
		{entity(`"Parent": {"Entity": "@A"}`), `2:29: no entity "A" in this scene`},
		{entity(`"Parent": {"Entity": "a"}`), `2:29: an entity is "@name" or null; there is "a": write "@a"`},
		{entity(`"Parent": {"Entity": 3}`), `2:29: an entity is "@name" or null; there is a number`},
		{entity(`"Parent": {"Entity": "@x:"}`), `2:29: "@x:" has no name behind the colon`},
		{entity(`"Buffer[Waypoint]": [{"Goal": "@nobody"}]`), `2:38: no entity "nobody" in this scene`},
		{entity(`"Buffer[Waypoint]": {}`), `2:28: ecs.Buffer[github.com/lanewise/lanewise/ecs/scene.Waypoint]: an array is expected, as in []; there is an object`},
		{entity(`"Team": {"Naem": "x"}`), `2:17: scene.Team has no field "Naem": there is "Name"`},
		// Prefabs.
		{entity(`"of": "lmap"`) + ``, `2:14: no prefab "lmap"`},
		{`{"prefabs": {"lamp": {}}, "entities": {"a": {"of": "lmap"}}}`, `1:52: no prefab "lmap": there is "lamp"`},
		{`{"prefabs": {"a": {"of": "b"}, "b": {"of": "a"}}}`, `1:44: prefab "a" is of itself, or in itself`},
		{`{"prefabs": {"a": {"children": {"b": {"of": "a"}}}}}`, `1:45: prefab "a" is of itself, or in itself`},
		{`{"prefabs": {"a": {"children": {"b": {}}}, "c": {}}, "entities": {"x": {"of": "a", "children": {"b": {"of": "c"}}}}}`, `1:109: "x/b" is of a prefab already: its parent is made with it`},
		{`{"prefabs": {"a": {"LinkedGroup": []}}}`, `1:35: a prefab has the LinkedGroup of its children: leave it out`},
		{entity(`"remove": ["Health"]`), `2:19: entity "a" has no component github.com/lanewise/lanewise/ecs/scene.Health`},
		{entity(`"Lit": {}, "enabled": ["Lit"]`), `2:31: github.com/lanewise/lanewise/ecs/scene.Lit is enabled already`},
		{entity(`"Health": 1, "disabled": ["Health"]`), `2:34: github.com/lanewise/lanewise/ecs/scene.Health is not enableable, and always on`},
		{entity(`"Lit": {}, "disabled": ["Lit", "Lit"]`), `2:39: "Lit" is in a list of this entity already`},
		{entity(`"of": "x", "of": "y"`), `2:19: "of" is there twice`},
		{entity(`"children": {"b": {"Parent": {"Entity": "@a"}}}`), `2:37: entity "a/b" gets the component Parent without that it is written: leave it out`},
	} {
		d, err := Parse("s", []byte(c.text))
		if err == nil {
			_, err = d.Bake()
		}
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s\n\tgives %v, want %s", c.text, err, c.want)
			continue
		}
		if got := strings.TrimPrefix(e.Error(), "s:"); got != c.want {
			t.Errorf("%s\n\tgives %s\n\t want %s", c.text, got, c.want)
		}
	}
}

// Conformance: 373
func TestManyErrors(t *testing.T) {
	var text strings.Builder
	text.WriteString("{\"entities\": {\n")
	for i := range 100 {
		fmt.Fprintf(&text, "\"e%d\": {\"Health\": %d, \"Parent\": {\"Entity\": \"@f%d\"}},\n", i, 40000*(i%2), i)
	}
	text.WriteString("}}")
	for range 5 {
		d, err := Parse("s", []byte(text.String()))
		must(t, err)
		_, err = d.Bake()
		lines := strings.Split(err.Error(), "\n")
		if len(lines) != 21 || !strings.HasPrefix(lines[0], `s:2:42: no entity "f0" in this scene: there is "e0"`) || !strings.HasPrefix(lines[1], "s:3:18: 40000 does") || !strings.HasPrefix(lines[2], "s:3:46:") || !strings.HasSuffix(lines[20], " more") {
			t.Fatal(err)
		}
	}
}

// A text cannot make a program use more memory than the length of the text justifies.
func TestBounds(t *testing.T) {
	defer func(n int) { maxExpandedEntities = n }(maxExpandedEntities)
	maxExpandedEntities = 1 << 14
	var text strings.Builder
	text.WriteString(`{"prefabs": {"p0": {"children": {`)
	for i := range 10 {
		fmt.Fprintf(&text, `"c%d": {},`, i)
	}
	text.WriteString("}},\n")
	for i := range 12 {
		fmt.Fprintf(&text, `"p%d": {"children": {`, i+1)
		for k := range 10 {
			fmt.Fprintf(&text, `"c%d": {"of": "p%d"},`, k, i)
		}
		text.WriteString("}},\n")
	}
	text.WriteString("}}")
	chain := `{"prefabs": {"p0": {}`
	for i := range 1000 {
		chain += fmt.Sprintf(`, "p%d": {"of": "p%d"}`, 1000-i, 999-i)
	}
	for want, text := range map[string]string{
		"make more than 16384 entities":              text.String(),
		"more than 100 prefabs are each of the next": chain + "}}",
		"more than 200 objects and arrays":           `{"entities": {"a": {"Deep": ` + strings.Repeat("[", 300),
		"200 objects and arrays lie in each other":   `{"entities": ` + strings.Repeat(`{"a": {"children": `, 300),
	} {
		if _, err := Parse("s", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.100v, want %s", err, want)
		}
	}
}

// A fault in a prefab is reported once, for any number of entities that are "of" it, and does not
// hide other faults.
func TestOnceForAllCopies(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"prefabs": {"p": {"Mass": {"Kg": "x"}, "Health": 1e9, "children": {"c": {"Mass": {"Kilo": 1}}}}}, "entities": {` + "\n")
	for i := range 5000 {
		fmt.Fprintf(&b, `"e%d": {"of": "p"},`, i)
	}
	b.WriteString("\n" + `"last": {"Mass": {"Kg": "y"}}}}`)
	d, err := Parse("s", []byte(b.String()))
	must(t, err)
	_, err = d.Bake()
	got := strings.Split(err.Error(), "\n")
	if len(got) != 4 || !strings.HasPrefix(got[0], "s:1:35: a number") || !strings.HasPrefix(got[1], "s:1:51: 1e9") || !strings.HasPrefix(got[2], "s:1:84: scene.Mass") || !strings.HasPrefix(got[3], "s:3:25: a number") {
		t.Error(err)
	}
}
