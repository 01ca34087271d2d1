// Package journal stores the results of the runs of a study in logs that
// survive crashes: each worker has one log, to which it only appends. Bytes may
// be missing at the end or damaged anywhere, without the loss of other records.
//
//	log, err := journal.Open(dir, "worker-1", id)
//	err = log.Begin(run, 1)      // before the attempt
//	err = log.Keep(record)       // after it
//	h, err := journal.Read(dir, id, runs)
//	fmt.Println(h.Done, "runs have a record")
//
// # Words
//
// An entry is one line, or one line and its payload. It says that a run began,
// that an attempt ended with its process, or that a run ended. The last kind is
// a record. A run with a whole record in the log of any worker is done. A
// history is the contents of all logs of a directory together. An index is an
// optional file next to a log that saves reading the part of the log that it
// covers.
//
// # Design
//
// The format, byte by byte, is in docs/study.md. An entry is valid if its line
// is well formed and its CRC-32C matches. After anything else a reader looks
// for the next entry at the beginning of a line. So a flipped bit destroys one
// record, and a torn end destroys the record that was being written.
//
// An entry is written by one system call, and the writer holds a lock on the
// file, so that entries of two processes are never mixed.
package journal
