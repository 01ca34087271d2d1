package ecs_test

import (
	"regexp"
	"strings"
	"testing"
)

// TestTypeNames checks that messages name their component by its full name, after the word component.
// Other types in the text are printed with %T, with their package (type arguments with the whole path). Only
// Go code between backquotes, which the user is to write, has names without a package.
func TestTypeNames(t *testing.T) {
	code := regexp.MustCompile("`[^`]*`")
	bare := regexp.MustCompile(`(?:^|[^.\w])((?:msg|Bad|Both|Cleanup|Obj|Elem)[A-Z]\w*)`)
	full := regexp.MustCompile(`: component ([^ :]+):`)
	for _, m := range goldenMessages(t) {
		m = code.ReplaceAllString(m, "code")
		if name := bare.FindStringSubmatch(m); name != nil {
			t.Errorf("%s is without its package: %s", name[1], m)
		}
		for _, c := range full.FindAllStringSubmatch(m, -1) {
			if strings.HasPrefix(c[1], "ecs.") {
				t.Errorf("%s is not the full name: %s", c[1], m)
			}
		}
	}
}
