package main

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// An exactness is what the comment of a function states about the function's
// values, after "Values:".
type exactness struct {
	ulp     [2]string // of float32 and float64
	special string
}

// These expressions match the forms of the statement after "Values:". It has
// two numbers, for float64 and float32, or one number for both types.
var (
	each  = regexp.MustCompile(`^within ([\d.]+) ulp for float64, ([\d.]+) for float32(?:[;,.] ?(.*))?$`)
	both  = regexp.MustCompile(`^within ([\d.]+) ulp(?:[;,:.] ?(.*))?$`)
	prose = regexp.MustCompile(`float64 is within ([\d.]+) ulp.*? float32 (?:is )?within ([\d.]+\d|\d+)`)
	once  = regexp.MustCompile(`^exact except for one rounding`)
	exact = regexp.MustCompile(`^(?:the same bits on every path|exact)(?:[;,.]? ?(.*))$`)
)

// exactnessOf finds the exactness that a comment states.
func exactnessOf(comment string) (e exactness, ok bool) {
	_, text, ok := strings.Cut(strings.ReplaceAll(comment, "\n", " "), "Values: ")
	if !ok {
		return e, false
	}
	text, _, _ = strings.Cut(text, " It panics")
	text = docLink.ReplaceAllString(strings.TrimSpace(text), "$1")
	text = strings.TrimSuffix(text, ".")
	if m := each.FindStringSubmatch(text); m != nil {
		return exactness{[2]string{m[2], m[1]}, m[3]}, true
	}
	if m := prose.FindStringSubmatch(text); m != nil {
		return exactness{[2]string{m[2], m[1]}, text}, true
	}
	if m := both.FindStringSubmatch(text); m != nil {
		return exactness{[2]string{m[1], m[1]}, m[2]}, true
	}
	if once.MatchString(text) {
		return exactness{[2]string{"0.5", "0.5"}, text}, true
	}
	if m := exact.FindStringSubmatch(text); m != nil && !strings.Contains(text, "ulp") { // it states errors in a form that is not listed
		return exactness{[2]string{"0", "0"}, m[1]}, true
	}
	return e, false
}

// timesOf reads the times of functions from docs/performance/kernels.md. The
// table that compares with SLEEF has the nanoseconds per row for float32 and
// float64.
func timesOf(page string) map[string][2]string {
	times := map[string][2]string{}
	_, page, _ = strings.Cut(page, "\n## Functions beside SLEEF\n")
	page, _, _ = strings.Cut(page, "\n## ")
	for line := range strings.Lines(page) {
		if c := strings.Split(strings.TrimSpace(line), " | "); len(c) == 7 && strings.HasPrefix(c[0], "| ") {
			times[strings.TrimPrefix(c[0], "| ")] = [2]string{c[1], c[4]}
		}
	}
	return times
}

// foundOf reads the largest errors for float32 and float64 from the output of
// internal/accuracy.
func foundOf(printed string) map[string][2]string {
	found := map[string][2]string{}
	for line := range strings.Lines(printed) {
		if f := strings.Fields(line); len(f) > 5 && f[3] == "arguments:" {
			one := found[f[0]]
			if f[1] == "f32" {
				one[0] = f[4]
			} else {
				one[1] = f[4]
			}
			found[f[0]] = one
		}
	}
	return found
}

// exactnesses returns a table that shows the accuracy, the special values and
// the times of functions.
func exactnesses(rows []*row, times, found map[string][2]string) (string, error) {
	var b strings.Builder
	b.WriteString("\n### How exact, how fast\n\nThe columns *f32 ulp* and *f64 ulp* show the largest error in units in the last place, as the comments of the functions promise it. The columns *found* show\n" +
		"the largest error that `make accuracy` found by comparison with MPFR. The command tried all 2³² arguments of float32 functions with one argument, and ten million\n" +
		"arguments of the others, including hard ones. The column *values* lists special values. The last columns show nanoseconds per row with AVX2, from\n" +
		"[performance](performance/kernels.md#functions-beside-sleef).\n\n" +
		"| function | f32 ulp | found | f64 ulp | found | values | f32 ns | f64 ns |\n| --- | ---: | ---: | ---: | ---: | --- | ---: | ---: |\n")
	for _, r := range rows {
		if r.family != "functions" {
			continue
		}
		e, ok := exactnessOf(r.comment)
		if !ok {
			return "", fmt.Errorf("%s: the comment does not say how exact it is, as in: Values: within 0.8 ulp for float64, 0.8 for float32", r.name)
		}
		ns, most := times[r.name], found[r.name]
		for i := range ns {
			if err := checkWithin(most[i], e.ulp[i]); err != nil {
				return "", fmt.Errorf("%s: %w", r.name, err)
			}
			ns[i], most[i] = cmp.Or(ns[i], "–"), cmp.Or(most[i], "–")
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", r.name, e.ulp[0], most[0], e.ulp[1], most[1],
			strings.ReplaceAll(e.special, "|", `\|`), ns[0], ns[1])
	}
	return b.String(), nil
}

// roundings returns the table of the correctly rounded functions, from the output of internal/accuracy -rounded. It returns an
// error if a function of the family has no line in this output, or if a result was wrong.
func roundings(rows []*row, printed string) (string, error) {
	lines := map[string][]string{}
	for line := range strings.Lines(printed) {
		f := strings.Fields(line)
		if len(f) != 18 || f[7] != "wrong," {
			return "", fmt.Errorf("rounded.txt: internal/accuracy -rounded does not print such a line: %s", line)
		}
		if f[6] != "0" {
			return "", fmt.Errorf("%s: %s results are wrong", f[0], f[6])
		}
		lines[f[0]] = f
	}
	var b strings.Builder
	b.WriteString("\nThese functions are for float32 only. [Functions](guide/functions.md#correctly-rounded-results) says when to use them. `go run ./internal/accuracy -rounded` checked their results\n" +
		"and printed these numbers: of one argument for all 2³² arguments, and of two arguments for as many pairs as the table says. A quarter of the pairs are constructed: many of their exact results are close to a midpoint between two float32, or are one. The others are random.\n" +
		"The float64 functions of the C library, whose errors are known to be small, decide nearly all results. For two arguments, its long double functions decide most of the others. MPFR decides the results whose float64 is closest to a midpoint between two float32: the column *decided by MPFR* counts them.\n" +
		"The last column shows how many results of the fast function are not correctly rounded, in a sixteenth of all arguments or in the random pairs.\n\n" +
		"| function | arguments | wrong | decided by MPFR | fast function: wrong |\n| --- | ---: | ---: | ---: | ---: |\n")
	for _, r := range rows {
		if r.family != "rounded" {
			continue
		}
		f := lines[r.name]
		if f == nil {
			return "", fmt.Errorf("%s: rounded.txt has no line for it: run go run ./internal/accuracy -rounded -only '^%[1]s' -state ''", r.name)
		}
		number := f[2]
		if f[3] == "pairs," {
			number += " pairs"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s %% |\n", f[0], number, f[6], f[8], f[14])
	}
	return b.String(), nil
}

// checkWithin returns an error if the error that internal/accuracy found is
// larger than the comment of the function promises.
func checkWithin(found, promised string) error {
	if found == "" {
		return nil
	}
	f, err := strconv.ParseFloat(found, 64)
	if err != nil {
		return err
	}
	p, err := strconv.ParseFloat(promised, 64)
	if err == nil && f > p {
		err = fmt.Errorf("the comment promises %s ulp, %s were found", promised, found)
	}
	return err
}
