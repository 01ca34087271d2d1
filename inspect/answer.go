package inspect

import (
	"context"
	"net/url"
)

// answer computes the answer of a request: a value for JSON, or a file.
type answer func(ctx context.Context, v *view, form url.Values) (any, error)

// file is an answer that is downloaded.
type file struct {
	name, kind string
	data       []byte
}
