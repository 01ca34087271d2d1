package scene

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCommand(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	good := file("good.scene", `{"entities": {"a": {"Health": 1}}}`)
	bad := file("bad.scene", "{\"entities\": {\n\"a\": {\"Helth\": 1}}}")
	for _, c := range []struct {
		args        []string
		code        int
		out, errors string // what is in them
	}{
		{[]string{}, 2, "", "usage: scenes check FILE..."},
		{[]string{"eat", good}, 2, "", "usage"},
		{[]string{"check"}, 2, "", "usage"},
		{[]string{"check", "-x", good}, 2, "", "-x"},
		{[]string{"check", "-d", good}, 2, "", "usage"},
		{[]string{"schema", good}, 2, "", "usage"},
		{[]string{"check", good}, 0, "", ""},
		{[]string{"check", good, bad}, 1, "", `bad.scene:2:7: no component "Helth" is registered: there is "Health"`},
		{[]string{"check", good + "x"}, 1, "", "no such file"},
		{[]string{"bake", good}, 0, "good.scene.baked is written: 1 entities, of these 0 in prefabs", ""},
		{[]string{"bake", good}, 0, "is current", ""},
		{[]string{"bake", bad, good}, 1, "is current", "bad.scene:2:7"},
		{[]string{"fmt", "-d", good}, 1, "", "good.scene: it is not in its one form"},
		{[]string{"fmt", good}, 0, "good.scene", ""},
		{[]string{"fmt", "-d", good}, 0, "", ""},
		{[]string{"fmt", good}, 0, "", ""},
		{[]string{"schema"}, 0, `"$schema"`, ""},
	} {
		var out, wrong bytes.Buffer
		code := Main("scenes", c.args, &out, &wrong)
		if code != c.code || !strings.Contains(out.String(), c.out) || !strings.Contains(wrong.String(), c.errors) || (c.out == "") != (out.Len() == 0) || (c.errors == "") != (wrong.Len() == 0) {
			t.Errorf("%q: exit %d, printed %q, errors %q", c.args, code, out.String(), wrong.String())
		}
	}
	if _, err := os.Stat(bad + Suffix); err == nil {
		t.Error("a wrong text is baked")
	}
}
