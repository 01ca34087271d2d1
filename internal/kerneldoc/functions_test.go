package main

import (
	"strings"
	"testing"
)

// TestExactness parses each form in which comments state the accuracy of a function.
func TestExactness(t *testing.T) {
	for _, c := range []struct {
		comment string
		want    exactness
		ok      bool
	}{
		{"F does.\n\nValues: within 0.8 ulp for float64, 0.7 for float32;\n+0 for -Inf.\nIt panics if.\n", exactness{[2]string{"0.7", "0.8"}, "+0 for -Inf"}, true},
		{"Values: within 0.9 ulp for float64, 0.6 for float32. ±0 stays.\n", exactness{[2]string{"0.6", "0.9"}, "±0 stays"}, true},
		{"Values: within 1.5 ulp: root and quotient.\n", exactness{[2]string{"1.5", "1.5"}, "root and quotient"}, true},
		{"Values: exact, as fmod; it has a sign.\nIt panics.", exactness{[2]string{"0", "0"}, "as fmod; it has a sign"}, true},
		{"Values: exact except for one rounding where x is.\n", exactness{[2]string{"0.5", "0.5"}, "exact except for one rounding where x is"}, true},
		{"Values: the same bits; a float64 is within 3 ulp of it, a float32 within 3.5, [Sin] too.\n", exactness{[2]string{"3.5", "3"}, "the same bits; a float64 is within 3 ulp of it, a float32 within 3.5, Sin too"}, true},
		{"Values: the same bits on every path. A float64 is within 3 ulp of it,\nand a float32 is within 3.5, denormals included.\n", exactness{[2]string{"3.5", "3"}, "the same bits on every path. A float64 is within 3 ulp of it, and a float32 is within 3.5, denormals included"}, true},
		{"Values: the same bits on every path. The error of a float64 is 3 ulp at most.\n", exactness{}, false},
		{"Values: exact, but a float32 is within 1 ulp.\n", exactness{}, false},
		{"Values: about right.\n", exactness{}, false},
		{"F does.\n", exactness{}, false},
	} {
		if got, ok := exactnessOf(c.comment); got != c.want || ok != c.ok {
			t.Errorf("%q: %q, %v, want %q, %v", c.comment, got, ok, c.want, c.ok)
		}
	}
}

// TestTimes checks that timesOf reads the table that compares with SLEEF, and no other table.
func TestTimes(t *testing.T) {
	page := "\n## Other\n| Exp | 9 | 9 | 9 | 9 | 9 | 9 |\n\n## Functions beside SLEEF\n\n| function | a | b | c | d | e | f |\n| Exp | 0.52 | 0.57 | 0.91 | 2.10 | 1.41 | 1.49 |\n| cycles | 1 | 2 |\n\n## Next\n| Log | 1 | 1 | 1 | 1 | 1 | 1 |\n"
	times := timesOf(page)
	if times["Exp"] != [2]string{"0.52", "2.10"} || times["Log"][0] != "" || times["cycles"][0] != "" {
		t.Errorf("%v", times)
	}
}

// TestFound parses the output of internal/accuracy and compares it with the bounds in comments.
func TestFound(t *testing.T) {
	found := foundOf("Exp      f32  4294967296 arguments: 0.905677 ulp at 0x1p+2 0x0p+0: 0x1p+6\nExp      f64    10000000 arguments: 0.889931 ulp at 0x1p+9 0x0p+0: 0x1p-809\nokay\n")
	if len(found) != 1 || found["Exp"] != [2]string{"0.905677", "0.889931"} {
		t.Errorf("%v", found)
	}
	if err := checkWithin("0.905677", "0.9"); err == nil {
		t.Error("0.905677 is within 0.9")
	}
	if err := checkWithin("0.889931", "0.9"); err != nil {
		t.Error(err)
	}
}

// TestRoundings parses the output of internal/accuracy -rounded. The parser must refuse wrong results, functions without a
// line, and lines of another form.
func TestRoundings(t *testing.T) {
	rows := []*row{{kernel: &kernel{name: "Exp", family: "functions"}}, {kernel: &kernel{name: "ExpRounded", family: "rounded"}}, {kernel: &kernel{name: "HypotRounded", family: "rounded"}}}
	const line = "ExpRounded   avx512  4294967296 arguments, hash 98118851c4035ad4: 0 wrong, 15 decided by MPFR; of Exp 0.4315 % are wrong\n"
	const pairs = "HypotRounded avx512  10000000 pairs, hash e6eab8af23f9431f: 0 wrong, 51 decided by MPFR; of Hypot 0.0001 % are wrong\n"
	text, err := roundings(rows, line+pairs)
	if err != nil || !strings.HasSuffix(text, "| ---: |\n| ExpRounded | 4294967296 | 0 | 15 | 0.4315 % |\n| HypotRounded | 10000000 pairs | 0 | 51 | 0.0001 % |\n") {
		t.Errorf("%s, %v", text, err)
	}
	for want, printed := range map[string]string{
		"ExpRounded: 2 results are wrong":             strings.Replace(line, "0 wrong", "2 wrong", 1),
		"ExpRounded: rounded.txt has no line for it":  pairs,
		"HypotRounded: rounded.txt has no line for":   line,
		"does not print such a line: ExpRounded   av": line + strings.Replace(line, " wrong,", " bad,", 1),
	} {
		if _, err := roundings(rows, printed); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestOpinions reads the outputs of all checks. The parser must refuse lines of Sollya that have another form.
func TestOpinions(t *testing.T) {
	rows := []*row{
		{kernel: &kernel{name: "Exp", family: "functions", comment: "Values: within 0.9 ulp for float64, 1.0 for float32; more"}},
		{kernel: &kernel{name: "Floor", family: "functions", comment: "Values: exact; more"}},
	}
	const measured = "Exp f32 4294967296 arguments: 0.905677 ulp at 0x1p+2 0x0p+0: 0x1p+6\nExp f64 10000000 arguments: 0.889931 ulp at 0x1p+9 0x0p+0: 0x1p-809\n"
	const rounded = "ExpRounded avx512  4294967296 arguments, hash 98118851c4035ad4: 0 wrong, 15 decided by MPFR; of Exp 0.4315 % are wrong\n"
	const sollya = "e^r, float32: ours -28.3, measured by Sollya -28.2, fpminimax -, real coefficients -28.4\n"
	text, err := opinions(rows, measured, rounded, sollya)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n| Exp | 1.0 | 0.905677 | 0.4315 % | 0.9 | 0.889931 | MPFR: all float32, 10000000 float64 |\n",
		"\n| Floor | 0 | – | 0 % | 0 | – | the tests of package kernels |\n",
		"\n| e^r, float32 | −28.3 | −28.2 | – | −28.4 |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	for _, line := range []string{"", "e^r: ours 1, fpminimax 2\n", strings.Replace(sollya, "measured by", "by", 1)} {
		if _, err := opinions(rows, measured, rounded, line); err == nil {
			t.Errorf("%q is read without an error", line)
		}
	}
}
