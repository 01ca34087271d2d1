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

// A List collects the messages of a package. It keeps each message once. If
// Edit is not nil, it removes the parts of a message that differ between
// machines.
type List struct {
	T    testing.TB
	Edit func(string) string

	said []string
}

// File is the path of the file that stores the messages of a package.
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

// Err records the message of an error. It fails the test if the error is nil.
func (l *List) Err(err error) {
	l.T.Helper()
	if err == nil {
		l.T.Error("no error")
		return
	}
	l.Say(err.Error())
}

// Panics records the message with which a function panics. It fails the test if
// the function does not panic.
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

// Compare compares the messages with the file File in the directory, or
// rewrites this file if update is set. Compare also checks that the list
// contains all messages in the package's source. The source must contain at
// least the given number of messages. The parameter elsewhere holds prefixes
// of messages that another test covers.
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
	text, _, _ = strings.Cut(text, " (") // additional text in parentheses may differ
	return regexp.MustCompile(verb.ReplaceAllString(regexp.QuoteMeta(text), ".*"))
}

// texts returns the texts of all errors and panics in the source of the
// package, by position.
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

// calledName returns the name of the called function, without its package.
func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// literals returns the strings that a file passes to functions that make errors
// and panics.
func literals(file *ast.File) (list []*ast.BasicLit) {
	take := func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			list = append(list, lit)
		}
		return true
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && slices.Contains([]string{"Errorf", "New", "panic", "fault"}, calledName(call)) {
			for _, arg := range call.Args {
				ast.Inspect(arg, take)
			}
		}
		return true
	})
	return list
}
