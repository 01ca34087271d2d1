package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A loop is the instructions of one turn, as llvm-objdump spells them.
type loop []string

// String gives the loop as input for llvm-mca, which wants to read branches but
// does not follow them.
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

// A function is its instructions, each with its address.
type function struct {
	at   []uint64
	text []string
}

// functions splits what llvm-objdump prints by symbol.
func functions(text string) map[string]*function {
	all := map[string]*function{}
	var f *function
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if m := header.FindStringSubmatch(line); m != nil {
			f = &function{}
			all[m[1]] = f
		} else if m := instruction.FindStringSubmatch(line); m != nil && f != nil {
			f.at = append(f.at, address(m[1]))
			f.text = append(f.text, strings.ReplaceAll(m[2], "\t", " "))
		}
	}
	return all
}

// address reads hexadecimal digits that a pattern has matched.
func address(digits string) uint64 {
	n, err := strconv.ParseUint(digits, 16, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// widest gives the loop that moves most in one turn, nil if there is none; of
// several the first. A loop is what lies between a branch and its target before it,
// without another loop inside.
func (f *function) widest(bytes func(loop) int) loop {
	var best loop
	inner := 0 // where the last loop begins
	for i, text := range f.text {
		m := target.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		head, found := slices.BinarySearch(f.at[:i], address(m[1]))
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

// stored counts the bytes that one turn writes from vector registers, except for what
// it spills to the stack.
func (l loop) stored() int { return l.moved(store) }

// loaded counts those that it reads into them.
func (l loop) loaded() int { return l.moved(load) }

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
