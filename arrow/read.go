package arrow

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanewise/lanewise/ecs"
)

// BatchLimit is how many bytes a batch of a stream has at most that [Read] takes.
const BatchLimit = 1 << 30

// Read makes entities of the batches of a stream in the form of Arrow's IPC: see [Importer]. If the
// error is not nil, the world is unchanged, because the batches are kept until the stream has come to its end. A stream that is too
// large for that is read batch by batch, with an Importer.
//
// The stream need not be trusted. A length that it claims is believed up to [BatchLimit], and [ReadLimited] takes another limit; what the schema takes, at about
// 320 bytes for a column, is limited in the same way, and a column is nested 64 levels deep at most. To decompress zstd may
// take the limit once more, or 8 MiB where that is more. Types, offsets, nulls and
// texts are checked before the first entity is made. How many batches there are is not limited: whoever reads from a stranger limits the reader,
// for example by [io.LimitReader].
func Read(w *ecs.World, in io.Reader, terms ...ecs.Term) (map[ecs.Entity]ecs.Entity, error) {
	return ReadLimited(w, in, BatchLimit, terms...)
}

// ReadLimited is [Read] with another limit: a batch has at most so many bytes, decompressed and with 8 for each row's id. It
// panics if the limit is less than one.
func ReadLimited(w *ecs.World, in io.Reader, limit int64, terms ...ecs.Term) (map[ecs.Entity]ecs.Entity, error) {
	must(limit > 0, "ReadLimited: limit is %d", limit)
	im, err := NewImporter(w, terms...)
	if err != nil {
		return nil, err
	}
	im.hold = true
	defer im.drop()
	buffered := bufio.NewReader(in)
	if head, _ := buffered.Peek(6); string(head) == "ARROW1" {
		return nil, errors.New("arrow: Read: the input is the file form of Arrow's IPC, and Read takes the streaming form: write it with WriteStream, or give the batches of ipc.NewFileReader to an Importer")
	} else if strings.HasPrefix(string(head), "PAR1") {
		return nil, errors.New("arrow: Read: the input is a Parquet file, and Read takes the streaming form of Arrow's IPC: give the batches of pqarrow.NewFileReader to an Importer")
	}
	bounded := &bounded{limit: limit}
	messages := &messages{buffered, bounded, verifier{limit: limit}}
	r, err := ipc.NewReaderFromMessageReader(messages, ipc.WithAllocator(bounded))
	if err != nil {
		return nil, bounded.explain(err)
	}
	defer r.Release()
	for r.Next() { //lanewise:inexact its assembly fills memory with one byte
		b := r.RecordBatch()
		if b.NumRows() > limit/8 {
			return nil, bounded.explain(fmt.Errorf("a batch of %d rows exceeds limit %d", b.NumRows(), limit))
		}
		if err := im.Add(b); err != nil {
			return nil, err
		}
	}
	if err := r.Err(); err != nil {
		return nil, bounded.explain(err)
	}
	return im.Close()
}

// drop lets go of the batches that wait.
func (im *Importer) drop() {
	for _, p := range im.late {
		p.batch.Release()
	}
	im.late = nil
}

// messages reads the messages of a stream, each of which may use the whole limit. None reaches package ipc before its metadata was looked at.
type messages struct {
	in       io.Reader
	bounded  *bounded
	verifier verifier
}

// Retain does nothing, because what is read is left to the garbage collector.
func (m *messages) Retain() {}

// Release does nothing: see Retain.
func (m *messages) Release() {}

func (m *messages) Message() (*ipc.Message, error) {
	m.bounded.used = 0
	n, err := m.length()
	if err != nil {
		return nil, err
	}
	if n > m.bounded.limit {
		return nil, fmt.Errorf("metadata of a message: its length of %d bytes exceeds limit %d", n, m.bounded.limit)
	}
	metadata := make([]byte, n)
	if err := readAll(m.in, metadata); err != nil {
		return nil, fmt.Errorf("metadata of a message: %w", err)
	}
	if n, err = m.verifier.check(metadata); err != nil {
		return nil, err
	}
	switch {
	case n < 0:
		return nil, fmt.Errorf("the body of a message: its length is %d", n)
	case n > m.bounded.limit:
		return nil, fmt.Errorf("the body of a message: its length of %d bytes exceeds limit %d", n, m.bounded.limit)
	}
	body := m.bounded.Allocate(int(n))
	if err := readAll(m.in, body); err != nil {
		return nil, fmt.Errorf("the body of a message: %w", err)
	}
	if err := m.verifier.windows(body); err != nil {
		return nil, err
	}
	return ipc.NewMessage(memory.NewBufferBytes(metadata), memory.NewBufferBytes(body)), nil
}

// length returns how long the metadata of the next message is; it fails with io.EOF at the end of the stream.
func (m *messages) length() (int64, error) {
	var word [4]byte
	if _, err := io.ReadFull(m.in, word[:]); err != nil {
		return 0, err
	}
	n := binary.LittleEndian.Uint32(word[:])
	if n == math.MaxUint32 { // since version 0.15 of Arrow, this is before the length
		if err := readAll(m.in, word[:]); err != nil {
			return 0, err
		}
		n = binary.LittleEndian.Uint32(word[:])
	}
	if n == 0 {
		return 0, io.EOF
	}
	return int64(n), nil
}

// readAll fills b. The end of the input before that is no proper end.
func readAll(in io.Reader, b []byte) error {
	_, err := io.ReadFull(in, b)
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// bounded is an allocator with a limit for one message. Beyond it, it panics: the reader of messages makes an error of that.
type bounded struct {
	limit, used int64
}

func (b *bounded) Allocate(size int) []byte {
	if b.used += int64(size); size < 0 || b.used > b.limit {
		panic(fmt.Sprintf("%d bytes of a batch exceeds limit %d", b.used, b.limit))
	}
	return memory.DefaultAllocator.Allocate(size)
}

func (b *bounded) Reallocate(size int, old []byte) []byte {
	if size <= cap(old) {
		return old[:size]
	}
	next := b.Allocate(size)
	copy(next, old)
	return next
}

func (b *bounded) Free([]byte) {}

// explain says of an error of Arrow's reader how to go on where the limit is the reason.
func (b *bounded) explain(err error) error {
	if strings.Contains(err.Error(), "exceeds limit") {
		return fmt.Errorf("arrow: Read: %w: if the stream is to be trusted, read it with ReadLimited and a higher limit", err)
	}
	return fmt.Errorf("arrow: Read: %w", err)
}
