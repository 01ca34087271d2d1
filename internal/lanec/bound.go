package lanec

import (
	"fmt"
	"regexp"
	"strings"
)

// A unit is a part of a core that executes one kind of instruction, with a fixed number
// of instructions per cycle. The numbers are those of the widest current cores, so that
// the bound holds for every CPU.
type unit struct {
	name     string
	in, at64 float64        // capacity in a cycle; at64 is that of AVX-512, whose vectors take two parts of a unit
	of       *regexp.Regexp // the instructions
}

// units lists the units of x86 and of arm64. The last unit of each list executes all
// instructions.
var units = map[bool][]unit{
	false: {
		{"loads", 3, 2, regexp.MustCompile(`^$`)}, // by their operands
		{"stores", 2, 1, regexp.MustCompile(`^$`)},
		{"products", 2, 2, regexp.MustCompile(`^V(MULP|PMUL)`)},
		{"sums", 2, 2, regexp.MustCompile(`^V(ADDP|SUBP|MINP|MAXP|CMPP|ROUNDP|RNDSCALEP|CVT)`)},
		{"shifts and choices", 2, 2, regexp.MustCompile(`^V(PS[LR][LA]|BLENDV|SHUF|PERM|PMOV[SZ]X)`)},
		{"instructions", 8, 8, regexp.MustCompile(`.`)},
	},
	true: {
		{"loads", 3, 0, regexp.MustCompile(`^(FMOVQ|FMOVS|FMOVD|FLDP\w*|VLD1\w*)$`)},
		{"stores", 2, 0, regexp.MustCompile(`^$`)},
		{"vectors", 4, 0, regexp.MustCompile(`^(L|V)[A-Z]`)},
		{"instructions", 8, 0, regexp.MustCompile(`.`)},
	},
}

// slow holds the number of cycles that a vector division or square root takes on the
// fastest CPU, for 32-bit and 64-bit elements.
var slow = map[string][2]float64{
	"AVX2": {3.5, 6.5}, "AVX512": {7, 13}, "NEON": {3, 5},
}

// A bound is the number of cycles for which the busiest unit of a core works on a vector of
// rows, or on an iteration of an inner loop.
type bound struct {
	cycles float64
	unit   string
}

func (b bound) String() string {
	if b.cycles == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %s", b.cycles, b.unit)
}

// boundOf computes the bound of some instructions.
func boundOf(lines []string, path string) (b bound) {
	w := work{path: path, arm: path == "NEON", cycles: map[string]float64{}}
	for _, line := range lines {
		w.line(line)
	}
	for _, u := range append([]unit{{name: "divisions and roots"}}, units[w.arm]...) {
		if w.cycles[u.name] > b.cycles {
			b = bound{w.cycles[u.name], u.name}
		}
	}
	return b
}

// work holds, for each unit, the number of cycles for which instructions keep
// the unit busy. Each instruction counts for every unit that may execute it,
// because only the busiest unit matters.
type work struct {
	path   string
	arm    bool
	cycles map[string]float64
}

// line adds an instruction.
func (w *work) line(line string) {
	op, operands, _ := strings.Cut(strings.TrimSpace(line), " ")
	operands, _, _ = strings.Cut(operands, " // ")
	if divides(op) {
		i := 0
		if strings.HasSuffix(op, "D") || strings.Contains(op, "2D(") {
			i = 1
		}
		w.cycles["divisions and roots"] += slow[w.path][i]
	}
	reads, writes := memoryUse(op, strings.TrimSpace(operands), w.arm)
	if strings.HasPrefix(op, "VGATHER") { // it does a load for each element
		reads = false
		size := 8.0
		if strings.HasPrefix(op, "VGATHERD") {
			size = 4
		}
		w.cycles["loads"] += float64(map[string]float64{"AVX2": 32 / 3.0, "AVX512": 64 / 2.0}[w.path] / size)
	}
	for _, u := range units[w.arm] {
		in := u.in
		if w.path == "AVX512" {
			in = u.at64
		}
		loads := u.name == "loads"
		busy := u.of.MatchString(op) || loads && reads || u.name == "stores" && writes
		if busy && !(w.arm && loads && writes) {
			w.cycles[u.name] += 1 / in
		}
	}
}

func divides(op string) bool { return strings.Contains(op, "DIV") || strings.Contains(op, "SQRT") }

// memoryUse reports whether an instruction reads memory and whether it writes
// memory. In Go's assemblers, the last operand is the operand that is written.
func memoryUse(op, operands string, arm bool) (reads, writes bool) {
	if arm {
		switch {
		case strings.HasPrefix(op, "LLDR"):
			return true, false
		case strings.HasPrefix(op, "LSTR"), strings.HasSuffix(operands, ")") && !strings.Contains(op, "("):
			return false, true
		}
		return false, false
	}
	list := strings.Split(operands, ", ")
	memory := func(s string) bool { return strings.HasSuffix(s, ")") }
	last := list[len(list)-1]
	for _, o := range list[:len(list)-1] {
		reads = reads || memory(o) && !strings.HasPrefix(op, "LEA")
	}
	if writes = memory(last) && strings.Contains(op, "MOV"); !writes {
		reads = reads || memory(last)
	}
	return reads, writes
}
