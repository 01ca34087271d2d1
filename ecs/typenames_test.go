package ecs_test

import (
	"regexp"
	"strings"
	"testing"
)

// TestTypeNames checks how error messages name types. A component is named by its full name, after the word
// component. Other types are printed with %T, so that they have their package (and type arguments have the
// whole path). Only code between backquotes has names without a package, because the user is to write this
// code.
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
