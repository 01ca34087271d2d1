package catalogue

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

func TestDecimal(t *testing.T) {
	for _, text := range []string{
		"0", "0.0", "-0", "-0.0", "+1", "274.41935", "  ", "", "-", "+", ".", "-.", ".5", "5.", "0.0796923", "2.7655526",
		"123456789012345", "1234567890123456", "0.000000000000001", "99999.9999999999", "12345678901234567890.125", "0.00001990",
		"9840585.693011867", "950046254080.5177", "94.40568990505009", // their 16 digits do not fit a float64, so a division would round twice
		"1e5", "0x1p3", "1_000", "NaN", "Inf", "1.2.3", "--1", "1-", "O.1", "1 2", "٣",
	} {
		want, err := strconv.ParseFloat(text, 64)
		plain := err == nil && strings.Trim(text, "+-.0123456789") == ""
		got, ok := decimal([]byte(text))
		if ok != plain || ok && math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("decimal(%q) = %v, %v; strconv has %v, %v", text, got, ok, want, err)
		}
	}
}

func FuzzDecimal(f *testing.F) {
	f.Add("274.41935")
	f.Add("-.00000000000000000001")
	f.Fuzz(func(t *testing.T, text string) {
		want, err := strconv.ParseFloat(text, 64)
		plain := err == nil && strings.Trim(text, "+-.0123456789") == ""
		if got, ok := decimal([]byte(text)); ok != plain || ok && math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("decimal(%q) = %v, %v; strconv has %v, %v", text, got, ok, want, err)
		}
	})
}
