package inspect

import (
	"context"
	"net/url"
)

// An answer is a function that computes the answer to a request. It returns a value for JSON, or a file.
type answer func(ctx context.Context, v *view, form url.Values) (any, error)

// A file is an answer that the browser saves as a file.
type file struct {
	name, kind string
	data       []byte
}
