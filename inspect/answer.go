package inspect

import (
	"context"
	"net/url"
)

// answer makes the data of a request: JSON, or a file if it is one.
type answer func(ctx context.Context, v *view, form url.Values) (any, error)

// file is an answer that is downloaded.
type file struct {
	name, kind string
	data       []byte
}
