//go:build !unix

package nats

import "io/fs"

// openPrivate is nothing where a file has no owner and no mode that Go knows.
const openPrivate = 0

func isOwn(fs.FileInfo) bool { return true }
