package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/start"
)

const newDoes = `New writes a module that uses the library into a new folder: a program, its tests
and a go.mod. The name is the path of the module, and its last part is the name of
the folder. The program prints a hash and draws a picture:

  numeric  waves on a grid, without entities
  world    entities with components and two systems
  study    many runs of a model, with a table of results

For example: lanewise new -kind world garden`

// newCommand implements the subcommand new.
func newCommand(ctx context.Context, args []string, t *terminal) error {
	flags := newFlags("new NAME", newDoes, t)
	kind := flags.String("kind", "numeric", "which `kind` of program: "+strings.Join(start.Kinds, ", "))
	var copied string
	text(flags, &copied, "replace", "use the copy of the library in this `folder`, not a released version")
	if err := parseFlags(flags, args); err != nil {
		return err
	}
	name := flags.Arg(0)
	if flags.NArg() > 0 { // flags may follow the name
		if err := parse(flags, flags.Args()[1:]); err != nil {
			return err
		}
	}
	if !moduleName.MatchString(name) {
		return newUsageError("%q is no name of a module: give one of small letters, digits, dots and dashes, for example lanewise new garden", name)
	}
	if name == start.Module || strings.HasPrefix(name, start.Module+"/") || ofGo(ctx, name) {
		return newUsageError("%s is the path of another package: choose a name of your own, for example example.org/%s", name, path.Base(name))
	}
	version, copied, err := libraryOf(copied)
	if err != nil {
		return err
	}
	files, err := start.Files(*kind, name, version, copied)
	if err != nil {
		return usageError{err}
	}
	folder := start.Folder(name)
	if err := writeModule(folder, files); err != nil {
		return err
	}
	t.say("go mod tidy: this fetches what the module needs, and may take a minute")
	tidy := exec.CommandContext(ctx, "go", "mod", "tidy")
	tidy.Dir = folder
	if out, err := tidy.CombinedOutput(); err != nil {
		return fmt.Errorf("the folder %s is complete, but go mod tidy failed there, so that go.sum is missing: run it again once its cause is removed: %w\n%s", folder, err, out)
	}
	run := "-png picture.png"
	if *kind == "study" {
		run = "picture picture.png"
	}
	_, err = fmt.Fprintf(t.out, "%s is ready:\n\n  cd %s\n  go test .\n  go run . %s\n", folder, folder, run)
	return err
}

var (
	moduleName = regexp.MustCompile(`^[a-z0-9]([a-z0-9._~-]*[a-z0-9])?(/[a-zA-Z0-9]([a-zA-Z0-9._~-]*[a-zA-Z0-9])?)*$`)
	release    = regexp.MustCompile(`^v\d+\.\d+\.\d+$`)
)

// ofGo reports whether a package of the standard library has the name.
func ofGo(ctx context.Context, name string) bool {
	out, err := exec.CommandContext(ctx, "go", "list", "-find", "-f", "{{.Standard}}", name).Output()
	return err == nil && strings.TrimSpace(string(out)) == "true"
}

// libraryOf returns the version of the library that a new module requires, and the folder of the library copy that replaces
// this version. The folder is empty if this program is a release.
func libraryOf(copied string) (version, folder string, err error) {
	if version = builtFrom(); version != "" && copied == "" {
		return version, "", nil
	}
	version = "v0.1.0"
	if copied == "" {
		if copied, err = enclosing(); err != nil {
			return "", "", err
		}
	}
	folder, err = filepath.Abs(copied)
	if err == nil && !isLibrary(folder) {
		err = fmt.Errorf("-replace %s: this folder has no copy of the library: its go.mod must begin with \"module %s\"", copied, start.Module)
	}
	return version, folder, err
}

// builtFrom returns the release of the library that this program is a part of. builtFrom returns "" if it is no release.
func builtFrom() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path == start.Module && release.MatchString(info.Main.Version) {
		return info.Main.Version
	}
	return ""
}

// enclosing returns the root folder of the library copy in which the current folder is.
func enclosing() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for !isLibrary(folder) {
		if folder == filepath.Dir(folder) {
			return "", newUsageError("this program is no release, so a new module needs the copy of the library from which it was built: pass its folder with -replace")
		}
		folder = filepath.Dir(folder)
	}
	return folder, nil
}

// isLibrary reports whether a folder contains the library: its go.mod names the library's
// module.
func isLibrary(folder string) bool {
	text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	first, _, _ := strings.Cut(string(text), "\n")
	return err == nil && strings.TrimSpace(first) == "module "+start.Module
}

// writeModule writes files into a folder that does not exist. It leaves nothing if it fails.
func writeModule(folder string, files map[string]string) error {
	if err := os.Mkdir(folder, 0o755); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("there is already something with the name %s: choose another name, or remove it", folder)
	} else if err != nil {
		return err
	}
	var err error
	for _, name := range slices.Sorted(maps.Keys(files)) {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), []byte(files[name]), 0o644))
	}
	if err != nil {
		err = errors.Join(err, os.RemoveAll(folder))
	}
	return err
}
