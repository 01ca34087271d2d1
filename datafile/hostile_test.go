package datafile

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// readers maps the formats to their readers. Each returns the first table.
var readers = map[string]func([]byte, Options) (*Table, error){
	"npy": func(b []byte, o Options) (*Table, error) { return ReadNPY(bytes.NewReader(b), o) },
	"npy from a pipe": func(b []byte, o Options) (*Table, error) {
		return ReadNPY(io.MultiReader(bytes.NewReader(b)), o) // its length is unknown
	},
	"npz": func(b []byte, o Options) (*Table, error) { return ReadNPZ(bytes.NewReader(b), int64(len(b)), o) },
	"csv": func(b []byte, o Options) (*Table, error) { return ReadCSV(bytes.NewReader(b), o) },
	"extxyz": func(b []byte, o Options) (*Table, error) {
		for t, err := range ReadExtXYZ(bytes.NewReader(b), o) {
			return t, err
		}
		return nil, io.EOF
	},
}

// allocated returns the bytes that a call allocates.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// TestClaims reads short files that claim to be large. No reader may believe them.
func TestClaims(t *testing.T) {
	huge := "{'descr': '<f8', 'fortran_order': %s, 'shape': (%d, %d)}"
	var zipped bytes.Buffer
	z := zip.NewWriter(&zipped)
	w, err := z.CreateRaw(&zip.FileHeader{Name: "a.npy", Method: zip.Store, CompressedSize64: 1 << 40, UncompressedSize64: 1 << 40})
	must(t, err)
	_, err = w.Write(npyFile(1, fmt.Sprintf(huge, "False", 1<<30, 8), nil, []uint8{1}))
	must(t, err)
	must(t, z.Close())
	fields := "{'descr': [" + strings.Repeat("('', '|V1'), ", 8000) + "('a', '<f8', (1000,))], 'fortran_order': False, 'shape': (100,)}"
	for name, file := range map[string][]byte{
		"npy":             npyFile(1, fmt.Sprintf(huge, "False", 1<<30, 8), nil, []uint8{1}),
		"npy from a pipe": npyFile(2, fmt.Sprintf(huge, "True", 1<<30, 1000), nil, make([]uint8, 100)),
		"npy\x00":         npyFile(2, fields, nil, []uint8{1}),
		"npz":             zipped.Bytes(),
		"extxyz":          []byte("1000000000000\nProperties=a:R:1000\n1 2"),
		"extxyz\x00":      []byte("1000000\nProperties=" + strings.Repeat("a:R:1000:", 500) + "b:R:1\n"),
	} {
		read := readers[strings.TrimSuffix(name, "\x00")]
		bytes := allocated(func() { _, err = read(file, Options{}) })
		if err == nil {
			t.Errorf("%q: no error", name)
		}
		if most := int64(32<<20) + 100*int64(len(file)); bytes > most {
			t.Errorf("%q: %d bytes are allocated for a file of %d", name, bytes, len(file))
		}
	}
}

// TestLimit reads a zip file that grows a thousandfold.
func TestLimit(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("a.npy")
	must(t, err)
	_, err = w.Write(npyFile(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (50000000,)}", nil, make([]uint8, 50_000_000)))
	must(t, err)
	must(t, z.Close())
	bytes := allocated(func() { _, err = readers["npz"](b.Bytes(), Options{Limit: 1 << 20}) })
	if bytes > 4<<20 || err == nil {
		t.Errorf("%d bytes are allocated from %d; %v", bytes, b.Len(), err)
	}
}

// overlappingZip returns a zip file whose directory lists many arrays, all at the same place.
func overlappingZip(t *testing.T, members int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateHeader(&zip.FileHeader{Name: "00000.npy", Method: zip.Store})
	must(t, err)
	_, err = w.Write(npyFile(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 1024)}", nil, []uint8{}))
	must(t, err)
	must(t, z.Close())
	file := b.Bytes()
	at := bytes.Index(file, []byte("PK\x01\x02"))
	end := bytes.Index(file, []byte("PK\x05\x06"))
	entry, tail := file[at:end], slices.Clone(file[end:])
	all := slices.Clone(file[:at])
	for i := range members {
		all = append(all, bytes.Replace(entry, []byte("00000"), fmt.Appendf(nil, "%05d", i), 1)...)
	}
	binary.LittleEndian.PutUint16(tail[8:], uint16(members))
	binary.LittleEndian.PutUint16(tail[10:], uint16(members))
	binary.LittleEndian.PutUint32(tail[12:], uint32(len(all)-at))
	return append(all, tail...)
}

// TestLanesAndLabels reads short files with many lanes and labels. All of them take memory.
func TestLanesAndLabels(t *testing.T) {
	empty := npyFile(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 1024)}", nil, []uint8{})
	var many bytes.Buffer
	z := zip.NewWriter(&many)
	for i := range 2000 {
		w, err := z.Create(fmt.Sprint(i, ".npy"))
		must(t, err)
		_, err = w.Write(empty)
		must(t, err)
	}
	must(t, z.Close())
	lanes := "Properties=pos:R:3"
	for i := range 500 {
		lanes += fmt.Sprintf(":a%d:R:1024", i)
	}
	var labels, species strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&labels, "x%d\n", i)
		fmt.Fprintf(&species, "x%d 0 0 0\n", i)
	}
	for _, c := range []struct {
		format string
		file   []byte
		limit  int64
		want   error
	}{
		{"npz", overlappingZip(t, 20_000), 0, ErrFormat},
		{"npz", many.Bytes(), 0, ErrFormat},
		{"npz", many.Bytes(), 1 << 20, ErrLimit},
		{"npy", empty, 1024*laneBytes - 1, ErrLimit},
		{"npy", empty, 1024 * laneBytes, nil},
		{"extxyz", []byte("0\n" + lanes + "\n"), 0, ErrFormat},
		{"extxyz", []byte("0\n" + lanes + "\n"), 1 << 20, ErrLimit},
		{"csv", []byte("a\n" + labels.String()), 20_000*labelBytes - 1, ErrLimit},
		{"csv", []byte("a\n" + labels.String()), 20_000 * 2 * labelBytes, nil},
		{"csv", []byte(strings.Repeat("a.0,", 100_000) + "b"), 1 << 20, ErrLimit},
		{"extxyz", []byte("20000\n\n" + species.String()), 20_000*labelBytes - 1, ErrLimit},
		{"extxyz", []byte("20000\n\n" + species.String()), 20_000 * 2 * labelBytes, nil},
	} {
		var err error
		n := allocated(func() { _, err = readers[c.format](c.file, Options{Limit: c.limit}) })
		if !errors.Is(err, c.want) {
			t.Errorf("%s of %d bytes, limit %d: %v, want %v", c.format, len(c.file), c.limit, err, c.want)
		}
		if c.want != nil && n > 32<<20 {
			t.Errorf("%s of %d bytes, limit %d: %d bytes are allocated", c.format, len(c.file), c.limit, n)
		}
	}
}

// failsAt is a file whose disk fails at and after a position.
type failsAt struct {
	file []byte
	from int64
}

func (f failsAt) ReadAt(b []byte, at int64) (int, error) {
	if at+int64(len(b)) > f.from {
		return 0, errFull
	}
	return bytes.NewReader(f.file).ReadAt(b, at)
}

// TestBrokenArchives changes each byte of a compressed file. It also lets the disk fail at each byte. Only a
// changed byte may cause an error of the format; a failing disk must not.
func TestBrokenArchives(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	numbers := make([]uint8, 100_000)
	for i := range numbers {
		numbers[i] = uint8(i * i >> 3)
	}
	w, err := z.Create("a.npy")
	must(t, err)
	_, err = w.Write(npyFile(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (100000,)}", nil, numbers))
	must(t, err)
	must(t, z.Close())
	file := b.Bytes()
	corrupt := 0
	for at := range file {
		if _, err := ReadNPZ(failsAt{file, int64(at)}, int64(len(file)), Options{}); !errors.Is(err, errFull) || errors.Is(err, ErrFormat) {
			t.Fatalf("the disk fails at byte %d: %v", at, err)
		}
		changed := slices.Clone(file)
		changed[at] ^= 0xff
		_, err := readers["npz"](changed, Options{})
		if err != nil && !errors.Is(err, ErrFormat) {
			t.Fatalf("byte %d is changed: %v", at, err)
		}
		if flate := flate.CorruptInputError(0); errors.As(err, &flate) {
			corrupt++
		}
	}
	if corrupt == 0 {
		t.Error("no change leads to corrupt compressed data")
	}
}

// fuzz reads random files. A table that was read must be writable in the same format, and must be the same
// when it is read again.
func fuzz(f *testing.F, name string, write func(io.Writer, *Table) error, seeds ...[]byte) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		got, err := readers[name](file, Options{})
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := write(&b, got); err != nil {
			if got.Rows() > 0 && got.fault() != nil {
				t.Fatalf("the table that was read has a fault: %v", err)
			}
			return // for example, a name that is not the name of a file
		}
		again, err := readers[name](b.Bytes(), Options{})
		if err != nil {
			t.Fatalf("the file is not read again: %v\n%q", err, b.Bytes())
		}
		if len(got.Columns) == 1 && name == "npy" {
			again.Columns[0].Name = got.Columns[0].Name // the only column loses its name
		}
		if again.Rows() > 0 {
			checkSame(t, again, got, name == "npy" || name == "npz", true)
		}
	})
}

// files returns files of random tables in a format.
func files(f *testing.F, write func(io.Writer, *Table) error) (files [][]byte) {
	for _, text := range []string{"pos,id\n1,2\n", "3"} {
		files = append(files, []byte(text))
	}
	tables := []*Table{
		of(Lanes("array", []float32{1, 2}, []float32{3, 4}, []float32{5, 6})),
		of(Lanes("pos", []float64{1}, []float64{0.1}, []float64{-2e300}), Categorical("species", []uint8{1}, "Ar", "Kr"), Lanes("id", []int64{7})),
	}
	tables[1].Info, tables[1].Lattice = []Info{{"Time", "0.5"}, {"a b", `"`}}, &Lattice{Vectors: [3][3]float64{{1}, {2}, {3}}}
	for _, t := range tables {
		var b bytes.Buffer
		if write(&b, t) == nil {
			files = append(files, b.Bytes())
		}
	}
	if len(files) < 3 {
		f.Fatal("no seeds")
	}
	return files
}

func FuzzReadNPY(f *testing.F) {
	seeds := files(f, WriteNPY)
	seeds = append(seeds, npyFile(1, "{'descr': '>f8', 'fortran_order': True, 'shape': (1, 1, 2)}", nil, make([]uint8, 16)))
	seeds = append(seeds, npyFile(3, "{'descr': [(('t', 'a'), '>i4', (2,)), ('', '|V3')], 'fortran_order': False, 'shape': (1,)}", nil, make([]uint8, 11)))
	fuzz(f, "npy", WriteNPY, seeds...)
}

func FuzzReadNPZ(f *testing.F) { fuzz(f, "npz", WriteNPZ, files(f, WriteNPZ)...) }

func FuzzReadCSV(f *testing.F) {
	seeds := files(f, WriteCSV)
	for _, text := range []string{"a.x,a.y,b\n1,2.5,x\n-0,1e9,\"y\"\"\"\n", "\ufeffa\r\n 1 \r\n", "a.0,a.1,a.2,a.3\nNaN,Inf,-Inf,0x1p-2\n"} {
		seeds = append(seeds, []byte(text))
	}
	fuzz(f, "csv", WriteCSV, seeds...)
}

func FuzzReadExtXYZ(f *testing.F) {
	seeds := files(f, WriteExtXYZ)
	for _, text := range []string{"1\nplain\nAr 1 2 3\n", "1\nProperties=pos:R:3:f:L:2 a={1 2} b=[[1],[2]] c='x' d pbc=\"T F T\" Lattice=\"1 0 0 0 1 0 0 0 1\" Origin=\"1 2 3\"\n0 0 0 T F\n"} {
		seeds = append(seeds, []byte(text))
	}
	fuzz(f, "extxyz", WriteExtXYZ, seeds...)
}
