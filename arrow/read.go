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

// BatchLimit is the largest number of bytes that [Read] accepts in a batch.
const BatchLimit = 1 << 30

// Read makes entities from the batches of a stream in Arrow's IPC format: see
// [Importer]. Read keeps all batches until the end of the stream, so that the
// world is unchanged if Read returns an error. If a stream is too large to be
// kept in memory, use an Importer and read batch by batch.
//
// The stream need not be trusted. Read accepts lengths up to [BatchLimit];
// [ReadLimited] has a parameter for another limit. The memory of the schema,
// about 320 bytes for a column, is limited in the same way, and columns may be
// nested at most 64 levels deep. Decompression of zstd may take as much memory as the limit
// once more, or 8 MiB if that is more. Types, offsets, nulls and texts are checked before
// the first entity is made. The number of batches is not limited. If the stream is not
// trusted, limit the reader, for example with [io.LimitReader].
func Read(w *ecs.World, in io.Reader, terms ...ecs.Term) (map[ecs.Entity]ecs.Entity, error) {
	return ReadLimited(w, in, BatchLimit, terms...)
}

// ReadLimited is like [Read], but has a parameter for the limit: the largest
// number of bytes that a batch may have after decompression. The id of each row counts as 8
// more bytes. ReadLimited panics if the limit is less than one.
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

// drop releases the waiting batches.
func (im *Importer) drop() {
	for _, p := range im.late {
		p.batch.Release()
	}
	im.late = nil
}

// messages reads the messages of a stream. Each message may use the whole limit.
// It checks the metadata of a message before it passes the message to package ipc.
type messages struct {
	in       io.Reader
	bounded  *bounded
	verifier verifier
}

// Retain does nothing, because the garbage collector frees the messages.
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

// length returns the length of the metadata of the next message; it returns
// io.EOF at the end of the stream.
func (m *messages) length() (int64, error) {
	var word [4]byte
	if _, err := io.ReadFull(m.in, word[:]); err != nil {
		return 0, err
	}
	n := binary.LittleEndian.Uint32(word[:])
	if n == math.MaxUint32 { // a marker that precedes the length since version 0.15 of Arrow
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

// readAll fills b. If the input ends before b is full, the error is io.ErrUnexpectedEOF.
func readAll(in io.Reader, b []byte) error {
	_, err := io.ReadFull(in, b)
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// bounded is an allocator that limits the memory of one message. Beyond the limit it
// panics, and the reader of messages converts the panic to an error.
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

// explain adds to an error how to raise the limit, if the limit is the cause of
// the error.
func (b *bounded) explain(err error) error {
	if strings.Contains(err.Error(), "exceeds limit") {
		return fmt.Errorf("arrow: Read: %w: if the stream is to be trusted, read it with ReadLimited and a higher limit", err)
	}
	return fmt.Errorf("arrow: Read: %w", err)
}
