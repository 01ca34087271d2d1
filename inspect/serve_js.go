package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Serve prints and returns an error, because a page in a browser has no addresses. Without package net/http, a
// program for this port is 0.7 MB smaller after compression.
func Serve(_ context.Context, _ string, out io.Writer, _ ...Option) error {
	err := errors.New("inspect: Serve: no program for GOOS=js can serve an address: pass the requests of a page to Inspector.Answer")
	_, _ = fmt.Fprintln(out, err) // the error is returned too
	return err
}
