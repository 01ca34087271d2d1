// Package julian counts days: calendar dates and Julian dates, both in
// Barycentric Dynamical Time (TDB), the time that ephemerides use.
//
// A Julian date is a float64 of days since noon of 4713 BC January 1. For
// dates near our time, its last bit is worth 40 microseconds. In this time,
// the fastest moon of the solar system moves half a metre.
package julian

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// J2000 is the epoch of the reference frame: 2000-01-01T12:00.
const J2000 = 2451545.0

// Year is the Julian year, in days, to which secular rates refer.
const Year = 365.25

// First and Last are the limits of Parse: the first day of the year 1 and the
// end of the year 9999 of the Gregorian calendar. So Parse refuses a bare
// year such as "2027", which would be a Julian date in the Bronze Age.
const (
	First = 1721425.5
	Last  = 5373484.5
)

// ErrDate is returned for an invalid date.
var ErrDate = errors.New("not a date")

// FromCivil returns the Julian date of 0h on a day of the Gregorian calendar,
// and whether the day exists.
func FromCivil(year, month, day int) (jd float64, ok bool) {
	if month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return 0, false
	}
	// Years are counted from March, so that the leap day is the last day of a
	// year. The lengths of the months then follow from a period of 153 days in
	// five months.
	y, m := year, month-3
	if m < 0 {
		y, m = y-1, m+12
	}
	days := 365*y + floorDiv(y, 4) - floorDiv(y, 100) + floorDiv(y, 400) + (153*m+2)/5 + day - 1
	return float64(days) + 1721119.5, true // 1721119.5 is 0h of 0000-03-01
}

// Civil returns the calendar day of a Julian date and the fraction of that day
// that has passed, in [0, 1).
func Civil(jd float64) (year, month, day int, part float64) {
	whole := math.Floor(jd - 0.5)
	part = jd - 0.5 - whole
	n := int(whole) - 1721119 // days since 0000-03-01
	era := floorDiv(n, 146097)
	n -= era * 146097
	y := (n - n/1460 + n/36524 - n/146096) / 365
	n -= 365*y + y/4 - y/100
	m := (5*n + 2) / 153
	day = n - (153*m+2)/5 + 1
	year, month = y+400*era, m+3
	if month > 12 {
		year, month = year+1, month-12
	}
	return year, month, day, part
}

// Parse reads a date: 2027-03-01 (0h), 2027-03-01T12:00, 2027-03-01T12:00:30
// or a Julian date such as 2461465.5.
func Parse(s string) (float64, error) {
	if len(s) > 4 && s[4] == '-' {
		return parseCivil(s)
	}
	if s == "" || strings.Trim(s, "0123456789.") != "" {
		return 0, fmt.Errorf("%w: %q: want 2027-03-01, 2027-03-01T12:00 or a Julian date", ErrDate, s)
	}
	jd, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%w: %q: not a number", ErrDate, s)
	case !(jd >= First && jd < Last):
		return 0, fmt.Errorf("%w: %q: a Julian date must be from %.1f (year 1) to %.1f (year 9999)", ErrDate, s, First, Last)
	}
	return jd, nil
}

func parseCivil(s string) (float64, error) {
	date, clock, timed := strings.Cut(s, "T")
	var ymd [3]int
	if !readNumbers(date, "-", []int{4, 2, 2}, ymd[:]) {
		return 0, fmt.Errorf("%w: %q: want year-month-day as in 2027-03-01", ErrDate, s)
	}
	jd, ok := FromCivil(ymd[0], ymd[1], ymd[2])
	if !ok || ymd[0] < 1 {
		return 0, fmt.Errorf("%w: %q: the calendar has no such day", ErrDate, s)
	}
	if !timed {
		return jd, nil
	}
	var hms [3]int
	if !readNumbers(clock, ":", []int{2, 2, 2}, hms[:]) && !readNumbers(clock, ":", []int{2, 2}, hms[:]) {
		return 0, fmt.Errorf("%w: %q: want hours:minutes after the T, as in T12:00", ErrDate, s)
	}
	if hms[0] > 23 || hms[1] > 59 || hms[2] > 59 {
		return 0, fmt.Errorf("%w: %q: the clock has no such time", ErrDate, s)
	}
	return jd + float64(3600*hms[0]+60*hms[1]+hms[2])/86400, nil
}

// readNumbers reads numbers that are separated by sep. widths holds the number of digits of
// each number.
func readNumbers(s, sep string, widths, dst []int) bool {
	parts := strings.Split(s, sep)
	if len(parts) != len(widths) {
		return false
	}
	for i, p := range parts {
		if len(p) != widths[i] || strings.Trim(p, "0123456789") != "" {
			return false
		}
		dst[i], _ = strconv.Atoi(p) // no error, because there are at most four digits
	}
	return true
}

// Format formats a Julian date as a calendar date. It adds hours and minutes unless the time is 0h,
// and seconds unless the time is a full minute.
func Format(jd float64) string {
	if jd = math.Round(jd*86400) / 86400; jd == Last {
		jd -= 1.0 / 86400 // so that the result of rounding stays in the year 9999, as Parse requires
	}
	year, month, day, part := Civil(jd)
	seconds := int(math.Round(part * 86400))
	if seconds == 86400 { // the quotient above may be just below midnight
		year, month, day, _ = Civil(jd + 0.5)
		seconds = 0
	}
	date := fmt.Sprintf("%04d-%02d-%02d", year, month, day)
	switch {
	case seconds == 0:
		return date
	case seconds%60 == 0:
		return fmt.Sprintf("%sT%02d:%02d", date, seconds/3600, seconds/60%60)
	}
	return fmt.Sprintf("%sT%02d:%02d:%02d", date, seconds/3600, seconds/60%60, seconds%60)
}

func daysIn(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
