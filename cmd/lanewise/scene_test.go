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
