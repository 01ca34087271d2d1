package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/lanewise/lanewise/kernels"
)

const versionDoes = `Version prints what a report of a fault needs: the version and revision of this
program, the Go version and target that it was built with, the build tags, the
path of the kernels on this machine, and the versions of the modules it uses.`

// versionCommand implements the subcommand version.
func versionCommand(_ context.Context, args []string, t *terminal) error {
	if err := parse(newFlags("version", versionDoes, t), args); err != nil {
		return err
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return fmt.Errorf("this program was built without information about its modules: build it with go build or go install")
	}
	_, err := fmt.Fprint(t.out, versionText(info, kernels.Path()))
	return err
}

// versionText describes a build, with one fact on each line.
func versionText(info *debug.BuildInfo, path string) string {
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-9s %s\n", name, value)
		}
	}
	line("lanewise", info.Main.Version)
	revision := set["vcs.revision"]
	if set["vcs.modified"] == "true" {
		revision += ", with changes that are not committed"
	}
	line("revision", revision)
	line("of", set["vcs.time"])
	line("go", info.GoVersion)
	line("target", strings.Trim(set["GOOS"]+"/"+set["GOARCH"], "/"))
	for _, name := range []string{"GOAMD64", "GOARM", "GOARM64", "GO386", "GOPPC64", "GORISCV64", "GOWASM"} {
		line("level", set[name])
	}
	line("tags", set["-tags"])
	line("kernels", path)
	for _, m := range info.Deps {
		if m.Replace != nil {
			line("module", m.Path+" "+m.Version+", replaced by "+strings.TrimSpace(m.Replace.Path+" "+m.Replace.Version))
			continue
		}
		line("module", m.Path+" "+m.Version)
	}
	return b.String()
}
