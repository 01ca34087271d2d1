package film

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"io"
)

// NewAPNG returns a film that writes an animated PNG to w. It is lossless and
// plays in a loop. Programs that only know plain PNG show its first picture.
// The header of the file contains the number of pictures. If w can seek,
// Close corrects this number; otherwise the film keeps everything in memory
// until Close. NewAPNG panics if fps is less than 1 or above 1000.
func NewAPNG(w io.Writer, fps int) Film {
	wantRate("APNG", fps, 1000)
	f := &apng{reel: reel{what: "APNG"}, w: w, fps: fps}
	f.seeker, _ = w.(io.WriteSeeker)
	if f.seeker != nil {
		at, err := f.seeker.Seek(0, io.SeekCurrent)
		if err != nil {
			f.seeker = nil // a pipe
		}
		f.begin = at
	}
	return f
}

type apng struct {
	reel
	keeper
	w        io.Writer
	seeker   io.WriteSeeker // nil if w cannot seek: hold everything
	begin    int64          // offset in w at which the file begins
	fps      int
	sequence uint32
	held     []byte
	out      bytes.Buffer // of a picture
	lines    [6][]byte    // the row before, and the row under each filter
	squeeze  *zlib.Writer
}

func (f *apng) Picture(m *image.RGBA) error { return f.take(m, func() error { return f.write(m) }) }

func (f *apng) Close() error { return f.end(f.finish) }

func (f *apng) write(m *image.RGBA) error {
	f.out.Reset()
	if f.n == 0 {
		f.out.Write(f.header(0))
	}
	r := f.changedBox(m)
	var control [26]byte
	for i, n := range []int{r.Dx(), r.Dy(), r.Min.X, r.Min.Y} {
		binary.BigEndian.PutUint32(control[4+4*i:], uint32(n))
	}
	binary.BigEndian.PutUint16(control[20:], 1)
	binary.BigEndian.PutUint16(control[22:], uint16(f.fps)) // dispose: none; blend: replace
	f.chunk("fcTL", f.numbered(control[:]))
	data, err := f.pack(m, r)
	switch {
	case err != nil:
		return err
	case f.n == 0:
		f.chunk("IDAT", data[4:])
	default:
		f.chunk("fdAT", f.numbered(data))
	}
	if f.seeker == nil {
		f.held = append(f.held, f.out.Bytes()...)
		return nil
	}
	_, err = f.w.Write(f.out.Bytes())
	return err
}

// numbered writes the next sequence number to the first four bytes of a chunk's
// data, and returns the data.
func (f *apng) numbered(data []byte) []byte {
	binary.BigEndian.PutUint32(data, f.sequence)
	f.sequence++
	return data
}

// header returns the beginning of a file with n pictures.
func (f *apng) header(n int) []byte {
	var b bytes.Buffer
	b.WriteString("\x89PNG\r\n\x1a\n")
	size := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(f.size.X)), uint32(f.size.Y))
	putChunk(&b, "IHDR", append(size, 8, 6, 0, 0, 0)) // eight bits, red, green, blue and alpha
	putChunk(&b, "acTL", binary.BigEndian.AppendUint64(nil, uint64(n)<<32))
	return b.Bytes()
}

func (f *apng) finish() error {
	putEnd := func(b *bytes.Buffer) []byte { putChunk(b, "IEND", nil); return b.Bytes() }
	f.out.Reset()
	head := f.header(f.n)
	if f.seeker == nil {
		copy(f.held, head)
		if _, err := f.w.Write(f.held); err != nil {
			return err
		}
		_, err := f.w.Write(putEnd(&f.out))
		return err
	}
	if _, err := f.w.Write(putEnd(&f.out)); err != nil {
		return err
	}
	end, err := f.seeker.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = f.seeker.Seek(f.begin, io.SeekStart)
	}
	if err == nil {
		_, err = f.w.Write(head)
	}
	if err == nil {
		_, err = f.seeker.Seek(end, io.SeekStart)
	}
	return err
}

func (f *apng) chunk(kind string, data []byte) { putChunk(&f.out, kind, data) }

// putChunk appends a chunk of a PNG: the length, the kind, the data, and the checksum of kind and data.
func putChunk(b *bytes.Buffer, kind string, data []byte) {
	var n [4]byte
	binary.BigEndian.PutUint32(n[:], uint32(len(data)))
	b.Write(n[:])
	at := b.Len()
	b.WriteString(kind)
	b.Write(data)
	binary.BigEndian.PutUint32(n[:], crc32.ChecksumIEEE(b.Bytes()[at:]))
	b.Write(n[:])
}

// pack returns a part of a picture in PNG's format, filtered and compressed.
// Four bytes in front of it are free for a sequence number.
func (f *apng) pack(m *image.RGBA, r image.Rectangle) ([]byte, error) {
	var b bytes.Buffer
	b.Write(make([]byte, 4))
	if f.squeeze == nil {
		f.squeeze, _ = zlib.NewWriterLevel(&b, zlib.BestSpeed) // no error, because the level is valid
	} else {
		f.squeeze.Reset(&b)
	}
	n := 4 * r.Dx()
	for i := range f.lines {
		f.lines[i] = append(f.lines[i][:0], make([]byte, n+1)...)
	}
	above, plain := f.lines[5][1:], f.lines[0][1:]
	for y := r.Min.Y; y < r.Max.Y; y++ {
		setStraight(plain, row(m, y)[4*r.Min.X:][:n])
		if _, err := f.squeeze.Write(f.filterRow(above)); err != nil {
			return nil, err
		}
		copy(above, plain)
	}
	err := f.squeeze.Close()
	return b.Bytes(), err
}

// setStraight converts premultiplied colors to straight alpha.
func setStraight(dst, src []byte) {
	copy(dst, src)
	for i := 3; i < len(dst); i += 4 {
		if a := int(dst[i]); a != 0 && a != 255 {
			for k := i - 3; k < i; k++ {
				dst[k] = uint8(min((int(dst[k])*255+a/2)/a, 255))
			}
		}
	}
}

// filterRow filters a row by each filter of PNG, and returns the result with
// the smallest sum of absolute differences, as the PNG specification recommends
// in section 12.7.
func (f *apng) filterRow(above []byte) []byte {
	plain := f.lines[0][1:]
	var sums [5]int
	for i, v := range plain {
		var left, corner byte
		if i >= 4 {
			left, corner = plain[i-4], above[i-4]
		}
		for k, d := range [5]byte{v, v - left, v - above[i], v - byte((int(left)+int(above[i]))/2), v - paeth(left, above[i], corner)} {
			if k > 0 {
				f.lines[k][1+i] = d
			}
			sums[k] += max(int(int8(d)), -int(int8(d)))
		}
	}
	best := 0
	for k := range sums[:5] {
		if sums[k] < sums[best] {
			best = k
		}
	}
	f.lines[best][0] = byte(best)
	return f.lines[best]
}

// paeth returns the neighbour that is closest to left + above - corner.
func paeth(left, above, corner byte) byte {
	p := int(left) + int(above) - int(corner)
	away := func(b byte) int { return max(p-int(b), int(b)-p) }
	if l, a, c := away(left), away(above), away(corner); l <= a && l <= c {
		return left
	} else if a <= c {
		return above
	}
	return corner
}
