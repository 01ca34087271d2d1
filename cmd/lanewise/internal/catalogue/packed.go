package catalogue

import (
	"strconv"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/julian"
)

// The Minor Planet Center packs dates and designations so that each fits a few
// columns: "Packed Dates" and "Packed Provisional and Permanent Designations",
// minorplanetcenter.net/iau/info.

// epoch unpacks a date of five characters: century, year, month, day. For
// example, K2669 is 2026-06-09, at 0h.
func epoch(text []byte) (jd float64, ok bool) {
	if len(text) != 5 || text[0] < 'I' || text[0] > 'L' {
		return 0, false
	}
	year, ok := twoDigits(text[1:3])
	month, day := base62(text[3]), base62(text[4])
	if !ok || month < 0 || month > 12 || day < 0 || day > 31 {
		return 0, false // also checked here, because lower-case letters are not allowed
	}
	return julian.FromCivil(100*base62(text[0])+year, month, day)
}

// designation unpacks a designation into its usual form: (620057), 2014 JC92,
// 2040 P-L.
func designation(text string) (readable string, ok bool) {
	switch {
	case len(text) == 5:
		n, ok := unpackPermanent(text)
		return "(" + strconv.Itoa(n) + ")", ok
	case len(text) == 7 && text[0] == '_':
		return unpackExtended(text)
	case len(text) == 7 && (text[:3] == "PLS" || text[0] == 'T' && text[2] == 'S'):
		return survey(text)
	case len(text) == 7:
		return unpackProvisional(text)
	}
	return "", false
}

// unpackPermanent unpacks a number. Up to 619,999, the first character is the number
// of ten thousands in base 62. Larger numbers are a tilde and four base-62
// digits that continue from 620,000.
func unpackPermanent(text string) (n int, ok bool) {
	head, tail := base62(text[0]), text[1:]
	if text[0] == '~' {
		n, ok = digits62(tail)
		return n + 620000, ok
	}
	for _, c := range []byte(tail) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n + 10000*head, head >= 0
}

// unpackProvisional unpacks century, year, half-month, cycle and order: K14J92C is
// 2014 JC92. For tens of the cycle above 9, letters follow the digits.
func unpackProvisional(text string) (readable string, ok bool) {
	century := base62(text[0])
	year, okYear := twoDigits([]byte(text[1:3]))
	tens, ones := base62(text[4]), base62(text[5])
	if century < 10 || century > 35 || !okYear || !halfMonth(text[3]) || tens < 0 || ones < 0 || ones > 9 || !order(text[6]) {
		return "", false
	}
	return name(100*century+year, text[3], text[6], 10*tens+ones), true
}

// unpackExtended unpacks a designation beyond the 620 cycles of the older form.
// It contains the year since 2000, the half-month, and a number of four
// base-62 digits. The number is 25 times the cycle, plus the order, minus
// 15,500.
func unpackExtended(text string) (readable string, ok bool) {
	year := base62(text[1])
	n, okCount := digits62(text[3:])
	if year < 0 || !halfMonth(text[2]) || !okCount {
		return "", false
	}
	n += 15500
	const orders = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
	return name(2000+year, text[2], orders[n%25], n/25), true
}

// survey unpacks a designation of the Palomar-Leiden survey or of the Trojan
// surveys.
func survey(text string) (readable string, ok bool) {
	n, err := strconv.ParseUint(text[3:], 10, 32)
	if err != nil || text[0] == 'T' && (text[1] < '1' || text[1] > '3') {
		return "", false
	}
	return strconv.FormatUint(n, 10) + " " + text[:1] + "-" + text[1:2], true
}

// name formats a provisional designation; the first cycle has no number.
// Designations of years before 1925 were assigned later. They have an A instead
// of the first digit of the year (A899 CA), because names like 1899 CA already
// existed for other bodies.
func name(year int, half, order byte, cycle int) string {
	b := strconv.AppendInt(make([]byte, 0, 16), int64(year), 10)
	if year < 1925 {
		b[0] = 'A'
	}
	b = append(b, ' ', half, order)
	if cycle > 0 {
		b = strconv.AppendInt(b, int64(cycle), 10)
	}
	return string(b)
}

// halfMonth accepts A to Y without I; order accepts A to Z without I.
func halfMonth(c byte) bool { return order(c) && c != 'Z' }
func order(c byte) bool     { return c >= 'A' && c <= 'Z' && c != 'I' }

func twoDigits(text []byte) (n int, ok bool) {
	tens, ones := text[0]-'0', text[1]-'0'
	return 10*int(tens) + int(ones), tens <= 9 && ones <= 9
}

func digits62(text string) (n int, ok bool) {
	for _, c := range []byte(text) {
		d := base62(c)
		if d < 0 {
			return 0, false
		}
		n = 62*n + d
	}
	return n, true
}

// base62 returns the value of a digit, 0-9 A-Z a-z, or -1.
func base62(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'A' && c <= 'Z':
		return int(c-'A') + 10
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 36
	}
	return -1
}
