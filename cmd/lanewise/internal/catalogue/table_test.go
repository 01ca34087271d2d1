package catalogue

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

const header = "Type,q,e,i,w,N,M,n,wrate,Nrate,RA,Dec,Epoch,H,G,Radius,Mass,Rotation,Albedo,NAIF ID,Name\n"

// An invented table. The table has the columns of a real table, but its bodies are
// invented.
const made = "\ufeff# two bodies\r\n" + header +
	"PL,1.5,0.25,-0.5,10,20,30,0.5,0.01,-0.02,270.000,66.561,2451545.0,,,1000,9e23,-2.5,,8,Vulcan\n\n" +
	"MN,200000,0.5,1,2,3,491.33,120,,,,,2451545.0,,,,,,,801,\"Dactyl, small\"" // no line end

func TestReadTable(t *testing.T) {
	bodies, err := ReadTable("made", strings.NewReader(made), func(e *LineError) error { return e })
	if err != nil || len(bodies) != 2 {
		t.Fatalf("%d bodies, %v", len(bodies), err)
	}
	want := []Body{
		{
			Kind: Planet, ID: 8, Name: "Vulcan",
			Elements: Elements{Epoch: 2451545, Mean: 30, Peri: 10, Node: 20, Incl: -0.5, Ecc: 0.25, Motion: 0.5, Axis: 2},
			PeriRate: 0.01, NodeRate: -0.02, PoleRA: 270, PoleDec: 66.561, Radius: 1000, Rotation: -2.5,
			File: "made", Line: 3,
		},
		{
			Kind: Moon, ID: 801, Name: "Dactyl, small", Parent: 8,
			Elements: Elements{Epoch: 2451545, Mean: 491.33, Peri: 2, Node: 3, Incl: 1, Ecc: 0.5, Motion: 120, Axis: 400000 / kmPerAU},
			PoleRA:   270, PoleDec: 66.561, File: "made", Line: 5,
		},
	}
	for i := range want {
		if bodies[i] != want[i] {
			t.Errorf("body %d\n got %+v\nwant %+v", i, bodies[i], want[i])
		}
	}
}

func TestTableFaults(t *testing.T) {
	const pl, mn = "PL,1.5,0.25,1,10,20,30,0.5,0,0,270,66.561,2451545,,,,1e24,,,", "MN,2e5,0.25,1,10,20,30,0.5,0,0,270,66.561,2451545,,,,,,,"
	for _, c := range []struct{ row, want string }{
		{strings.Replace(pl, "1.5", "", 1) + "8,X", "column q is blank"},
		{strings.Replace(pl, "1.5", "-1", 1) + "8,X", "periapsis distance -1 is not above 0"},
		{strings.Replace(pl, "0.25", "1", 1) + "8,X", "eccentricity 1 is not in [0, 1)"},
		{strings.Replace(pl, "0.25", "-0.1", 1) + "8,X", "eccentricity -0.1 is not in [0, 1)"},
		{strings.Replace(pl, "0.25", "O.25", 1) + "8,X", `column e "O.25" is not a number`},
		{strings.Replace(pl, "0.25", "NaN", 1) + "8,X", `column e "NaN" is not a number`},
		{strings.Replace(pl, "0.25", "1e999", 1) + "8,X", `column e "1e999" is not a number`},
		{strings.Replace(pl, "0.5", "0", 1) + "8,X", "mean motion 0 is not above 0"},
		{strings.Replace(pl, "PL", "QQ", 1) + "8,X", `column Type is "QQ", not PL or MN`},
		{pl + "8,", "column Name is blank"},
		{pl + "8.5,X", `column NAIF ID "8.5" is not a number of NAIF's`},
		{pl + "-8,X", "is not a number of NAIF's"},
		{pl + "8,X,more", "has 22 cells, the header has 21"},
		{pl + "8,\"X", "t.csv:6: column 65: extraneous or missing \" in quoted-field"},
		{pl + "8,X\"Y", "t.csv:6: column 64: bare \" in non-quoted-field"},
		{pl + "8,Caf\xe9", `column Name "Caf\xe9" is not UTF-8`},
		{mn + "0,Nameless", `moon "Nameless" with NAIF ID 0: neither tells its planet`},
		{mn + "0,S/2009 X 1", "neither tells its planet"},
		{mn + "42,X", "neither tells its planet"},
		{mn + "123456,X", "neither tells its planet"},
		{"PL", "column q is blank"},
		{strings.Replace(pl, "1.5", "1e300", 1) + "8,X", "is not in [0, 1e+09]"},
		{strings.Replace(pl, ",0,0,", ",1e300,0,", 1) + "8,X", "column wrate 1e+300 is not in"},
		{strings.Replace(pl, "1e24,,", "1e24,1e-300,", 1) + "8,X", "turns a day, of column Rotation,"},
		{strings.Replace(mn, "66.561", "91", 1) + "801,X", "column Dec 91 is not in [-90, 90]"},
		{strings.Replace(pl, "66.561", "66.5", 1) + "8,X", `planet "X": its plane is not the ecliptic`},
		{strings.Replace(pl, "2451545", "1e300", 1) + "8,X", "epoch 1e+300 is not in"},
		{strings.Repeat("z", lineBytes+5), "longer than 65536 bytes"},
	} {
		var faults []*LineError
		bodies, err := ReadTable("t.csv", strings.NewReader(made+"\n"+c.row+"\n"+pl+"7,Sound"), func(e *LineError) error {
			faults = append(faults, e)
			return nil
		})
		if err != nil || len(bodies) != 3 || len(faults) != 1 || faults[0].Line != 6 || !strings.Contains(faults[0].Error(), c.want) {
			t.Errorf("row %.60q: %d bodies, faults %v, error %v; want one fault in line 6: %q", c.row, len(bodies), faults, err, c.want)
		}
	}
}

func TestTableHeader(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "holds no planets or moons"},
		{header, "holds no planets or moons"},
		{strings.Replace(made, ",n,", ",nn,", 1), `t.csv:2: the header has no column "n"`},
		{strings.Replace(made, "Name", "Label", 1), `t.csv:2: the header has no column "Name"`},
		{"\"\n", "t.csv:1: "},
	} {
		if _, err := ReadTable("t.csv", strings.NewReader(c.text), func(e *LineError) error { return e }); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("table %.40q: error is %v, want %q", c.text, err, c.want)
		}
	}
	// The order of the columns is free. Columns that may be blank may also be absent.
	text := "Name,Type,n,M,N,w,i,e,q,Epoch,NAIF ID\nX,PL,0.5,30,20,10,1,0.25,1.5,2451545,3\n"
	bodies, err := ReadTable("t.csv", strings.NewReader(text), func(e *LineError) error { return e })
	if err != nil || bodies[0].Kind != Planet || bodies[0].Axis != 2 || bodies[0].PoleDec != EclipticDec {
		t.Errorf("%+v, %v", bodies, err)
	}
}

// TestHopelessTable checks that reading stops after ten lines if no line is a valid
// row.
func TestHopelessTable(t *testing.T) {
	for rows, want := range map[int]string{9: "holds no planets or moons", 10: "t.csv: 10 bad lines and not a good one: is this a table of planets or moons?", 1000: "t.csv: 10 bad lines"} {
		faults := 0
		_, err := ReadTable("t.csv", strings.NewReader(header+strings.Repeat("QQ,1\n", rows)), func(*LineError) error {
			faults++
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), want) || faults != min(rows, 10) {
			t.Errorf("%d bad rows: %d faults, error %v; want %q", rows, faults, err, want)
		}
	}
}

func TestKinds(t *testing.T) {
	none := math.NaN()
	for _, c := range []struct {
		mass float64
		id   int
		want Kind
	}{
		{3.3e23, 1, Planet}, {9.4e20, 1, DwarfPlanet}, {1.3e22, 9, DwarfPlanet}, {1.7e22, 136199, DwarfPlanet},
		{none, 4, Planet}, {none, 9, DwarfPlanet},
	} {
		if got := kindOf(c.mass, c.id); got != c.want {
			t.Errorf("mass %g, NAIF ID %d: %v, want %v", c.mass, c.id, got, c.want)
		}
	}
}

func TestParent(t *testing.T) {
	for _, c := range []struct {
		id   int
		name string
		want int
	}{
		{301, "Moon", 3}, {514, "Thebe", 5}, {905, "Styx", 9}, {55501, "S/2003 J 2", 5}, {65093, "S/2019 S 1", 6}, {85052, "S/2021 N 1", 8},
		{0, "S/2009 S 1", 6}, {0, "S/2003 J 10", 5}, {0, "S/2023 U 1", 7}, {0, "S/2002 N 5", 8}, {0, "S/2012 P 1", 9},
	} {
		if got, err := parent(c.id, c.name); err != nil || got != c.want {
			t.Errorf("parent(%d, %q) = %d, %v; want %d", c.id, c.name, got, err, c.want)
		}
	}
}

func TestParentOf(t *testing.T) {
	bodies := []Body{
		{Kind: DwarfPlanet, ID: 1, Name: "Ceres"}, {Kind: Planet, ID: 1, Name: "Mercury"}, {Kind: Planet, ID: 5, Name: "Jupiter"},
		{Kind: DwarfPlanet, ID: 9, Name: "Pluto"}, {Kind: Moon, ID: 5, Name: "Odd"},
	}
	for parent, want := range map[int]int{1: 1, 5: 2, 9: 3, 8: -1} {
		if got := ParentOf(&Body{Kind: Moon, Parent: parent}, bodies); got != want {
			t.Errorf("the parent with NAIF ID %d is %d, want %d", parent, got, want)
		}
	}
}

func TestBuiltin(t *testing.T) {
	planets, moons := Planets(), Moons()
	if len(planets) != 9 || planets[0].Kind != Star || planets[8].Name != "Neptune" || planets[8].Kind != Planet {
		t.Errorf("the built-in planets are %+v", planets)
	}
	if len(moons) < 20 {
		t.Errorf("%d built-in moons, want 20 or more", len(moons))
	}
	for _, m := range moons {
		if m.Kind != Moon || m.Parent < 3 || m.Parent > 8 {
			t.Errorf("%+v: want a moon of a built-in planet", m)
		}
	}
}

func FuzzReadTable(f *testing.F) {
	f.Add([]byte(made))
	f.Add([]byte(header + "MN,1,0.1,1,1,1,1,1,,,,,1,,,,,,,0,S/2009 S 1"))
	f.Add([]byte(header + ",,,,\n\"\n#\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		bodies, err := ReadTable("t", bytes.NewReader(text), func(*LineError) error { return nil })
		if err == nil && len(bodies) == 0 {
			t.Fatal("neither bodies nor an error")
		}
		for _, b := range bodies {
			if b.Name == "" || b.Kind != Star && !(b.Axis > 0 && b.Axis <= 1e9 && b.Ecc >= 0 && b.Ecc < 1 && b.Motion > 0) {
				t.Fatalf("took %+v", b)
			}
		}
	})
}
