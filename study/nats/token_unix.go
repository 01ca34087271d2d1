//go:build unix

package nats

import (
	"io/fs"
	"os"
	"syscall"
)

// openPrivate holds the flags of open(2) that refuse a symbolic link, and that do not block on a
// pipe without a writer.
const openPrivate = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// isOwn reports whether a file belongs to the user of this process.
func isOwn(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
