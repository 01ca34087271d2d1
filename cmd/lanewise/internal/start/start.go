// Package start has the programs with which the command lanewise new begins a module. Each one is a folder of this package, so
// that the tests of the library compile and run it as it is.
package start

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
)

//go:embed numeric/*.go world/*.go study/*.go
var programs embed.FS

// Module is the path of the library's module.
const Module = "github.com/lanewise/lanewise"

// Kinds lists the kinds of programs.
var Kinds = []string{"numeric", "world", "study"}

// Files returns the files of a new module by name. The module requires the given version of the library. If copied is not
// empty, it is the folder of a copy of the library, which replaces this version.
func Files(kind, module, version, copied string) (map[string]string, error) {
	if !slices.Contains(Kinds, kind) {
		return nil, fmt.Errorf("there is no kind %q: it must be one of %v", kind, Kinds)
	}
	entries, err := programs.ReadDir(kind)
	if err != nil {
		return nil, err
	}
	files := map[string]string{"go.mod": modFile(module, version, copied)}
	for _, e := range entries {
		text, err := programs.ReadFile(kind + "/" + e.Name())
		if err != nil {
			return nil, err
		}
		files[e.Name()] = strings.ReplaceAll(string(text), "NAME ", Folder(module)+" ")
	}
	return files, nil
}

// Folder returns the name of a module's folder: the last part of its path that is not a major version such as v2.
func Folder(module string) string {
	last := path.Base(module)
	if len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" && path.Dir(module) != "." {
		return path.Base(path.Dir(module))
	}
	return last
}

// modFile returns the text of go.mod.
func modFile(module, version, copied string) string {
	text := fmt.Sprintf("module %s\n\ngo 1.26\n\nrequire %s %s\n", module, Module, version)
	if copied != "" {
		text += fmt.Sprintf("\nreplace %s => %s\n", Module, quotePath(copied))
	}
	return text
}

// quotePath returns a path in the form that go.mod needs: in quotes if it has unusual characters.
func quotePath(name string) string {
	if strings.ContainsAny(name, " \t\"`'()[]{},;\\") {
		return fmt.Sprintf("%q", name)
	}
	return name
}
