package arrow

import (
	"bufio"
	"errors"
	"fmt"
	"io"
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
// The stream need not be trusted. A length that it claims is believed up to [BatchLimit], and [ReadLimited] takes another limit; types, offsets, nulls and
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
	messages := &messages{ipc.NewMessageReader(buffered, ipc.WithAllocator(bounded), ipc.WithMetadataSizeLimit(limit), ipc.WithBodySizeLimit(limit)), bounded}
	r, err := ipc.NewReaderFromMessageReader(messages, ipc.WithAllocator(bounded))
	if err != nil {
		return nil, bounded.explain(err)
	}
	defer r.Release()
	for r.Next() {
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

// messages reads the messages of a stream, each of which may use the whole limit.
type messages struct {
	ipc.MessageReader
	bounded *bounded
}

func (m *messages) Message() (*ipc.Message, error) {
	m.bounded.used = 0
	return m.MessageReader.Message()
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
