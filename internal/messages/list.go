package messages

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A List keeps messages of a package, each once. Edit, if there is one, takes out what differs from one machine to
// the next.
type List struct {
	T    testing.TB
	Edit func(string) string

	said []string
}

// File is where the messages of a package are.
const File = "testdata/messages.golden"

// Say keeps a message.
func (l *List) Say(text string) {
	if l.Edit != nil {
		text = l.Edit(text)
	}
	if !slices.Contains(l.said, text) {
		l.said = append(l.said, text)
	}
}

// Err keeps the message of an error, which there must be.
func (l *List) Err(err error) {
	l.T.Helper()
	if err == nil {
		l.T.Error("no error")
		return
	}
	l.Say(err.Error())
}

// Panics keeps the message of a panic, which there must be.
func (l *List) Panics(f func()) {
	l.T.Helper()
	defer func() {
		l.T.Helper()
		v := recover()
		if v == nil {
			l.T.Error("no panic")
			return
		}
		l.Say(fmt.Sprint(v))
	}()
	f()
}

// Compare holds the messages to File of the directory, which it writes anew on request, and to the source of the package there, in which it must
// find so many at least. Elsewhere are beginnings of messages to which another test leads.
func (l *List) Compare(update bool, least int, elsewhere ...string) {
	t := l.T
	t.Helper()
	if update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(File), 0o755), os.WriteFile(File, []byte(strings.Join(l.said, "\n")+"\n"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(File)
	if err != nil {
		t.Fatal(err)
	}
	golden := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for _, m := range l.said {
		if !slices.Contains(golden, m) {
			t.Errorf("not in %s: %s", File, m)
		}
	}
	for _, m := range golden {
		if !slices.Contains(l.said, m) {
			t.Errorf("in %s, but nothing says it any more: %s", File, m)
		}
	}
	places := texts(t)
	if len(places) < least {
		t.Errorf("the source has %d messages, want %d at least: the search is wrong", len(places), least)
	}
	for place, text := range places {
		if !slices.ContainsFunc(golden, patternOf(text).MatchString) && !slices.ContainsFunc(elsewhere, func(s string) bool { return strings.HasPrefix(text, s) }) {
			t.Errorf("%s: no misuse of this test leads to this message: %s", place, text)
		}
	}
}

var verb = regexp.MustCompile(`%[+#0]*[0-9]*[a-z]`)

func patternOf(text string) *regexp.Regexp {
	text, _, _ = strings.Cut(text, "\n") // a stack follows
	text, _, _ = strings.Cut(text, " (") // of what is told besides, which may differ
	return regexp.MustCompile(verb.ReplaceAllString(regexp.QuoteMeta(text), ".*"))
}

// texts returns the texts of all errors and panics that the package of the directory makes, by place.
func texts(t testing.TB) map[string]string {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	texts, set := map[string]string{}, token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, lit := range literals(file) {
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(strings.TrimSpace(text), " ") {
				texts[set.Position(lit.Pos()).String()] = text
			}
		}
	}
	return texts
}

// called is the name of what is called, without its package.
func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// literals returns the strings in what a file gives to functions that make errors and panics.
func literals(file *ast.File) (list []*ast.BasicLit) {
	take := func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			list = append(list, lit)
		}
		return true
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && slices.Contains([]string{"Errorf", "New", "panic", "fault"}, called(call)) {
			for _, arg := range call.Args {
				ast.Inspect(arg, take)
			}
		}
		return true
	})
	return list
}
