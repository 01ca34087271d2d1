package catalogue

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/solar"
)

// data opens a file of the development data.
func data(t testing.TB, file string) *os.File {
	t.Helper()
	f, err := os.Open(solar.Path(t, file))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func TestRealMinors(t *testing.T) {
	var empty, bad, blank int
	minors, err := ReadMinors("asteroids", data(t, "asteroids.mpcorb.txt"), func(e *LineError) error {
		if errors.Is(e, ErrEmpty) {
			empty = e.Line
			return nil
		}
		bad++
		t.Log(e)
		return nil
	})
	if err != nil || len(minors) != 14108 || empty != 11488 || bad != 0 {
		t.Fatalf("%d orbits, empty record in line %d, %d bad lines, %v; want 14108, 11488, 0, nil", len(minors), empty, bad, err)
	}
	names := make(map[string]bool)
	for _, m := range minors {
		if m.Axis == 0 {
			blank++
		}
		if names[m.Name] {
			t.Errorf("two orbits are called %q", m.Name)
		}
		names[m.Name] = true
		unpacked, ok := designation(m.ID)
		if named := strings.HasPrefix(unpacked, "(") && strings.HasPrefix(m.Name, unpacked+" "); !ok || m.Name != unpacked && !named {
			t.Errorf("%s unpacks to %q, %v; the file reads %q", m.ID, unpacked, ok, m.Name)
		}
	}
	if blank != 2 {
		t.Errorf("%d blank axes, want 2", blank)
	}
}

func TestRealTables(t *testing.T) {
	for _, c := range []struct {
		file  string
		kinds [Asteroid]int
	}{
		{"planets.csv", [Asteroid]int{Star: 1, Planet: 8, DwarfPlanet: 5}},
		{"moons.csv", [Asteroid]int{Moon: 461}},
	} {
		bodies, err := ReadTable(c.file, data(t, c.file), func(e *LineError) error { return e })
		if err != nil {
			t.Fatal(err)
		}
		var kinds [Asteroid]int
		for _, b := range bodies {
			kinds[b.Kind]++
		}
		if kinds != c.kinds {
			t.Errorf("%s: %v bodies a kind, want %v", c.file, kinds, c.kinds)
		}
	}
}
