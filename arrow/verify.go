package arrow

import (
	"encoding/binary"
	"fmt"
	"math"
)

// The metadata of a message is a flatbuffer. Package ipc trusts its lengths: it
// allocates memory for them, and recurses for each level of a schema. Running
// out of memory or stack ends the process, and recover does not help. So this
// file checks everything that makes package ipc allocate, recurse or read
// beyond a list. An invalid offset is an error in this file and in package ipc.

// deepest is the deepest nesting of columns that is allowed. The limit is the same as in
// package ipc.
const deepest = 64

// This is the approximate memory that package ipc and its schema need for a column, and for
// a pair of key and value.
const (
	columnBytes = 320
	pairBytes   = 80
)

// These are the kinds of messages, and the kinds of columns that matter here, with their
// numbers in Arrow's format.
const (
	schemaMessage     = 1
	dictionaryMessage = 2
	batchMessage      = 3

	timestamps = 10
	unions     = 14
	byteViews  = 23
	textViews  = 24
)

// nested lists which types of columns contain other columns: lists of all
// kinds, structs, unions, maps and run-end encoded columns.
var nested = [...]bool{12: true, 13: true, unions: true, 16: true, 17: true, 21: true, 22: true, 25: true, 26: true}

// need holds how many entries the columns use in each list of a batch's
// metadata.
type need struct{ nodes, views int }

// verifier checks the metadata of the messages of a stream, one after another.
type verifier struct {
	limit        int64 // for the parts of one message; a shared part counts each time, because package ipc allocates it each time
	batch        need
	dictionaries map[int64]need // by id
	zstd         [][2]int64     // parts of the body that zstd has compressed, by offset and length
}

// check checks the metadata of a message, and returns the length of its body.
func (v *verifier) check(metadata []byte) (body int64, err error) {
	f := flat{b: metadata, limit: v.limit}
	v.zstd = v.zstd[:0]
	defer func() {
		if p := recover(); p != nil {
			wrong, ok := p.(badMetadata)
			if !ok {
				panic(p)
			}
			err = wrong
		}
	}()
	message := f.follow(0)
	kind, header := f.number(message, 6, 1), f.field(message, 8)
	f.checkPairs(message, 12)
	if header == 0 {
		panic(badMetadata("a message has no header"))
	}
	header = f.follow(header)
	switch kind {
	case schemaMessage:
		f.checkPairs(header, 8)
		v.dictionaries = map[int64]need{}
		v.batch = f.checkColumns(header, 6, 0, v.dictionaries)
	case dictionaryMessage:
		data := f.field(header, 6)
		if data == 0 {
			panic(badMetadata("a dictionary has no values"))
		}
		data = f.follow(data)
		f.checkLists(data, v.dictionaries[f.number(header, 4, 8)]) // package ipc reports an unknown id
		v.zstd = f.compressed(data, v.zstd)
	case batchMessage:
		f.checkLists(header, v.batch)
		v.zstd = f.compressed(header, v.zstd)
	default:
		panic(badMetadata(fmt.Sprintf("a message of kind %d is neither a schema nor a dictionary nor a batch", kind)))
	}
	return f.number(message, 10, 8), nil
}

// badMetadata is an error in the metadata of a message. It is the value of a panic that
// this file recovers.
type badMetadata string

func (e badMetadata) Error() string { return "metadata of a message: " + string(e) }

// flat reads a flatbuffer. A position is an offset from the first byte; a slot
// is an index in a vtable.
type flat struct {
	b           []byte
	used, limit int64
}

// bytes returns n bytes from a position on.
func (f *flat) bytes(at, n int) []byte {
	if at < 0 || at > len(f.b)-n {
		panic(badMetadata(fmt.Sprintf("%d bytes at %d are beyond its end at %d", n, at, len(f.b))))
	}
	return f.b[at : at+n]
}

func (f *flat) uint16(at int) int { return int(binary.LittleEndian.Uint16(f.bytes(at, 2))) }

func (f *flat) uint32(at int) uint32 { return binary.LittleEndian.Uint32(f.bytes(at, 4)) }

// follow reads the offset at a position, and returns the position to which the offset refers.
func (f *flat) follow(at int) int { return at + int(f.uint32(at)) }

// use adds the size of n elements to the used memory, and fails if the sum
// exceeds the limit.
func (f *flat) use(n, bytes int) {
	if f.used += int64(n) * int64(bytes); f.used > f.limit {
		panic(badMetadata(fmt.Sprintf("what it describes takes %d bytes and more, which exceeds limit %d", f.used, f.limit)))
	}
}

// field returns the position of a field of a table, or 0 if the table lacks the field.
func (f *flat) field(table, slot int) int {
	vtable := table - int(int32(f.uint32(table)))
	if slot >= f.uint16(vtable) {
		return 0
	}
	if at := f.uint16(vtable + slot); at > 0 {
		return table + at
	}
	return 0
}

// number returns the integer of the given size in a field.
func (f *flat) number(table, slot, size int) int64 {
	at := f.field(table, slot)
	if at == 0 {
		return 0
	}
	var word [8]byte
	copy(word[:], f.bytes(at, size))
	return int64(binary.LittleEndian.Uint64(word[:]))
}

// list returns the position of the first entry of a list and the number of
// entries. All entries are inside the buffer.
func (f *flat) list(table, slot, size int) (first, n int) {
	at := f.field(table, slot)
	if at == 0 {
		return 0, 0
	}
	at = f.follow(at)
	length, room := int64(f.uint32(at)), len(f.b)-at-4
	if length*int64(size) > int64(room) {
		panic(badMetadata(fmt.Sprintf("a list of %d entries of %d bytes is longer than the %d bytes that are left", length, size, room)))
	}
	return at + 4, int(length)
}

// text counts the memory of a text.
func (f *flat) text(table, slot int) {
	_, n := f.list(table, slot, 1)
	f.use(n, 1)
}

// checkPairs checks a list of keys with values.
func (f *flat) checkPairs(table, slot int) {
	first, n := f.list(table, slot, 4)
	f.use(n, pairBytes)
	for i := range n {
		pair := f.follow(first + 4*i)
		f.text(pair, 4)
		f.text(pair, 6)
	}
}

// checkColumns checks a list of columns.
func (f *flat) checkColumns(table, slot, depth int, dictionaries map[int64]need) (sum need) {
	first, n := f.list(table, slot, 4)
	if n > 0 && depth > deepest {
		panic(badMetadata(fmt.Sprintf("a column is nested more than %d levels deep", deepest)))
	}
	f.use(n, columnBytes)
	for i := range n {
		one := f.column(f.follow(first+4*i), depth, dictionaries)
		sum.nodes, sum.views = sum.nodes+one.nodes, sum.views+one.views
	}
	return sum
}

// column checks one column and the columns inside it.
func (f *flat) column(column, depth int, dictionaries map[int64]need) need {
	f.text(column, 4)
	f.checkPairs(column, 16)
	inner := f.checkColumns(column, 14, depth+1, dictionaries)
	kind, own := f.number(column, 8, 1), need{nodes: 1}
	if int(kind) < len(nested) && nested[kind] {
		own = need{1 + inner.nodes, inner.views}
	}
	if at := f.field(column, 10); at != 0 {
		switch about := f.follow(at); kind {
		case timestamps:
			f.text(about, 6)
		case unions:
			_, n := f.list(about, 6, 4)
			f.use(n, 4)
		case byteViews, textViews:
			own.views = 1
		}
	}
	at := f.field(column, 12)
	if at == 0 {
		return own
	}
	id := f.number(f.follow(at), 4, 8) // the values are in the batches of that dictionary; all other batches have indices
	known := dictionaries[id]
	dictionaries[id] = need{max(known.nodes, own.nodes), max(known.views, own.views)}
	return need{nodes: 1}
}

// checkLists checks the lists of a batch. Without this check, package ipc would read as
// many entries as the columns need, and allocate as many buffers as a view has, even if the
// batch has fewer.
func (f *flat) checkLists(batch int, columns need) {
	_, nodes := f.list(batch, 6, 16)
	_, buffers := f.list(batch, 8, 16)
	first, views := f.list(batch, 12, 8)
	if nodes < columns.nodes || views < columns.views {
		panic(badMetadata(fmt.Sprintf("a batch describes %d columns and %d views, and its schema has %d and %d", nodes, views, columns.nodes, columns.views)))
	}
	left := uint64(buffers)
	for i := range views {
		n := binary.LittleEndian.Uint64(f.bytes(first+8*i, 8))
		if n > left {
			panic(badMetadata(fmt.Sprintf("the views of a batch have more than its %d buffers", buffers)))
		}
		left -= n
	}
}

// compressed adds up the sizes of the compressed parts of a body. If several columns share
// a part, the part counts once for each column, because package ipc decompresses it for
// each column. The method compressed also appends the parts that use zstd to a list.
func (f *flat) compressed(batch int, zstd [][2]int64) [][2]int64 {
	at := f.field(batch, 10)
	if at == 0 {
		return zstd
	}
	codec := f.number(f.follow(at), 4, 1)
	first, n := f.list(batch, 8, 16)
	for i := range n {
		entry := f.bytes(first+16*i, 16)
		from, length := binary.LittleEndian.Uint64(entry), binary.LittleEndian.Uint64(entry[8:])
		if from > math.MaxInt64 || length > math.MaxInt32 {
			panic(badMetadata(fmt.Sprintf("a part of its body has %d bytes from byte %d on", length, from)))
		}
		f.use(int(length), 1)
		if codec == 1 && length > 8 {
			zstd = append(zstd, [2]int64{int64(from), int64(length)})
		}
	}
	return zstd
}

// usualWindow is the window size that every decoder of zstd should support.
const usualWindow = 8 << 20

// windows returns an error if a part of the body has a window larger than the limit.
func (v *verifier) windows(body []byte) error {
	for _, part := range v.zstd {
		from, end := part[0], part[0]+part[1]
		if end < from || end > int64(len(body)) || int64(binary.LittleEndian.Uint64(body[from:])) == -1 { // package ipc reports it; -1 as length means that the part is not compressed
			continue
		}
		if w, most := zstdWindow(body[from+8:end]), uint64(max(v.limit, usualWindow)); w > most { // the first eight bytes are the length
			return fmt.Errorf("the body of a message: zstd needs a window of %d bytes, which exceeds limit %d", w, most)
		}
	}
	return nil
}

// zstdWindow returns the largest window of the frames in b. It stops at invalid frames,
// because a decoder stops there too.
func zstdWindow(b []byte) (largest uint64) {
	le := binary.LittleEndian
	for len(b) >= 8 {
		if le.Uint32(b)&^0xf == 0x184d2a50 { // to be skipped
			b = b[min(len(b), 8+int(le.Uint32(b[4:]))):]
			continue
		}
		if le.Uint32(b) != 0xfd2fb528 {
			return largest
		}
		about, at := b[4], 5
		single := about&32 != 0
		var window uint64
		if !single {
			window = 1 << (10 + b[at]>>3)
			window += window / 8 * uint64(b[at]&7)
			at++
		}
		at += [...]int{0, 1, 2, 4}[about&3]
		size := [...]int{0, 2, 4, 8}[about>>6]
		if single {
			size = max(size, 1)
			var word [8]byte
			copy(word[:size], b[min(len(b), at):])
			window = le.Uint64(word[:])
		}
		largest = max(largest, window)
		for at += size; ; { // the blocks
			if at+3 > len(b) {
				return largest
			}
			block := int(le.Uint32([]byte{b[at], b[at+1], b[at+2], 0}))
			length := block >> 3
			if block>>1&3 == 1 { // one byte, repeated
				length = 1
			}
			if at += 3 + length; block&1 != 0 {
				break
			}
		}
		if about&4 != 0 { // a sum for checking
			at += 4
		}
		b = b[min(len(b), at):]
	}
	return largest
}
