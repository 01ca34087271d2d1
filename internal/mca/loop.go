package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A loop holds the instructions of one iteration, in the form that llvm-objdump prints.
type loop []string

// String returns the loop as input for llvm-mca, which parses branches but does
// not follow them.
func (l loop) String() string {
	var b strings.Builder
	for _, text := range l {
		b.WriteString(target.ReplaceAllString(text, ".-4") + "\n")
	}
	return b.String()
}

var (
	header      = regexp.MustCompile(`^[0-9a-f]+ <(.+)>:$`)
	instruction = regexp.MustCompile(`^ *([0-9a-f]+):\s+(.+)$`)
	target      = regexp.MustCompile(`0x([0-9a-f]+) <.*>$`)
	store       = regexp.MustCompile(`^st(?:u?r|n?p|[1-4]) (.*?), \[x`)
	load        = regexp.MustCompile(`^ld(?:u?r|n?p|[1-4]) (.*?), \[x`)
	register    = regexp.MustCompile(`\b(?:([sdq])\d+|v\d+\.(\d*)([sdb]))\b`)
)

// A function holds the instructions of a function with their addresses.
type function struct {
	at   []uint64
	text []string
}

// splitFunctions divides the output of llvm-objdump by symbol.
func splitFunctions(text string) map[string]*function {
	all := map[string]*function{}
	var f *function
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if m := header.FindStringSubmatch(line); m != nil {
			f = &function{}
			all[m[1]] = f
		} else if m := instruction.FindStringSubmatch(line); m != nil && f != nil {
			f.at = append(f.at, parseAddress(m[1]))
			f.text = append(f.text, strings.ReplaceAll(m[2], "\t", " "))
		}
	}
	return all
}

// parseAddress parses hexadecimal digits. It cannot fail, because a pattern has
// matched the digits.
func parseAddress(digits string) uint64 {
	n, err := strconv.ParseUint(digits, 16, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// widest returns the loop that moves the most bytes in an iteration, or nil if
// there is none. If several loops move the same number of bytes, widest returns
// the first of them. A loop is the code between a branch and its target, if
// the target is before the branch and there is no inner loop.
func (f *function) widest(bytes func(loop) int) loop {
	var best loop
	inner := 0 // index at which the last loop begins
	for i, text := range f.text {
		m := target.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		head, found := slices.BinarySearch(f.at[:i], parseAddress(m[1]))
		if !found || head < inner {
			continue
		}
		inner = head + 1
		if l := loop(f.text[head : i+1]); bytes(l) > bytes(best) {
			best = l
		}
	}
	return best
}

// storedBytes returns how many bytes one iteration stores from vector registers.
// Spills to the stack do not count.
func (l loop) storedBytes() int { return l.moved(store) }

// loadedBytes returns how many bytes one iteration loads into vector registers.
func (l loop) loadedBytes() int { return l.moved(load) }

func (l loop) moved(by *regexp.Regexp) int {
	width := map[string]int{"s": 4, "d": 8, "q": 16, "b": 1}
	n := 0
	for _, text := range l {
		m := by.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		for _, r := range register.FindAllStringSubmatch(m[1], -1) {
			elements, err := strconv.Atoi(r[2])
			if err != nil {
				elements = 1 // a scalar register or one element of a vector
			}
			n += elements * width[r[1]+r[3]]
		}
	}
	return n
}
