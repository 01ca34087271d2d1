package datafile

import (
	"archive/zip"
	"bytes"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/internal/messages"
)

var update = flag.Bool("lanewise.update", false, "write testdata anew")

// checkWriter calls a writer on columns, and checks that an error leaves nothing written.
func checkWriter(t *testing.T, write func(io.Writer, *Table) error, table *Table) error {
	t.Helper()
	var b bytes.Buffer
	err := write(&b, table)
	if err != nil && b.Len() > 0 {
		t.Errorf("%d bytes are written before the error %v", b.Len(), err)
	}
	return err
}

func of(columns ...Column) *Table { return &Table{Columns: columns} }

// TestMessages compares the messages about misuse and about malformed files with testdata.
func TestMessages(t *testing.T) {
	dir := t.TempDir()
	l := &messages.List{T: t, Edit: func(s string) string { return strings.ReplaceAll(s, dir+string(filepath.Separator), "") }}
	two, three := []float32{1, 2}, []float32{1, 2, 3}
	pos := Lanes(Positions, two, two, two)
	for _, table := range []*Table{
		of(), of(Column{}), of(Lanes("", two)), of(Lanes("\xff", two)), of(Lanes("a\nb", two)), of(Lanes[float32]("a")), of(Lanes("a", make([][]uint8, MaxLanes+1)...)),
		of(Lanes("a", two, three)), of(Lanes("a", two), Lanes("b", three)), of(Lanes("a", two), Lanes("a", two)),
		of(Categorical("a", []int32{0, 2}, "x", "y")), of(Categorical("a", []uint8{0}, "x\r")),
		{Columns: []Column{pos}, Info: []Info{{"pbc", "T"}}}, {Columns: []Column{pos}, Info: []Info{{"", "T"}}}, {Columns: []Column{pos}, Info: []Info{{"a", "\x1b[2J"}}},
		{Columns: []Column{pos}, Lattice: &Lattice{Origin: [3]float64{0, math.NaN(), 0}}},
	} {
		l.Err(checkWriter(t, WriteNPY, table))
	}
	wide := &Table{} // more bytes in a row than ReadNPY reads
	for i := range maxRowBytes/MaxLanes/8 + 1 {
		wide.Columns = append(wide.Columns, Lanes(strconv.Itoa(i), slices.Repeat([][]float64{{1}}, MaxLanes)...))
	}
	empty := &Table{}
	for i := range maxEmptyLanes/MaxLanes + 1 {
		empty.Columns = append(empty.Columns, Lanes(strconv.Itoa(i), make([][]float64, MaxLanes)...))
	}
	l.Err(checkWriter(t, WriteNPY, empty))
	for _, write := range []func(io.Writer, *Table) error{WriteNPZ, WriteCSV, WriteVTP, WriteExtXYZ} {
		l.Err(checkWriter(t, write, of(Column{Name: "a"})))
	}
	l.Err(checkWriter(t, WriteNPZ, of(Lanes("../a", two))))
	l.Err(checkWriter(t, WriteCSV, of(Lanes("a", two, two), Lanes("a.x", two))))
	l.Err(checkWriter(t, WriteCSV, of(Lanes("a", two, two), Lanes("a.z", two))))
	l.Err(checkWriter(t, WriteCSV, of(Lanes("b", two), Lanes("a.x", two), Lanes("a.y", two))))
	for _, table := range []*Table{of(Lanes("a", two)), of(Lanes(Positions, two)), of(Lanes(Positions, []int32{1}, []int32{2}, []int32{3}))} {
		l.Err(checkWriter(t, WriteVTP, table))
		l.Err(checkWriter(t, WriteExtXYZ, table))
	}
	l.Err(checkWriter(t, WriteCSV, of(Categorical("a", []uint8{1}, "x", " 0x1p-2"))))
	l.Err(checkWriter(t, WriteCSV, of(Lanes("\ufeffa", two))))
	l.Err(checkWriter(t, WriteCSV, of(Column{Name: "a", data: &typed[uint8]{{0}, {0}}, labels: []string{"x"}})))
	l.Err(checkWriter(t, WriteCSV, of(Lanes("a", []uint8{1}), Categorical("b", []uint8{0}, strings.Repeat(`"`, maxRecord/2)))))
	l.Err(checkWriter(t, WriteExtXYZ, of(Lanes(Positions, two[:1], two[:1], two[:1]), Categorical("b", []uint8{0}, strings.Repeat("b", maxLine)))))
	l.Err(checkWriter(t, WriteNPY, wide))
	l.Err(checkWriter(t, WriteNPY, of(Lanes("a", two), Lanes(strings.Repeat("b", maxHeader), two))))
	l.Err(checkWriter(t, WriteVTP, of(pos, Lanes("a\uffff", two))))
	l.Err(checkWriter(t, WriteVTP, &Table{Columns: []Column{pos}, Info: []Info{{"\ufffe", ""}}}))
	l.Err(checkWriter(t, WriteExtXYZ, of(pos, Lanes("a:b", two))))
	l.Err(checkWriter(t, WriteExtXYZ, of(pos, Categorical("species", []uint8{0, 0}, "Ar II"))))

	table := of(Lanes("a", []float64{0.1, 2}), Categorical("c", []int32{0, 0}, "x"), Lanes("i", []int64{1 << 40, 2}))
	l.Err(second(table.Column("b")))
	l.Err(second((&Table{}).Column("b")))
	l.Err(second(Get[float32](table, "a", 2)))
	l.Err(second(Get[float32](table, "a", 1)))
	l.Err(second(Get[int32](table, "i", 1)))
	l.Err(second(Get[float32](table, "c", 1)))

	l.Err(Save("a.txt", table))
	l.Err(second(Load("a", Options{})))
	for name, text := range map[string]string{"a.vtp": "", "a.xyz": "0\n\n0\n\n", "b.xyz": "\n"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		l.Err(second(Load(filepath.Join(dir, name), Options{})))
	}
	for _, name := range []string{"a.txt", "a-%s.npy", "a.npy", filepath.Join("none", "a-%d.npy")} {
		_, err := NewTrajectory(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			err = errors.New(strings.ReplaceAll(err.Error(), "\\", "/")) // the text of the system's error differs
			if !strings.HasPrefix(err.Error(), "datafile: NewTrajectory: ") {
				t.Error(err)
			}
			continue
		}
		l.Err(err)
	}
	tr, err := NewTrajectory(filepath.Join(dir, "a-%d.npy"))
	must(t, err)
	must(t, tr.Close())
	l.Err(tr.Add(table))
	tr, err = NewTrajectory(filepath.Join(dir, "a.xyz"))
	must(t, err)
	l.Err(tr.Close())
	var arrays bytes.Buffer
	must(t, errors.Join(WriteNPY(&arrays, table), WriteNPY(&arrays, table), os.WriteFile(filepath.Join(dir, "two.npy"), arrays.Bytes(), 0o600)))
	l.Err(second(Load(filepath.Join(dir, "two.npy"), Options{})))

	malformedArrays(t, l)
	malformedTexts(l)
	l.Compare(*update, 60)
}

func malformedArrays(t *testing.T, l *messages.List) {
	header := func(descr, shape string) string {
		return "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + "}"
	}
	for _, h := range []string{
		"", "{", "1", "{1: 2}", "{'a' 2}", "{'a': 2 'b'}", "(1 2)", "[", "'a", `'\x'`, "1 2", strings.Repeat("(", 20), strings.Repeat("x", 50), "-", "{'fortran_order': 1}",
		"{'fortran_order': True}", "{'fortran_order': True, 'shape': (1,)}", header("'<f8'", "(-1,)"), header("'<f8'", "(True,)"), header("'<f8'", "(1, 0)"), header("'<f8'", "(3, 10000)"),
		header("'<f2'", "(1,)"), header("'<U3'", "(1,)"), header("'|V3'", "(1,)"), header("[('a', '|V3')]", "(1,)"), header("[('', '|V3000000000')]", "(1,)"), header("[1]", "(1,)"), header("[]", "(1,)"),
		header("[('a', '<f8')]", "(1, 1)"), header("[('a', [('b', '<f8')])]", "(1,)"), header("[('a', '<f8', (1000, 1000))]", "(1,)"), header("['ab']", "(1,)"), header("[('a', '<f8', 'b')]", "(1,)"), header("'<f8'", "("+strings.Repeat("1,", 65)+")"), header("[('a', '<f8', ("+strings.Repeat("1,", 64)+"))]", "(1,)"),
		header("[("+"'a', '<f8', (1024,)), ("+strings.Repeat("'a', '<f8', (1024,)), (", 200)+"'a', '<f8')]", "(1,)"),
		header("'<f8'", "(9000000000000000000,)"), header("'<f8'", "(2,)"), header("[('a', '<f8'), ('a', '<f8')]", "(0,)"), header("[('', '|V3')]", "(0,)"),
	} {
		_, err := ReadNPY(bytes.NewReader(npyFile(1, h, nil, []uint8{1})), Options{})
		l.Err(err)
		if !errors.Is(err, ErrFormat) {
			t.Errorf("the error is no ErrFormat: %v", err)
		}
	}
	for _, file := range []string{"", "\x93NUMPX\x01\x00\x00\x00", "\x93NUMPY\x04\x00\x00\x00", "\x93NUMPY\x02\x00\xff\xff\xff\xff", "\x93NUMPY\x03\x00\x01\x00\x00\x00\xff"} {
		l.Err(second(ReadNPY(strings.NewReader(file), Options{})))
	}
	good := npyFile(1, header("[('a', '<f8'), ('b', '<f8')]", "(1,)"), nil, make([]byte, 16))
	l.Err(second(ReadNPY(io.LimitReader(bytes.NewReader(good), int64(len(good)-1)), Options{})))
	fortran := npyFile(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (1, 2)}", nil, make([]byte, 16))
	l.Err(second(ReadNPY(io.LimitReader(bytes.NewReader(fortran), int64(len(fortran)-1)), Options{})))
	l.Err(second(ReadNPY(bytes.NewReader(good), Options{Columns: []string{"c"}})))
	l.Err(second(ReadNPY(bytes.NewReader(good), Options{Limit: 79})))
	l.Err(second(ReadNPY(failing{}, Options{})))

	l.Err(second(ReadNPZ(strings.NewReader("PK"), 2, Options{})))
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range []struct {
		name string
		data []byte
	}{{"a.npy", npyFile(1, header("'|u1'", "(1,)"), nil, []uint8{1})}, {"b.npy", npyFile(1, header("'|u1'", "(2,)"), nil, []uint8{1, 2})}, {"c.npy", good}} {
		w, err := z.Create(f.name)
		must(t, err)
		_, err = w.Write(f.data)
		must(t, err)
	}
	w, err := z.CreateRaw(&zip.FileHeader{Name: "d.npy", Method: 99})
	must(t, err)
	_, err = w.Write(nil)
	must(t, errors.Join(err, z.Close()))
	for _, columns := range [][]string{nil, {"b", "c"}, {"d"}, {"e"}} {
		l.Err(second(ReadNPZ(bytes.NewReader(b.Bytes()), int64(b.Len()), Options{Columns: columns})))
	}
	l.Err(second(ReadNPZ(bytes.NewReader(b.Bytes()), int64(b.Len()), Options{Columns: []string{"b"}, Limit: 1})))
	b.Reset()
	must(t, WriteNPZ(&b, of(Lanes("a", []uint8{7}))))
	changed := bytes.Replace(b.Bytes(), []byte("\n\x07"), []byte("\n\x08"), 1)
	l.Err(second(ReadNPZ(bytes.NewReader(changed), int64(len(changed)), Options{})))
	l.Err(second(readers["npz"](overlappingZip(t, 3), Options{})))
	l.Err(second(ReadNPZ(failing{}, 1000, Options{})))
}

// failing is a reader whose disk fails.
type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("input/output error") }

func (failing) ReadAt([]byte, int64) (int, error) { return 0, errors.New("input/output error") }

func malformedTexts(l *messages.List) {
	for _, file := range []string{
		"", "a,b\n1\n", "a\n\"", "a,a\n1,2\n", "a\n1\nx\n", "a,b\n1,2\n\"\",3\n", "a\n1e999\n", ",b\n1,2\n", "p.x,p.y\n1,u\n", "a\n1\n" + strings.Repeat("long", 20) + "\n",
		"a\n\"" + strings.Repeat("x", maxRecord+1<<17), "id\n9007199254740993\n9223372036854775809\n",
	} {
		l.Err(second(ReadCSV(strings.NewReader(file), Options{})))
	}
	l.Err(second(ReadCSV(strings.NewReader("a\n1\n"), Options{Columns: []string{"b"}})))
	l.Err(second(ReadCSV(strings.NewReader("a\n1\n2\n3"), Options{Limit: 48})))
	l.Err(second(ReadCSV(strings.NewReader("a\n1e300\n"), Options{Float32: true})))
	l.Err(second(ReadCSV(failing{}, Options{})))
	for _, file := range []string{
		"x\n", "-1\n", "1", "1\n", "1\n\xff\n", "1\n\n", "1\n\nAr 1 2\n", "1\n\nAr 1 2 x\n", "1\nProperties=a:I:1\nx\n", "1\nProperties=a:L:1\nx\n", "1\nProperties=a:S:1\n\xff\n",
		"0\nProperties=a\n", "0\nProperties=a:Q:1\n", "0\nProperties=a:R:0\n", "0\nProperties=a:R:1 Lattice=\n", "0\nProperties=a:R:1 Lattice=1\n", "0\nProperties=a:R:1 Lattice=\"1 2 3 4 5 6 7 8 x\"\n",
		"0\nProperties=a:R:1 Origin=\"1 2\"\n", "0\nProperties=a:R:1 Lattice=\"1 2 3 4 5 6 7 8 9\" pbc=\"T\"\n", "0\nProperties=a:R:1 Lattice=\"1 2 3 4 5 6 7 8 9\" pbc=\"T T x\"\n",
		"0\nProperties=a:R:1 pbc=\"T F F\"\n", "0\nProperties=a:R:1 Origin=\"1 2 3\" pbc=\"F F F\"\n",
		"0\nProperties=a:R:1 =3\n", "0\nProperties=a:R:1 b=\"\n", "0\nProperties=a:R:1 b=[1\n", "0\nProperties=a:R:1 b=1 b=2\n", "0\nProperties=a:R:1:a:R:1\n",
		"0\nProperties=a:R:1024" + strings.Repeat(":a:R:1024", 600) + "\n", strings.Repeat("9", maxLine+1), "9999999999999999999\n",
	} {
		said := false
		for _, err := range ReadExtXYZ(strings.NewReader(file), Options{}) {
			l.Err(err)
			said = true
		}
		if !said {
			l.T.Errorf("no frame and no error in %q", file)
		}
	}
	for _, err := range ReadExtXYZ(strings.NewReader("9000000000000000000\nProperties=a:R:1\n"), Options{Limit: 1 << 30}) {
		l.Err(err)
	}
	for _, err := range ReadExtXYZ(failing{}, Options{}) {
		l.Err(err)
	}
}
