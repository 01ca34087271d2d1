package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// prefix is the import path of the root module. The import paths of all modules of this repository begin with
// this path.
const prefix = "github.com/lanewise/lanewise"

// version is the version that all modules have in the proxy.
const version = "v0.1.0"

// A part is a module of this repository.
type part struct {
	path  string   // its import path
	dir   string   // its folder, relative to the tree
	mod   []byte   // its go.mod
	files []string // its files, relative to the tree
}

// parts returns the modules of a tree, the root first. A module contains only the files that git tracks or would add,
// because a tag contains only these files.
func parts(tree string) ([]*part, error) {
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = tree
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files in %s: %w: a release is made of a clone", tree, err)
	}
	names := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	slices.Sort(names)
	names = slices.Compact(names)
	var all []*part
	for _, name := range names {
		if path.Base(name) != "go.mod" || strings.Contains(name, "testdata/") {
			continue
		}
		mod, err := os.ReadFile(filepath.Join(tree, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		all = append(all, &part{path: modfile.ModulePath(mod), dir: path.Dir(name), mod: mod})
	}
	// Sort nested modules first, so that the search for the module of a file finds the innermost module.
	slices.SortFunc(all, func(a, b *part) int { return len(b.dir) - len(a.dir) })
	for _, name := range names {
		if info, err := os.Lstat(filepath.Join(tree, filepath.FromSlash(name))); errors.Is(err, fs.ErrNotExist) {
			continue // deleted and not committed yet
		} else if err != nil {
			return nil, err
		} else if !info.Mode().IsRegular() {
			continue
		}
		i := slices.IndexFunc(all, func(p *part) bool { return p.dir == "." || strings.HasPrefix(name, p.dir+"/") })
		if i < 0 {
			return nil, fmt.Errorf("%s has no go.mod", tree)
		}
		all[i].files = append(all[i].files, name)
	}
	slices.SortFunc(all, func(a, b *part) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

// check returns the first rule of decision 0003 that the go.mod of p breaks.
func (p *part) check() error {
	want := prefix
	if p.dir != "." {
		want += "/" + p.dir
	}
	if p.path != want {
		return fmt.Errorf("%s/go.mod: the module is %s, and its folder wants %s", p.dir, p.path, want)
	}
	f, err := modfile.Parse(p.dir+"/go.mod", p.mod, nil)
	if err != nil {
		return err
	}
	for _, r := range f.Require {
		if isOurs(r.Mod.Path) && r.Mod.Version != version {
			return fmt.Errorf("%s/go.mod requires %s: want %s, which users can fetch", p.dir, r.Mod, version)
		}
	}
	for _, r := range f.Replace {
		if !isOurs(r.Old.Path) {
			return fmt.Errorf("%s/go.mod replaces %s: users get another version, because Go ignores replace lines of dependencies", p.dir, r.Old.Path)
		}
	}
	return nil
}

// isOurs reports whether a module or a package belongs to this repository.
func isOurs(name string) bool { return name == prefix || strings.HasPrefix(name, prefix+"/") }

// A file is a file of a module. It also holds its path in the tree.
type file struct{ name, at string }

func (f file) Path() string                 { return f.name }
func (f file) Lstat() (fs.FileInfo, error)  { return os.Lstat(f.at) }
func (f file) Open() (io.ReadCloser, error) { return os.Open(f.at) }

// pack writes p into a proxy in a folder, in the layout that GOPROXY=file://… reads.
func (p *part) pack(tree, proxy string) (err error) {
	escaped, err := module.EscapePath(p.path)
	if err != nil {
		return err
	}
	dir := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var files []modzip.File
	license := false
	for _, name := range p.files {
		inside := name
		if p.dir != "." {
			inside = strings.TrimPrefix(name, p.dir+"/")
		}
		license = license || inside == "LICENSE"
		files = append(files, file{inside, filepath.Join(tree, filepath.FromSlash(name))})
	}
	if !license { // Go adds that of the root to a module in a folder below it.
		files = append(files, file{"LICENSE", filepath.Join(tree, "LICENSE")})
	}
	info, err := json.Marshal(map[string]string{"Version": version, "Time": "2026-01-01T00:00:00Z"})
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{"list": []byte(version + "\n"), version + ".info": info, version + ".mod": p.mod} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			return err
		}
	}
	out, err := os.Create(filepath.Join(dir, version+".zip"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if err := modzip.Create(out, module.Version{Path: p.path, Version: version}, files); err != nil {
		return fmt.Errorf("%s: %w", p.path, err)
	}
	return nil
}
