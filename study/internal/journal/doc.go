// Package journal keeps what became of the runs of a study, in files that
// survive everything: one log a worker, which only grows, and of which any number
// of bytes may be missing at the end or be wrong in between.
//
// The words. An entry is one line, or one line and its payload: of a run that
// began, of an attempt that took its process with it, of a run that ended. The
// last is a record, and a run that has a whole one in the log of any worker is
// done. History is what all logs of a directory say together. An index, beside a log
// and never needed, spares a reader what it covers.
//
// The format, byte by byte, is in docs/study.md. What a reader holds to: an entry
// counts if its line is right and its CRC-32C is that of its bytes; after anything
// else, the next entry is looked for at the beginning of a line. So a flipped bit
// costs one record, and a torn end the record that was being written. An entry is
// written by one write, and the writer holds a lock on the file.
package journal
