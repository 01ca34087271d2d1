// Package start has the programs with which the command lanewise new begins a module. Each one is a folder of this package, so
// that the tests of the library compile and run it as it is.
package start

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

//go:embed numeric/*.go world/*.go study/*.go
var programs embed.FS

// Module is the path of the library's module.
const Module = "github.com/lanewise/lanewise"

// Kinds lists the kinds of programs.
var Kinds = []string{"numeric", "world", "study"}

// Files returns the files of a new module by name. The version is that of the library; copied is the folder of a copy of the
// library that stands in for it, or empty.
func Files(kind, module, version, copied string) (map[string]string, error) {
	entries, err := programs.ReadDir(kind)
	if err != nil {
		return nil, fmt.Errorf("there is no kind %q: it must be one of %v", kind, Kinds)
	}
	files := map[string]string{"go.mod": modFile(module, version, copied)}
	for _, e := range entries {
		text, err := programs.ReadFile(kind + "/" + e.Name())
		if err != nil {
			return nil, err
		}
		files[e.Name()] = strings.ReplaceAll(string(text), "NAME ", path.Base(module)+" ")
	}
	return files, nil
}

// modFile returns the text of go.mod.
func modFile(module, version, copied string) string {
	text := fmt.Sprintf("module %s\n\ngo 1.26\n\nrequire %s %s\n", module, Module, version)
	if copied != "" {
		text += fmt.Sprintf("\nreplace %s => %s\n", Module, quoted(copied))
	}
	return text
}

// quoted returns a path as go.mod has it: in quotes if it has other characters than usual.
func quoted(name string) string {
	if strings.ContainsAny(name, " \t\"`'()[]{},;\\") {
		return fmt.Sprintf("%q", name)
	}
	return name
}
