package catalogue_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/belt"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/catalogue"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/julian"
)

var write = flag.Bool("write", false, "write the generated testdata instead of comparing with it")

// These are the generated catalogues with invented bodies in the export format. extract has no faults;
// faulty has a fault in each line.
const (
	extractFile = "../../testdata/extract.mpcorb.txt"
	faultyFile  = "../../testdata/faulty.mpcorb.txt"
)

const head = `A MADE-UP CATALOGUE

The bodies below do not exist. Their elements come from the belt package and
stand in the columns of the Minor Planet Center's export format, with
everything that makes the real file worth a test.

Des'n     H     G   Epoch     M        Peri.      Node       Incl.       e            n           a        Reference #Obs #Opp    Arc    rms  Perts   Computer

----------------------------------------------------------------------------------------------------------------------------------------------------------------
`

// line holds the fields of a record. Its method String writes them in columns.
type line struct {
	id, epoch, readable string
	catalogue.Elements
	axis     string // as printed; if empty, the axis of Elements
	arc      string
	oneNight bool // without rms and perturbers
}

func (l line) String() string {
	axis, arc, rest := l.axis, l.arc, "0.61 M-v 3Ek"
	if axis == "" {
		axis = fmt.Sprintf("%.7f", l.Axis)
	}
	if arc == "" {
		arc = "1990-2026"
	}
	if l.oneNight {
		rest = "            "
	}
	return fmt.Sprintf("%-7s %5s %5s %5s %9.5f  %9.5f  %9.5f  %9.5f  %9.7f %11.8f %11s  %1s %-9s %5d %3d %9s %s %-10s %4s %s",
		l.id, "15.20", "0.15", l.epoch, l.Mean, l.Peri, l.Node, l.Incl, l.Ecc, l.Motion, axis, "0", "MADE-UP", 120, 7, arc, rest, "belt", "0000", l.readable)
}

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" // of base 62

// packPermanent packs a number as the Center does. The tested package unpacks it.
func packPermanent(n int) string {
	if n < 620000 {
		return fmt.Sprintf("%c%04d", digits[n/10000], n%10000)
	}
	n -= 620000
	return "~" + string([]byte{digits[n/238328], digits[n/3844%62], digits[n/62%62], digits[n%62]})
}

// extract builds the catalogue without faults, and the records that a reader of this
// catalogue must return.
func extract(t *testing.T) (text string, want []catalogue.Minor) {
	bodies := belt.New(280, 7)
	var out bytes.Buffer
	out.WriteString(head)
	add := func(l line, name string) {
		var ok bool
		year, month, day := 2000+l.epochPart(1, 2), l.epochPart(3, 1), l.epochPart(4, 1)
		if l.epoch[0] == 'J' {
			year -= 100
		}
		if l.Epoch, ok = julian.FromCivil(year, month, day); !ok {
			t.Fatalf("the generator made the epoch %q", l.epoch)
		}
		if l.axis != "" {
			l.Axis = 0
		}
		out.WriteString(l.String())
		out.WriteByte('\n')
		want = append(want, catalogue.Minor{ID: l.id, Name: name, Elements: l.Elements})
	}
	next := func() catalogue.Elements { return bodies[len(want)].Elements }
	epochs := []string{"K2669", "K2669", "K2669", "K1661", "K023R", "J949P", "K002T", "J99CV", "K25A1", "K12BU"}

	// These numbered bodies have each form of a packed number, with and without a name.
	for i := range 160 {
		n := 101 + 17*i + 41*i*i
		name := "(" + strconv.Itoa(n) + ")"
		readable := fmt.Sprintf("%9s", name)
		if i%3 != 0 {
			name += " " + []string{"Alice", "Bob", "Carol and Dave", "|=Erin", "Frank-Grace", "d'Heidi"}[i/3%6]
			readable += name[len("("+strconv.Itoa(n)+")"):]
		}
		if i%2 == 0 {
			readable = fmt.Sprintf("%-28s20260609", readable)
		}
		add(line{id: packPermanent(n), epoch: epochs[i%len(epochs)], readable: readable, Elements: next()}, name)
	}
	out.WriteString("\n")

	// These bodies with several oppositions have provisional designations of every kind.
	for i := range 80 {
		half, order := "ABCDEFGHJKLMNOPQRSTUVWXY"[i%24], "ABCDEFGHJKLMNOPQRSTUVWXYZ"[i%25]
		year, cycle := 1990+i%35, 7*i
		name := fmt.Sprintf("%d %c%c", year, half, order)
		if cycle > 0 {
			name += strconv.Itoa(cycle)
		}
		id := fmt.Sprintf("%c%02d%c%c%d%c", "JK"[year/2000], year%100, half, digits[cycle/10], cycle%10, order)
		add(line{id: id, epoch: epochs[i%len(epochs)], readable: fmt.Sprintf("        %-20s", name), Elements: next()}, name)
	}
	const long = "(541132) A name too long for it"
	add(line{id: "s1132", epoch: "K2669", readable: "    " + long, Elements: next()}, long) // the text continues in the next columns
	for _, u := range [][2]string{
		{"PLS2040", "2040 P-L"}, {"T1S3138", "3138 T-1"}, {"T2S1010", "1010 T-2"}, {"T3S4101", "4101 T-3"},
		{"_QC0000", "2026 CA620"}, {"_QC0aEM", "2026 CZ6190"}, {"_EW002K", "2014 WU625"},
	} {
		add(line{id: u[0], epoch: "K2669", readable: "", Elements: next()}, u[1]) // the name is unpacked, and the column is blank
	}
	// These two orbits have an axis that is too large for its column.
	for i, axis := range []float64{1085.5, 1201.25} {
		e := next()
		e.Axis, e.Ecc, e.Motion, e.Mean = axis, 0.9520394, []float64{0.00002756, 0.00002367}[i], 359.9
		name := fmt.Sprintf("2015 TQ%d", 47+i)
		add(line{id: fmt.Sprintf("K15T%02dQ", 47+i), epoch: "K2669", axis: "           ", readable: "        " + name, Elements: e}, name)
	}
	// A record without an orbit.
	fmt.Fprintf(&out, "%-14s 0.15 %5s %9s  %9.5f  %9.5f  %9.5f  %9.7f %11s %11.7f  %1s %-9s\n", "", "", "", 0.0, 0.0, 0.0, 0.0, "", 0.0, "", "MADE-UP")
	out.WriteString("\n")

	// These bodies with one opposition have circular orbits, short arcs, or elements equal
	// to zero.
	for i := range 30 {
		e := next()
		if i%2 == 0 {
			e.Ecc, e.Mean = 0, 0
		}
		name := fmt.Sprintf("1995 F%c%d", "ABCDEFGH"[i%8], i+1)
		add(line{
			id: fmt.Sprintf("J95F%02d%c", i+1, "ABCDEFGH"[i%8]), epoch: epochs[(i+5)%len(epochs)], readable: "        " + name,
			arc: fmt.Sprintf("%4d days", i+1), oneNight: true, Elements: e,
		}, name)
	}
	return out.String(), want
}

// epochPart parses a part of a packed date. The caller handles the century.
func (l line) epochPart(at, width int) int {
	n, _ := strconv.ParseInt(l.epoch[at:at+width], 36, 32)
	if width == 2 {
		n, _ = strconv.ParseInt(l.epoch[at:at+width], 10, 32)
	}
	return int(n)
}

// faulty holds a line of the faulty catalogue, and the words that the report of this line
// must contain.
type faulty struct{ text, report string }

func faults() []faulty {
	sound := line{id: "00101", epoch: "K2669", readable: "    (101) Alice", Elements: belt.New(1, 7)[0].Elements}
	edit := func(change func(*line)) string {
		l := sound
		change(&l)
		return l.String()
	}
	put := func(column int, text string) string {
		b := []byte(sound.String())
		copy(b[column-1:], text)
		return string(b)
	}
	whole := sound.String()
	return []faulty{
		{edit(func(l *line) { l.Ecc = 1 }), "eccentricity 1 is not in [0, 1)"},
		{edit(func(l *line) { l.Ecc = 1.2 }), "eccentricity 1.2 is not in [0, 1)"},
		{edit(func(l *line) { l.axis = "-2.5000000" }), "semi-major axis -2.5 is not above 0"},
		{edit(func(l *line) { l.axis = "0.0000000" }), "semi-major axis 0 is not above 0"},
		{edit(func(l *line) { l.epoch = "K26X9" }), `epoch "K26X9" is not a packed date`},
		{edit(func(l *line) { l.epoch = "Z2669" }), `epoch "Z2669" is not a packed date`},
		{edit(func(l *line) { l.epoch = "K252U" }), `epoch "K252U" is not a packed date`}, // February 30
		{edit(func(l *line) { l.epoch = "" }), `epoch "" is not a packed date`},
		{put(29, "O"), `mean anomaly "`},
		{put(73, "x"), `eccentricity "0.x`},
		{put(60, "         "), "inclination is blank"},
		{put(81, "           "), "mean motion is blank"},
		{put(81, " 0.00000000"), "mean motion 0 is not above 0"},
		{put(81, "-0.21430445"), "mean motion -0.21430445 is not above 0"},
		{put(60, "188.00000"), "inclination 188 is not in [-180, 180]"},
		{put(49, "999.99999"), "node 999.99999 is not in [-720, 720]"},
		{put(38, "      NaN"), `argument of the periapsis "NaN" is not a number`},
		{put(1, "       "), "designation is blank"},
		{put(1, "!!!!!  ")[:160], `designation "!!!!!" is not packed`},
		{whole[:20] + whole[21:], "the line is shifted"},
		{whole[:57], "ends in column 57"},
		{whole[:97], "ends in column 97"},
		{"00102", "ends in column 5"},
	}
}

func TestTestdataIsCurrent(t *testing.T) {
	sound, _ := extract(t)
	bad := head
	for _, f := range faults() {
		bad += f.text + "\n"
	}
	for _, f := range []struct{ file, want string }{{extractFile, sound}, {faultyFile, bad}} {
		if *write {
			if err := os.WriteFile(f.file, []byte(f.want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(f.file)
		if err != nil || string(got) != f.want {
			t.Errorf("%s is not what the generator makes (%v): run go test -write", f.file, err)
		}
	}
}
