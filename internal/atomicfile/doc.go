// Package atomicfile writes files so that a file appears under its name only
// when it is complete.
//
//	err := atomicfile.Write("out.csv", atomicfile.Options{}, func(w io.Writer) error { return table.Write(w) })
//
// Until the new file is complete, and after a failure, the old file stays.
// The new contents are written to a temporary file in the same directory,
// because a rename works only within a file system.
//
// # Promises
//
//   - A path means the same file as for [os.WriteFile]: a symbolic link remains
//     a link, and the file that it leads to is written; that file need not
//     exist. Anything but a regular file, for example a pipe or /dev/null, is
//     written directly.
//   - A name may be as long as the file system takes: the name of the temporary
//     file has only the first part of it.
//   - A file that is replaced keeps its mode. A new one gets the mode of the
//     options, less the umask.
//   - No temporary file stays after an error or a panic. A process that is
//     killed leaves one: the next process that writes into the directory
//     removes it, unless it is told not to (NoSweep), because another machine
//     writes there too.
//
// # Design
//
// A process locks its temporary file until the file has its final name, even
// after the file is closed, because a sweep must not remove the file of another
// process. The system releases the lock when the process ends for any reason.
// If the file system or the operating system has no such locks, a sweep
// removes only files that are older than an hour.
package atomicfile
