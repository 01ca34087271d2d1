package lanewise

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

var quotedCode = regexp.MustCompile("(?s)<!-- (\\S+) -->\n```go\n(.*?)```")

// TestReadme compares the README with the tree: the code that it shows must be in the file that it
// names. TestDocs checks its links.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range readmeFaults(string(text), os.ReadFile) {
		t.Error(fault)
	}
}

func readmeFaults(text string, read func(string) ([]byte, error)) (faults []string) {
	quotes := quotedCode.FindAllStringSubmatch(text, -1)
	if blocks := strings.Count(text, "```go\n"); blocks != len(quotes) {
		faults = append(faults, fmt.Sprintf("%d of %d Go blocks name the file that they come from", len(quotes), blocks))
	}
	for _, q := range quotes {
		source, err := read(q[1])
		if err != nil {
			faults = append(faults, err.Error())
		} else if !strings.Contains(unindent(string(source)), unindent(q[2])) {
			faults = append(faults, fmt.Sprintf("%s does not contain:\n%s", q[1], q[2]))
		}
	}
	return faults
}

// unindent removes the leading white space of every line.
func unindent(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(lines, "\n")
}

func TestReadmeFaults(t *testing.T) {
	files := map[string]string{"a.go": "func f() {\n\tx := 1\n}\n"}
	read := func(name string) ([]byte, error) {
		if s, ok := files[name]; ok {
			return []byte(s), nil
		}
		return nil, fmt.Errorf("no %s", name)
	}
	for _, c := range []struct {
		name, text string
		faults     int
	}{
		{"right", "<!-- a.go -->\n```go\nx := 1\n```\n", 0},
		{"other code", "<!-- a.go -->\n```go\nx := 2\n```\n", 1},
		{"no file", "<!-- b.go -->\n```go\nx := 1\n```\n", 1},
		{"unnamed block", "```go\nx := 1\n```\n", 1},
	} {
		if got := readmeFaults(c.text, read); len(got) != c.faults {
			t.Errorf("%s: %d faults, want %d: %q", c.name, len(got), c.faults, got)
		}
	}
}
