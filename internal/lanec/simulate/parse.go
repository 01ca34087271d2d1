package simulate

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// A Program is a parsed text.
type Program struct {
	functions map[string]*function
	data      []Segment      // the constants
	symbols   map[string]int // index of each constant
}

// A function is one function of a program.
type function struct {
	name   string
	frame  int // bytes
	body   []instruction
	labels map[string]int // index of the instruction after each label
	ran    atomic.Bool    // set by each run; tests run in parallel, and it is read when all have ended
}

// An instruction is one parsed instruction of a function.
type instruction struct {
	text     string
	line     int
	op       *op
	args     []operand // of instructions on general registers and masks, in their order
	imm      uint64    // from here on for vector instructions only
	sources  []operand // in Intel's order
	mask     int       // number of the mask register; 0: all elements
	to       operand
	zero     bool // zeroing: elements outside of the mask become zero
	embedded bool // broadcast: the memory operand is one element for all
}

// A kind says what an operand is: a number, a register, a memory location or a label.
type kind uint8

const (
	immediate kind = iota + 1
	general
	vector
	mask
	inMemory
	label
)

// An operand is a register, a number or a memory location.
type operand struct {
	kind  kind
	n     int    // number of a register; index of the instruction after a label; base register of memory
	bytes int    // of a vector
	value uint64 // an immediate, or the offset from the base
	index int    // index register, or -1
	along bool   // that is a vector
	scale uint64
}

// These are the numbers of the general registers. The registers that kernels use come first. Then
// come the base of the frame, the base of the arguments, and a register that is always zero.
const (
	stack = iota + 13
	arguments
	nothing
	registers // how many there are
)

var generals = map[string]int{
	"AX": 0, "BX": 1, "CX": 2, "DX": 3, "SI": 4, "DI": 5, "R8": 6, "R9": 7, "R10": 8, "R11": 9, "R12": 10, "R13": 11, "R14": 12,
	"SP": stack, "FP": arguments,
}

var (
	text   = regexp.MustCompile(`^TEXT ·(\w+)\(SB\), \w+, \$(\d+)-8$`)
	data   = regexp.MustCompile(`^DATA (\w+<>)\+(\d+)\(SB\)/8, \$(0x[0-9a-f]+)$`)
	place  = regexp.MustCompile(`^(-?\d+)?\((\w+)\)(?:\((\w+)\*(\d)\))?$`)
	symbol = regexp.MustCompile(`^(\w+<>)(?:\+(\d+))?\(SB\)$`)
	param  = regexp.MustCompile(`^\w+\+(\d+)\(FP\)$`)
	wide   = regexp.MustCompile(`^([XYZ])(\d+)$`)
	masks  = regexp.MustCompile(`^K([0-7])$`)
)

// Parse parses a text. Its constants must come before its functions.
func Parse(source string) (*Program, error) {
	p := &Program{functions: map[string]*function{}, symbols: map[string]int{}}
	var f *function
	n := 0
	for line := range strings.Lines(source) {
		n++
		line, _, _ = strings.Cut(line, "//")
		line = strings.TrimSpace(line)
		err := error(nil)
		switch m := text.FindStringSubmatch(line); {
		case line == "", strings.HasPrefix(line, "GLOBL "), strings.HasPrefix(line, "#include "):
		case m != nil:
			f = &function{name: m[1], frame: number(m[2]), labels: map[string]int{}}
			p.functions[f.name] = f
		case strings.HasPrefix(line, "DATA "):
			err = p.constant(line)
		case f == nil:
			err = fmt.Errorf("no function has begun")
		case strings.HasSuffix(line, ":"):
			f.labels[strings.TrimSuffix(line, ":")] = len(f.body)
		case line == "NO_LOCAL_POINTERS", strings.HasPrefix(line, "PCALIGN "):
		default:
			f.body = append(f.body, instruction{text: line, line: n})
		}
		if err != nil {
			return nil, fmt.Errorf("simulate: line %d: %s: %w", n, line, err)
		}
	}
	for _, f := range p.functions {
		for i := range f.body {
			in := &f.body[i]
			if err := p.instruction(f, in); err != nil {
				return nil, fmt.Errorf("simulate: %s, line %d: %s: %w", f.name, in.line, in.text, err)
			}
		}
	}
	return p, nil
}

func number(s string) int {
	n, _ := strconv.Atoi(s) // no error, because the pattern matches only digits
	return n
}

// constant parses a DATA line, and adds its eight bytes to the constants.
func (p *Program) constant(line string) error {
	m := data.FindStringSubmatch(line)
	if m == nil {
		return fmt.Errorf("no constant")
	}
	at, ok := p.symbols[m[1]]
	if !ok {
		at = len(p.data)
		p.symbols[m[1]] = at
		p.data = append(p.data, Segment{Name: m[1], Fixed: true})
	}
	s := &p.data[at]
	if number(m[2]) != len(s.Bytes) {
		return fmt.Errorf("not behind what stands before it")
	}
	x, err := strconv.ParseUint(m[3], 0, 64)
	s.Bytes = append(s.Bytes, make([]byte, 8)...)
	store(s.Bytes[len(s.Bytes)-8:], x)
	return err
}

// instruction parses one instruction.
func (p *Program) instruction(f *function, in *instruction) error {
	name, rest, _ := strings.Cut(in.text, " ")
	name, suffix, _ := strings.Cut(name, ".")
	switch in.zero, in.embedded = suffix == "Z", suffix == "BCST"; {
	case table[name] == nil:
		return fmt.Errorf("this instruction is unknown")
	case suffix != "" && !in.zero && !in.embedded:
		return fmt.Errorf("this suffix is unknown")
	}
	in.op = table[name]
	for _, s := range strings.FieldsFunc(rest, func(r rune) bool { return r == ',' }) {
		x, err := p.operand(f, strings.TrimSpace(s))
		if err != nil {
			return err
		}
		in.args = append(in.args, x)
	}
	if in.op.scalar != nil {
		if suffix != "" || len(in.args) != in.op.operands {
			return fmt.Errorf("it has %d operands and no suffix", in.op.operands)
		}
		return nil
	}
	return in.arrange()
}

// arrange assigns the operands of a vector instruction. In the text, the order is: the
// immediate, the operands from the last to the first, the mask, and the destination.
func (in *instruction) arrange() error {
	args, o := in.args, in.op
	if o.immediate {
		if len(args) == 0 || args[0].kind != immediate {
			return fmt.Errorf("it has an immediate")
		}
		in.imm, args = args[0].value, args[1:]
	}
	if n := len(args); n == o.operands+2 && args[o.operands].kind == mask && args[o.operands].n > 0 {
		in.mask, args = args[o.operands].n, append(args[:o.operands:o.operands], args[n-1])
	}
	wrong := func(x operand) bool { return x.kind == general || x.kind == label || x.kind == immediate }
	if len(args) != o.operands+1 || slices.ContainsFunc(args, wrong) || o.gather != args[0].along || (in.zero || o.gather || o.choose) && in.mask == 0 {
		return fmt.Errorf("it has other operands")
	}
	in.to = args[o.operands]
	if in.sources = slices.Clone(args[:o.operands]); o.old {
		in.sources = append(in.sources, in.to)
	}
	slices.Reverse(in.sources)
	return nil
}

// operand reads one.
func (p *Program) operand(f *function, s string) (operand, error) {
	if m := wide.FindStringSubmatch(s); m != nil && number(m[2]) < 32 {
		return operand{kind: vector, n: number(m[2]), bytes: map[string]int{"X": 16, "Y": 32, "Z": 64}[m[1]]}, nil
	}
	if m := masks.FindStringSubmatch(s); m != nil {
		return operand{kind: mask, n: number(m[1])}, nil
	}
	if digits, ok := strings.CutPrefix(s, "$"); ok {
		x, err := strconv.ParseInt(digits, 0, 64)
		return operand{kind: immediate, value: uint64(x)}, err
	}
	if n, ok := generals[s]; ok && n < stack {
		return operand{kind: general, n: n}, nil
	}
	if n, ok := f.labels[s]; ok {
		return operand{kind: label, n: n}, nil
	}
	if s == "·lanecYield(SB)" {
		return operand{kind: label, n: -1}, nil
	}
	return p.place(s)
}

// place parses a memory operand.
func (p *Program) place(s string) (operand, error) {
	if m := symbol.FindStringSubmatch(s); m != nil {
		if at, ok := p.symbols[m[1]]; ok {
			return operand{kind: inMemory, n: nothing, value: address(at) + uint64(number(m[2])), index: -1}, nil
		}
	}
	if m := param.FindStringSubmatch(s); m != nil {
		return operand{kind: inMemory, n: arguments, value: uint64(number(m[1])), index: -1}, nil
	}
	m := place.FindStringSubmatch(s)
	if m == nil {
		return operand{}, fmt.Errorf("the operand %s is unknown", s)
	}
	base, known := generals[m[2]]
	x := operand{kind: inMemory, n: base, value: uint64(int64(number(m[1]))), index: -1, scale: uint64(number(m[4]))}
	if v := wide.FindStringSubmatch(m[3]); v != nil {
		x.index, x.along = number(v[2]), true
	} else if m[3] != "" {
		n, ok := generals[m[3]]
		x.index, known = n, known && ok && n < stack
	}
	if !known || base == arguments {
		return x, fmt.Errorf("a register of %s is unknown", s)
	}
	return x, nil
}

// Idle returns the functions and the instructions of the table that have not
// run yet.
func (p *Program) Idle() (functions, instructions []string) {
	for _, name := range slices.Sorted(maps.Keys(p.functions)) {
		if !p.functions[name].ran.Load() {
			functions = append(functions, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if !table[name].ran.Load() {
			instructions = append(instructions, name)
		}
	}
	return functions, instructions
}
