package design

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// wide has parameters of the widest types.
type wide struct {
	N int64   `default:"0"`
	X float64 `default:"0"`
	F float32 `default:"0"`
	T string  `default:""`
}

// TestEnds checks that values drawn from any interval are inside it. A Latin design must have one
// value in each part, in the order of the parts.
func TestEnds(t *testing.T) {
	ps, err := Params(reflect.TypeFor[wide]())
	if err != nil {
		t.Fatal(err)
	}
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, 0))
	whole := []int64{math.MinInt64, math.MinInt64 + 1, -1 << 62, -1<<53 - 1, -7, 0, 1, 1 << 53, 1 << 62, math.MaxInt64 - 1, math.MaxInt64}
	real := []float64{-math.MaxFloat64, -1e308, -1, -math.SmallestNonzeroFloat64, 0, math.SmallestNonzeroFloat64, 1e-300, 1, 1e308, math.MaxFloat64}
	for k := range 600 {
		name, low, high := []string{"n", "x", "f"}[k%3], "", ""
		switch name {
		case "n":
			a, b := whole[rng.IntN(len(whole))], whole[rng.IntN(len(whole))]
			if rng.IntN(2) == 0 {
				b = int64(rng.Uint64())
			}
			low, high = strconv.FormatInt(min(a, b), 10), strconv.FormatInt(max(a, b), 10)
		case "x":
			a, b := real[rng.IntN(len(real))], real[rng.IntN(len(real))]
			low, high = fmt.Sprint(min(a, b)), fmt.Sprint(max(a, b))
		default:
			a, b := float32(rng.Float64()*2-1)*math.MaxFloat32, float32(rng.Float64()*2-1)*math.MaxFloat32
			low, high = fmt.Sprint(min(a, b)), fmt.Sprint(max(a, b))
		}
		axis, err := ParseAxis(ps, name+"="+low+".."+high)
		if err != nil {
			t.Fatal(err)
		}
		n := 1 + rng.IntN(40)
		d := Design{Kind: Latin, Points: n, Replicates: 1, Seed: uint64(k), Axes: []Axis{axis}}
		if err := d.Bind(ps); err != nil {
			t.Fatal(err)
		}
		number := func(text string) *big.Float {
			f, _, err := big.ParseFloat(text, 10, 2200, big.ToNearestEven)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			return f
		}
		lo, hi := number(low), number(high)
		span := new(big.Float).Sub(hi, lo)
		var drawn []*big.Float
		for _, text := range column(&d, axis.paramIndex) {
			v := number(text)
			if v.Cmp(lo) < 0 || v.Cmp(hi) > 0 {
				t.Fatalf("%s=%s..%s, %d points: %s is outside", name, low, high, n, text)
			}
			drawn = append(drawn, v)
		}
		slices.SortFunc(drawn, (*big.Float).Cmp)
		// Because of rounding, a value may be outside its part, by one step to the next
		// representable number. For whole numbers, this step is 1. If the part is small, the step is
		// large in comparison.
		slack := new(big.Float).Mul(span, big.NewFloat(1e-6))
		slack.Add(slack, big.NewFloat(1))
		if name != "n" {
			slack.Sub(slack, big.NewFloat(1)).Add(slack, big.NewFloat(2*math.SmallestNonzeroFloat64))
		}
		for i, v := range drawn {
			from := new(big.Float).Mul(span, big.NewFloat(float64(i)/float64(n)))
			to := new(big.Float).Mul(span, big.NewFloat(float64(i+1)/float64(n)))
			from.Add(from, lo).Sub(from, slack)
			to.Add(to, lo).Add(to, slack)
			if v.Cmp(from) < 0 || v.Cmp(to) > 0 {
				t.Fatalf("%s=%s..%s, %d points: the %d. is %v, want one from %v to %v", name, low, high, n, i+1, v, from, to)
			}
		}
	}
}

// TestAllDigits checks that whole numbers are compared by all their digits, because a float has only
// 53 bits.
func TestAllDigits(t *testing.T) {
	ps, err := Params(reflect.TypeFor[struct {
		N int64 `default:"0" range:"-9007199254740992..9007199254740992"`
	}]())
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"9007199254740992": true, "9007199254740993": false, "-9007199254740993": false} {
		if err := ps[0].Check(text); (err == nil) != want {
			t.Errorf("n=%s: %v", text, err)
		}
	}
	if _, err := ParseAxis(ps, "n=9007199254740992..9007199254740991"); err == nil {
		t.Error("the upper end comes first")
	}
}

// TestListQuotes checks that spaces matter only inside quotes and that a byte-order mark is ignored,
// whatever the cells contain.
func TestListQuotes(t *testing.T) {
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, 0))
	spaces := []string{"", " ", "  ", "\t"}
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	for k := range 500 {
		var text strings.Builder
		text.WriteString(pick("", "\ufeff"))
		var want [][]string
		columns := 1 + rng.IntN(3)
		for range 2 + rng.IntN(4) {
			var row []string
			for c := range columns {
				if c > 0 {
					text.WriteByte(',')
				}
				cell := pick("a", "0.5", "x y", "é")
				if rng.IntN(2) == 0 {
					text.WriteString(pick(spaces...) + cell + pick(spaces...))
				} else {
					cell = pick(spaces...) + pick("a", "", "p,q", "say \"so\"", "two\nlines", "é") + pick(spaces...)
					text.WriteString(pick(spaces...) + `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`)
				}
				row = append(row, cell)
			}
			text.WriteString(pick("\n", "\r\n"))
			want = append(want, row)
		}
		head, rows, err := ReadList(strings.NewReader(text.String()))
		if err != nil || !reflect.DeepEqual(append([][]string{head}, rows...), want) {
			t.Fatalf("seed %d, list %d, %q: %q, %q, %v, want %q", seed, k, text.String(), head, rows, err, want)
		}
	}
}

// TestUTF8 checks that text that is not UTF-8 is refused from every source, because study.json would
// store a different text.
func TestUTF8(t *testing.T) {
	ps, err := Params(reflect.TypeFor[wide]())
	if err != nil {
		t.Fatal(err)
	}
	const bad, want = "a\xffb", `t="a\xffb": not UTF-8: convert it`
	_, err = ParseAxis(ps, "t=x,"+bad)
	wantError(t, err, want)
	wantError(t, (&Design{Kind: Grid, Replicates: 1, Fixed: []Setting{{"t", bad}}}).Bind(ps), want)
	wantError(t, (&Design{Kind: Rows, Replicates: 1, Columns: []string{"t"}, List: [][]string{{bad}}}).Bind(ps), want)
	wantError(t, ps[3].Set(reflect.New(reflect.TypeFor[wide]()).Elem(), bad), want)
	_, err = Params(reflect.TypeFor[struct {
		T string "default:\"\\xff\""
	}]())
	wantError(t, err, `default: t="\xff": not UTF-8`)
	if err := ps[3].Check("ä\x00"); err != nil {
		t.Error(err)
	}
}
