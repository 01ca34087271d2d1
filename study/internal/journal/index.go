package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/lanewise/lanewise/internal/atomicfile"
)

// An index is a file next to a log that lists the entries in the first bytes of
// the log. With an index, hundreds of workers that start at once need not read all records. If a
// log is large, Close writes its index. An index is only an optimization: Read ignores an index
// that does not match its log.
//
//	X lanewise-study-index-1 id covered count\n
//	count entries of 32 bytes, little-endian
//	CRC-32C of everything before, 4 bytes
//
// An entry consists of its kind (1 byte), its state (1), its attempt (2), its
// run (4), the length of its payload (4), the checksum of its rows (4), its
// hash (8), and its offset in the log (8).
type index struct {
	logBytes int64 // number of bytes of the log
	entries  []indexed
}

// indexed is an entry together with its offset in the log.
type indexed struct {
	Entry
	offset int64
}

const (
	// minIndexedLog is the smallest size of a log that gets an index.
	minIndexedLog = 1 << 20
	// indexEntryBytes is the size of an entry.
	indexEntryBytes = 32
)

func indexName(log string) string { return strings.TrimSuffix(log, ".log") + ".idx" }

func indexHead(id string, covered int64, count int) string {
	return fmt.Sprintf("X lanewise-study-index-1 %s %d %d\n", id, covered, count)
}

// write writes the index of a log either completely or not at all. It omits the attempts at runs
// that have ended, because these attempts no longer matter.
func (x *index) write(log, id string) error {
	ended := map[int]bool{}
	for _, e := range x.entries {
		if e.Kind == Ended {
			ended[e.Run] = true
		}
	}
	var kept []indexed
	for _, e := range x.entries {
		if e.Kind == Ended || !ended[e.Run] {
			kept = append(kept, e)
		}
	}
	b := []byte(indexHead(id, x.logBytes, len(kept)))
	for _, e := range kept {
		b = append(b, byte(e.Kind), e.State)
		b = binary.LittleEndian.AppendUint16(b, uint16(min(e.Attempt, 1<<16-1)))
		b = binary.LittleEndian.AppendUint32(b, uint32(e.Run))
		b = binary.LittleEndian.AppendUint32(b, uint32(e.Length))
		b = binary.LittleEndian.AppendUint32(b, e.Body)
		b = binary.LittleEndian.AppendUint64(b, e.Hash)
		b = binary.LittleEndian.AppendUint64(b, uint64(e.offset))
	}
	b = binary.LittleEndian.AppendUint32(b, Checksum(b))
	// NoSweep keeps the temporary files of other workers, because workers on other machines
	// write into the directory too, and their locks may not be visible here.
	return atomicfile.Write(indexName(log), atomicfile.Options{NoSweep: true}, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// readIndex reads the index of a log. If there is no index, or if it does not match the log, the
// result is empty.
func readIndex(log, id string, f io.ReaderAt, size int64) (x index) {
	b, err := os.ReadFile(indexName(log))
	if err != nil || len(b) < 4 || binary.LittleEndian.Uint32(b[len(b)-4:]) != Checksum(b[:len(b)-4]) {
		return index{}
	}
	head, rest, _ := bytes.Cut(b[:len(b)-4], []byte{'\n'})
	var of string
	var count int
	if n, _ := fmt.Sscanf(string(head), "X lanewise-study-index-1 %s %d %d", &of, &x.logBytes, &count); n != 3 || of != id || x.logBytes > size || len(rest) != count*indexEntryBytes {
		return index{}
	}
	for ; len(rest) > 0; rest = rest[indexEntryBytes:] {
		e := indexed{offset: int64(binary.LittleEndian.Uint64(rest[24:]))}
		e.Kind, e.State, e.Attempt = Kind(rest[0]), rest[1], int(binary.LittleEndian.Uint16(rest[2:]))
		e.Run, e.Length = int(binary.LittleEndian.Uint32(rest[4:])), int(binary.LittleEndian.Uint32(rest[8:]))
		e.Body, e.Hash = binary.LittleEndian.Uint32(rest[12:]), binary.LittleEndian.Uint64(rest[16:])
		if e.State > uint8(len(States)-1) || e.Run < 0 || e.Length < 0 || e.Length > maxPayload || e.offset < 0 {
			return index{}
		}
		x.entries = append(x.entries, e)
	}
	// Another log may have replaced the indexed log. The last entry of the index shows whether this
	// has happened.
	if n := len(x.entries); n > 0 {
		line := make([]byte, MaxLine)
		got, err := f.ReadAt(line, x.entries[n-1].offset)
		e, _, _, ok, _ := parseLine(line[:got])
		if last := x.entries[n-1].Entry; err != nil && !errors.Is(err, io.EOF) || !ok || e.Kind != last.Kind || !e.Same(last) || e.Length != last.Length {
			return index{}
		}
	}
	return x
}

// scanIndexed passes the entries of a log to the function each: first the entries in its index,
// then the later entries. It returns the end of the last whole entry.
func scanIndexed(log, id string, f *os.File, each func(e Entry, at int64) error) (end int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	x := readIndex(log, id, f, info.Size())
	for _, e := range x.entries {
		if err := each(e.Entry, e.offset); err != nil {
			return 0, err
		}
	}
	return Scan(f, x.logBytes, func(e Entry, at int64, _ []byte) error { return each(e, at) })
}
