package solarsystem

import (
	"math"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/julian"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/orrery"
	"github.com/lanewise/lanewise/jobs"
)

// TestAdvance compares the positions of all bodies with the reference on several days. Two systems at once must not
// affect each other.
func TestAdvance(t *testing.T) {
	pool := jobs.New(jobs.Workers(1))
	defer func() { _ = pool.Close() }()
	var all [2]*System
	for i, minors := range []int{Minors, 0} {
		s, err := New(nil, minors)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Orrery.Close()
		if s.Date() != "2026-06-09" || len(s.Set.Minors) != minors {
			t.Errorf("%d minor planets on %s", len(s.Set.Minors), s.Date())
		}
		all[i] = s
	}
	for _, days := range []float64{0, 0.5, 1000} {
		for i, s := range all {
			if err := s.Advance(days * float64(i+1)); err != nil {
				t.Fatal(err)
			}
		}
		for _, s := range all {
			places, err := s.Orrery.Places()
			if err != nil {
				t.Fatal(err)
			}
			if d, err := orrery.Check(places, s.Set, s.Orrery.Date(), pool); err != nil || d.Name == "" {
				t.Errorf("%s: %+v, %v", s.Date(), d, err)
			}
		}
	}
	if first, second := all[0].Date(), all[1].Date(); first != "2029-03-05T12:00" || second != julian.Format(all[0].Orrery.Date()+1000.5) {
		t.Errorf("the dates are %s and %s", first, second)
	}
	if _, err := New(nil, Minors+1); err == nil || !strings.Contains(err.Error(), "minors is 2001: take 0 to 2000") {
		t.Errorf("2001 minor planets: %v", err)
	}
}

// TestPath checks the sizes of the orbits of the Earth and the Moon.
func TestPath(t *testing.T) {
	s, err := New(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Orrery.Close()
	for i := range s.Set.Bodies {
		low, high := 0.0, 0.0
		switch s.Set.Bodies[i].Name {
		case "Earth":
			low, high = 0.98, 1.02
		case "Moon":
			low, high = 0.0024, 0.0028
			if p := s.Parent(i); s.Set.Bodies[p].Name != "Earth" {
				t.Errorf("the Moon orbits body %d", p)
			}
		default:
			continue
		}
		path := s.Path(i, 12)
		for k, p := range path {
			next := path[(k+1)%12]
			step := math.Hypot(math.Hypot(next[0]-p[0], next[1]-p[1]), next[2]-p[2])
			if r := math.Hypot(math.Hypot(p[0], p[1]), p[2]); r < low || r > high || step < 0.4*low || step > 0.7*high {
				t.Errorf("%s: point %d is %v AU away, and the next point %v", s.Set.Bodies[i].Name, k, r, step)
			}
		}
	}
	if s.Parent(0) != -1 {
		t.Error("the Sun has a planet")
	}
}

// TestTerms checks that the catalogue has the header that the terms of the Minor Planet Center demand.
func TestTerms(t *testing.T) {
	for _, text := range []string{"MINOR PLANET CENTER ORBIT DATABASE", "proper attribution", "https://www.minorplanetcenter.org/iau/MPCORB/MPCORB.DAT"} {
		if !strings.Contains(mpcorb, text) {
			t.Errorf("the header has no %q", text)
		}
	}
}
