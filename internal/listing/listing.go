// Package listing returns the compiler's listing of a package, for tests that
// check the generated code.
package listing

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"
)

// Of compiles one package for Linux without cgo and returns the compiler's
// listing. env is added to the environment; for example, it contains
// GOARCH=arm64. words contains the package, and further flags of go build.
//
// The go command caches a package and the compiler's output in two files. If a
// program that cleans up old files has deleted the second file, the go command
// prints nothing and succeeds. In this case, Of compiles the package again.
func Of(env []string, words ...string) (string, error) {
	text, err := compile(env, "-gcflags=-S", words)
	if text == "" && err == nil {
		// This flag adds an import directory that does not exist. It changes
		// the cache key, but not the code.
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
