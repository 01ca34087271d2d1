package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSceneCommand(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.scene")
	text := `{"entities": {"a": {"transform.TranslationOf[float32]": {"X": 1}, "children": {"b": {"Frozen": {}}}}}}`
	for _, c := range []struct {
		args []string
		text string
		code int
		want string
	}{
		{[]string{"scene"}, "", exitUsage, "say what to do: check, bake, fmt or schema"},
		{[]string{"help", "scene"}, "", exitOK, "lanewise scene check FILE..."},
		{[]string{"scene", "eat", path}, "", exitUsage, "the arguments are wrong"},
		{[]string{"scene", "check", path}, text, exitError, `a.scene:1:86: no component "Frozen" is registered`},
		{[]string{"scene", "check", path}, strings.ReplaceAll(text, `"Frozen": {}`, ""), exitOK, ""},
		{[]string{"scene", "check", path}, `{"entities": {"a": {"Translation": {"X": 1}, "NonUniformScale": {"X": 2}, "PostTransformMatrix": {}, "Camera": {"Height": 3},
			"Translation64": {}, "children": {"b": {"LocalTransform": {"Scale": 1}, "Bounds": {"HX": 1}, "Look": {"Shape": 1}}}}}}`, exitOK, ""},
		{[]string{"scene", "schema"}, "", exitOK, "transform.Parent"},
	} {
		if c.text != "" {
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		if code := run(context.Background(), c.args, &terminal{out: &out, err: &out}); code != c.code || !strings.Contains(out.String(), c.want) {
			t.Errorf("%q: exit %d, %s", c.args, code, out.String())
		}
	}
}

// TestHostileTexts checks that control characters in a scene, in a file name or in the data of a
// program do not reach the terminal.
func TestHostileTexts(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a\x1b[2J.scene")
	if err := os.WriteFile(path, []byte("{\"lanewise\": \"scene 1\", \"\x1b]0;x\x07\": {}, \"a\\u001b[2J\": 1}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"scene", "check", path}, {"snapshot", "info", path}, {"snapshot", "\x1b[2J"}, {"replay", path}, {"\x1b[2J"}, {"orrery", "-csv", filepath.Join(dir, "no\x1b[2J", "x")},
	} {
		out, err, code := lanewise(t, args...)
		if code == exitOK || strings.ContainsAny(out+err, "\x1b\x07") {
			t.Errorf("%q: exit code %d, %q, %q", args, code, out, err)
		}
	}
	var b strings.Builder
	if err := table(&b, [][]string{{"a\x1b[2J", "b\nc\td"}, {"\x9b", "e"}}); err != nil || strings.Count(b.String(), "\n") != 2 || strings.ContainsAny(b.String(), "\x1b\t") || strings.Contains(b.String(), "\x9b") {
		t.Errorf("a table is %q, %v", b.String(), err)
	}
}
