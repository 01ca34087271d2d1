// Command vuln looks for known vulnerabilities in the functions that the modules of this repository call. It uses
// govulncheck.
//
//	go -C tools run ./vuln [-db url] [folder of a module...]
//
// The command fails if code of this repository can reach a vulnerable function of another module. If the vulnerable
// function is in the standard library, the command only prints a note, because the remedy is a newer Go and not a
// change of this repository.
//
// The database is https://vuln.go.dev. If the database cannot be reached, the command takes the same entries from
// the module golang.org/x/vulndb, which it gets from the module proxy. If it cannot get this module either, the
// command fails, because it has checked nothing.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	db := flag.String("db", "https://vuln.go.dev", "the database")
	flag.Parse()
	if err := run(os.Stdout, *db, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "vuln:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, db string, modules []string) (err error) {
	scratch, err := os.MkdirTemp("", "lanewise-vuln-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if unreachable := reach(db); unreachable != nil {
		fmt.Fprintf(out, "%v: golang.org/x/vulndb has the same entries\n", unreachable)
		if db, err = fetch(out, scratch); err != nil {
			return fmt.Errorf("no database of vulnerabilities, so nothing was looked at: %w; %w", unreachable, err)
		}
	}
	tool := filepath.Join(scratch, "govulncheck")
	if said, err := exec.Command("go", "build", "-o", tool, "golang.org/x/vuln/cmd/govulncheck").CombinedOutput(); err != nil {
		return fmt.Errorf("go build govulncheck: %w\n%s", err, said)
	}
	found := 0
	for _, dir := range modules {
		cmd := exec.Command(tool, "-db", db, "-format", "json", "./...")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off")
		var said, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &errs
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: govulncheck: %w\n%s%s", dir, err, errs.String(), said.String())
		}
		ours, std, err := read(&said)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		fmt.Fprintf(out, "%s: %d vulnerable functions of other modules are called\n", dir, len(ours))
		for _, line := range ours {
			fmt.Fprintln(out, "   ", line)
		}
		for _, line := range std {
			fmt.Fprintln(out, "    a newer Go repairs:", line)
		}
		found += len(ours)
	}
	if found > 0 {
		return fmt.Errorf("%d vulnerable functions are called: require newer versions", found)
	}
	return nil
}

// reach returns an error unless the database answers.
func reach(db string) error {
	if at, err := url.Parse(db); err != nil || at.Scheme == "file" {
		return err
	}
	client := http.Client{Timeout: 20 * time.Second}
	answer, err := client.Get(db + "/index/db.json")
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", db, answer.Status)
	}
	return nil
}

// fetch builds a database in a folder from the module golang.org/x/vulndb. It returns the address of the database.
func fetch(out io.Writer, scratch string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", "golang.org/x/vulndb@latest")
	cmd.Dir = scratch
	cmd.Env = append(os.Environ(), "GOFLAGS=") // -mod and -modfile of the caller would be refused here
	said, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go mod download golang.org/x/vulndb@latest: %w\n%s", err, said)
	}
	var module struct{ Dir, Version string }
	if err := json.Unmarshal(said, &module); err != nil {
		return "", err
	}
	fmt.Fprintln(out, "database: golang.org/x/vulndb", module.Version)
	db := filepath.Join(scratch, "db")
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(db)}).String(), index(filepath.Join(module.Dir, "data", "osv"), db)
}

// An entry holds the part of an OSV entry that the index of a database contains too.
type entry struct {
	ID        string
	Modified  time.Time
	Withdrawn *time.Time
	Affected  []struct{ Package struct{ Name string } }
}

// A row of the index lists the vulnerabilities of one module.
type row struct {
	Path  string `json:"path"`
	Vulns []vuln `json:"vulns"`
}

type vuln struct {
	ID       string    `json:"id"`
	Modified time.Time `json:"modified"`
}

// index builds a database for govulncheck from a folder that contains an OSV file for each vulnerability.
func index(osv, db string) error {
	if err := os.MkdirAll(filepath.Join(db, "index"), 0o777); err != nil {
		return err
	}
	if err := os.Symlink(osv, filepath.Join(db, "ID")); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(osv, "GO-*.json"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("%s has %d entries: %w", osv, len(files), err)
	}
	var last time.Time
	modules := map[string][]vuln{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var e entry
		if err := json.Unmarshal(data, &e); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if e.Modified.After(last) {
			last = e.Modified
		}
		v := vuln{e.ID, e.Modified}
		for _, a := range e.Affected {
			if list := modules[a.Package.Name]; e.Withdrawn == nil && !slices.Contains(list, v) {
				modules[a.Package.Name] = append(list, v)
			}
		}
	}
	var rows []row
	for name, list := range modules {
		rows = append(rows, row{name, list})
	}
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.Path, b.Path) })
	for name, value := range map[string]any{"modules.json": rows, "db.json": map[string]time.Time{"modified": last}} {
		data, err := json.Marshal(value)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(db, "index", name), data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// A message is one message in the output of govulncheck.
type message struct {
	OSV     *struct{ ID, Summary string }
	Finding *struct {
		OSV   string
		Fixed string `json:"fixed_version"`
		Trace []struct{ Module, Version, Package, Function string }
	}
}

// read returns the vulnerable functions that are called: in ours the functions of other modules, and in std the
// functions of the standard library.
func read(said io.Reader) (ours, std []string, err error) {
	summaries := map[string]string{}
	messages := json.NewDecoder(said)
	for {
		var m message
		if err := messages.Decode(&m); errors.Is(err, io.EOF) {
			slices.Sort(ours)
			slices.Sort(std)
			return ours, std, nil
		} else if err != nil {
			return nil, nil, err
		}
		if m.OSV != nil {
			summaries[m.OSV.ID] = m.OSV.Summary
		}
		if m.Finding == nil || len(m.Finding.Trace) == 0 || m.Finding.Trace[0].Function == "" {
			continue // the module or the package is there, and nothing calls the function
		}
		at := m.Finding.Trace[0]
		line := fmt.Sprintf("%s: %s.%s of %s %s, repaired in %s: %s", m.Finding.OSV, at.Package, at.Function, at.Module, at.Version, m.Finding.Fixed, summaries[m.Finding.OSV])
		list := &ours
		if at.Module == "stdlib" {
			list = &std
			line = fmt.Sprintf("%s: %s, Go %s: %s", m.Finding.OSV, at.Package, m.Finding.Fixed, summaries[m.Finding.OSV])
		}
		if !slices.Contains(*list, line) {
			*list = append(*list, line)
		}
	}
}
