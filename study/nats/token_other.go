//go:build !unix

package nats

import "io/fs"

// openPrivate is 0, because files on these systems have no owner or mode that Go knows.
const openPrivate = 0

func isOwn(fs.FileInfo) bool { return true }
