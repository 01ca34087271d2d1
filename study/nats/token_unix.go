//go:build unix

package nats

import (
	"io/fs"
	"os"
	"syscall"
)

// openPrivate opens no symbolic link, and does not wait for somebody who writes into a pipe.
const openPrivate = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// isOwn says whether a file is of the user of this process.
func isOwn(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
