// Package journal stores the results of the runs of a study in logs that
// survive crashes: each worker has one log, to which it only appends. If bytes at the end of a log
// are missing, or bytes anywhere are damaged, only the records that contain these bytes are lost.
//
//	log, err := journal.Open(dir, "worker-1", id)
//	err = log.Begin(run, 1)      // before the attempt
//	err = log.Keep(record)       // after it
//	h, err := journal.Read(dir, id, runs)
//	fmt.Println(h.Done, "runs have a record")
//
// # Words
//
// An entry is one line, or one line and its payload. It says that a run began, that an attempt
// failed because its process ended, or that a run ended. An entry of the last kind is a record. A
// run is done if the log of any worker has a whole record of the run. A history is the contents of
// all logs of a directory together. An index is an optional file next to a log. It covers the
// beginning of the log, so that a reader need not read this part of the log.
//
// # Design
//
// docs/study.md describes the format byte by byte. An entry is valid if its line is well formed and
// its CRC-32C matches. After an invalid entry, a reader looks for the next entry at the beginning
// of a line. So a flipped bit destroys one record, and a torn end of the log destroys only the
// record that was being written.
//
// The writer locks the log and writes each entry with one system call, so that entries of two
// processes are never mixed.
package journal
