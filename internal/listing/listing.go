// Package listing gets what the compiler makes of a package, for tests that read it.
package listing

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"
)

// Of compiles one package for Linux without cgo and returns the compiler's listing. The
// environment is added to the process's, GOARCH=arm64 say; the words are further flags
// of go build and the package.
//
// The go command keeps a package and what the compiler said about it in two files of its
// cache. Where the second has been deleted, as by what clears old files from a disk, it
// prints nothing, and succeeds: the package is then compiled again.
func Of(env []string, words ...string) (string, error) {
	text, err := compile(env, "-gcflags=-S", words)
	if text == "" && err == nil {
		// A directory of imports that does not exist changes the name in the cache, not the code.
		text, err = compile(env, "-gcflags=-S -I=none"+strconv.FormatInt(time.Now().UnixNano(), 36), words)
	}
	if text == "" && err == nil {
		return "", fmt.Errorf("go build %v: the compiler listed nothing", words)
	}
	return text, err
}

func compile(env []string, flags string, words []string) (string, error) {
	cmd := exec.Command("go", slices.Concat([]string{"build", flags, "-o", os.DevNull}, words)...)
	cmd.Env = slices.Concat(os.Environ(), []string{"GOOS=linux", "CGO_ENABLED=0"}, env)
	text, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%v: %w\n%s", cmd, err, text)
	}
	return string(text), nil
}
