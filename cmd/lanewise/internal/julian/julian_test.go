package julian

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		want float64
	}{
		{"2000-01-01T12:00", J2000},
		{"2027-03-01", 2461465.5},
		{"2027-03-01T12:00", 2461466},
		{"2027-03-01T12:00:30", 2461466 + 30.0/86400},
		{"2461465.5", 2461465.5},
		{"2451545", J2000},
		{"1858-11-17", 2400000.5}, // start of the modified Julian date
		{"0001-01-01", First},
		{"9999-12-31", Last - 1},
		{"2000-02-29", 2451603.5},
	} {
		got, err := Parse(c.text)
		if err != nil || got != c.want {
			t.Errorf("Parse(%q) = %v, %v; want %v", c.text, got, err, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		"", " ", "2027", "2027-02-29", "1900-02-29", "2027-13-01", "2027-00-10", "2027-04-31", "2027-3-1", "27-03-01",
		"2027-03-01T", "2027-03-01T24:00", "2027-03-01T12:60", "2027-03-01T12", "2027-03-01T12:00:60", "2027-03-01 12:00",
		"2027-03-01T12:00Z", "0000-01-01", "tomorrow", "NaN", "Inf", "-2451545", "2.4e6", "0x2567", "2451545.5.5", "99999999999",
		"2027-+3-01", "2027-03-01T-1:00", strings.Repeat("9", 400), ".", "5373484.5",
	} {
		if jd, err := Parse(text); !errors.Is(err, ErrDate) {
			t.Errorf("Parse(%q) = %v, %v; want ErrDate", text, jd, err)
		}
	}
}

// TestCivil compares the calendar with package time on every day of four centuries, which include
// century years with and without a leap day.
func TestCivil(t *testing.T) {
	day := time.Date(1699, 12, 31, 0, 0, 0, 0, time.UTC)
	for jd := 2341971.5; jd < 2488069.5; jd, day = jd+1, day.AddDate(0, 0, 1) {
		y, m, d := day.Date()
		if got, ok := FromCivil(y, int(m), d); !ok || got != jd {
			t.Fatalf("FromCivil(%v) = %v, %v; want %v", day, got, ok, jd)
		}
		if gy, gm, gd, part := Civil(jd); gy != y || gm != int(m) || gd != d || part != 0 {
			t.Fatalf("Civil(%v) = %d-%d-%d + %v; want %v", jd, gy, gm, gd, part, day)
		}
	}
}

// TestHundreds checks that one in four century years has a leap day.
func TestHundreds(t *testing.T) {
	for year := 100; year <= 9900; year += 100 {
		if _, ok := FromCivil(year, 2, 29); ok != (year%400 == 0) {
			t.Errorf("%d has a leap day: %v", year, ok)
		}
		if _, _, day, _ := Civil(mustParse(t, fmt.Sprintf("%04d-03-01", year)) - 1); (day == 29) != (year%400 == 0) {
			t.Errorf("the day before March of %d is %d", year, day)
		}
	}
}

func mustParse(t *testing.T, text string) float64 {
	t.Helper()
	jd, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return jd
}

func TestFormat(t *testing.T) {
	for _, want := range []string{"2027-03-01", "2027-03-01T12:00", "2027-03-01T23:59:59", "2026-12-31T00:01", "0001-01-01", "9999-12-31T18:30:15"} {
		jd, err := Parse(want)
		if err != nil {
			t.Fatal(err)
		}
		if got := Format(jd); got != want {
			t.Errorf("Format(Parse(%q)) = %q", want, got)
		}
	}
	// Format must print each date that Parse accepts in a form that Parse accepts again.
	for _, jd := range []float64{First, math.Nextafter(Last, 0), Last - 1e-6, Last - 1.4/86400} {
		if again, err := Parse(Format(jd)); err != nil || math.Abs(again-jd) > 1.1/86400 {
			t.Errorf("%v is written as %s, which is read as %v, %v", jd, Format(jd), again, err)
		}
	}
	if got := Format(2461465.5 - 1e-9); got != "2027-03-01" {
		t.Errorf("a nanoday before midnight is %q, want 2027-03-01", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"2027-03-01", "2027-03-01T12:00", "2461465.5", "2027-02-30", "-", "1e9"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		jd, err := Parse(s)
		if err == nil && !(jd >= First && jd < Last) {
			t.Fatalf("Parse(%q) = %v, outside [%v, %v)", s, jd, First, Last)
		}
		if err == nil {
			Format(jd)
		}
	})
}
