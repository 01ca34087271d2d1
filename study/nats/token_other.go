//go:build !unix

package nats

import "io/fs"

// openPrivate is 0 on systems whose files have no owner or mode that Go knows.
const openPrivate = 0

func isOwn(fs.FileInfo) bool { return true }
