package main

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

func TestVersion(t *testing.T) {
	out, reason, code := lanewise(t, "version")
	if code != exitOK || reason != "" {
		t.Fatalf("exit code %d, %s", code, reason)
	}
	for _, want := range []string{"go        " + runtime.Version() + "\n", "kernels   " + kernels.Path() + "\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if _, reason, code := lanewise(t, "version", "now"); code != exitUsage || !strings.Contains(reason, `"now" is no flag`) {
		t.Errorf("exit code %d, %s", code, reason)
	}
}

func TestVersionText(t *testing.T) {
	info := &debug.BuildInfo{
		GoVersion: "go1.26.1",
		Main:      debug.Module{Path: "github.com/lanewise/lanewise", Version: "v0.1.0"},
		Deps: []*debug.Module{
			{Path: "golang.org/x/sys", Version: "v0.30.0"},
			{Path: "example.org/own", Version: "v1.0.0", Replace: &debug.Module{Path: "../own"}},
		},
		Settings: []debug.BuildSetting{
			{Key: "-tags", Value: "purego"}, {Key: "GOARCH", Value: "amd64"}, {Key: "GOOS", Value: "linux"}, {Key: "GOAMD64", Value: "v3"},
			{Key: "vcs.revision", Value: "0123"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"},
		},
	}
	want := `lanewise  v0.1.0
revision  0123, with changes that are not committed
of        2026-01-02T03:04:05Z
go        go1.26.1
target    linux/amd64
level     v3
tags      purego
kernels   avx2
module    golang.org/x/sys v0.30.0
module    example.org/own v1.0.0, replaced by ../own
`
	if got := versionText(info, "avx2"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := versionText(&debug.BuildInfo{GoVersion: "go1.26.1"}, "generic"), "go        go1.26.1\nkernels   generic\n"; got != want {
		t.Errorf("of a build without settings: got\n%s\nwant\n%s", got, want)
	}
}
