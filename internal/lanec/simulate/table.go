package simulate

import (
	"math"
	"sync/atomic"
)

// An op is the definition of an instruction.
type op struct {
	scalar    func(c *cpu, o *op, x []operand) // of instructions without vectors; the other fields define an operation element by element
	operands  int                              // number of operands; of vector instructions without the destination
	size      int                              // size of an element of the result
	from      int                              // size of an element of an operand
	each      func(x *[3]uint64, imm uint64) uint64
	immediate bool        // the first operand is an immediate
	one       bool        // it works only on the first element
	spread    bool        // the operand is one element (broadcast)
	choose    bool        // the mask selects the operand of each element
	old       bool        // the destination is an operand too
	gather    bool        // an element is in memory at an index whose size is from
	ran       atomic.Bool // as in function
}

// table contains all instructions that lanec may write for AVX-512.
var table = instructions()

func instructions() map[string]*op {
	t := map[string]*op{
		"JMP": jump(func(*cpu) bool { return true }),
		"JEQ": jump(func(c *cpu) bool { return c.zero }),
		"JNE": jump(func(c *cpu) bool { return !c.zero }),
		"JLT": jump(func(c *cpu) bool { return c.less }),
		"JLE": jump(func(c *cpu) bool { return c.less || c.zero }),
		"JGE": jump(func(c *cpu) bool { return !c.less }),
		"JGT": jump(func(c *cpu) bool { return !c.less && !c.zero }),

		"RET":        {scalar: func(c *cpu, _ *op, _ []operand) { c.leave(); c.ended = true }},
		"CALL":       {operands: 1, scalar: func(c *cpu, _ *op, _ []operand) { c.yield() }},
		"VZEROUPPER": {scalar: clearUpper},
		"LEAQ":       {operands: 2, size: 8, scalar: func(c *cpu, o *op, x []operand) { c.put(x[1], o.size, c.address(&x[0])) }},
		"BZHIL":      {operands: 3, size: 4, scalar: keep},
		"SHLL":       {operands: 2, size: 4, scalar: shiftLeft},
		"SHLQ":       {operands: 2, size: 8, scalar: shiftLeft},
		"SHRQ":       {operands: 2, size: 8, scalar: shiftRight},

		"KMOVW":    move(2),
		"KANDW":    masked(3, 2, func(a, b uint64) uint64 { return a & b }),
		"KANDNW":   masked(3, 2, func(a, b uint64) uint64 { return ^a & b }),
		"KORW":     masked(3, 2, func(a, b uint64) uint64 { return a | b }),
		"KXORW":    masked(3, 2, func(a, b uint64) uint64 { return a ^ b }),
		"KXNORW":   masked(3, 2, func(a, b uint64) uint64 { return ^(a ^ b) }),
		"KNOTW":    masked(2, 2, func(a, _ uint64) uint64 { return ^a }),
		"KORTESTW": ask(2),
		"KORTESTB": ask(1),

		"VGATHERDPS": {operands: 1, size: 4, from: 4, gather: true},
		"VGATHERQPS": {operands: 1, size: 4, from: 8, gather: true},
		"VGATHERQPD": {operands: 1, size: 8, from: 8, gather: true},

		"VPTERNLOGD": {operands: 2, size: 4, from: 4, immediate: true, old: true, each: ternary},
	}
	t["INCQ"] = step(8, 1)
	t["DECQ"] = step(8, -1)
	addScalars(t, "L", 4)
	addScalars(t, "Q", 8)
	addMoves(t, 4, "S", "D", "VPMOVD2M", "VPMOVM2D")
	addMoves(t, 8, "D", "Q", "VPMOVQ2M", "VPMOVM2Q")
	addFloats(t)
	addIntegers(t, "D", 4)
	addIntegers(t, "Q", 8)
	addConversions(t)
	return t
}

// addScalars adds the instructions on general registers of one width.
func addScalars(t map[string]*op, letter string, bytes int) {
	sum := func(a, b int64) int64 { return a + b }
	difference := func(a, b int64) int64 { return a - b }
	and := func(a, b int64) int64 { return a & b }
	t["MOV"+letter] = move(bytes)
	t["ADD"+letter] = arith(bytes, sum, sumBeyond)
	t["SUB"+letter] = arith(bytes, difference, differenceBeyond)
	t["AND"+letter] = arith(bytes, and, never)
	t["OR"+letter] = arith(bytes, func(a, b int64) int64 { return a | b }, never)
	t["XOR"+letter] = arith(bytes, func(a, b int64) int64 { return a ^ b }, never)
	t["CMP"+letter] = compare(bytes, difference, differenceBeyond)
	t["TEST"+letter] = compare(bytes, and, never)
}

// addMoves adds the instructions that move elements without changing them.
func addMoves(t map[string]*op, size int, float, whole, toMask, toVector string) {
	t["VMOVUP"+float] = &op{operands: 1, size: size, from: size}
	t["VMOVAP"+float] = &op{operands: 1, size: size, from: size}
	t["VMOVS"+float] = &op{operands: 1, size: size, from: size, one: true}
	t["VBROADCASTS"+float] = &op{operands: 1, size: size, from: size, spread: true}
	t["VPBROADCAST"+whole] = &op{operands: 1, size: size, from: size, spread: true}
	t["VBLENDMP"+float] = &op{operands: 2, size: size, from: size, choose: true}
	t[toMask] = &op{operands: 1, size: size, from: size, each: func(x *[3]uint64, _ uint64) uint64 { return x[0] >> (8*size - 1) }}
	t[toVector] = &op{operands: 1, size: size, from: size, each: func(x *[3]uint64, _ uint64) uint64 { return -x[0] }}
}

// ternary computes each bit of the result by a look-up in a table of eight bits. The index consists of the
// bits of the three operands at the same position.
func ternary(x *[3]uint64, imm uint64) (out uint64) {
	for i := range 32 {
		out |= imm >> (x[0]>>i&1<<2 | x[1]>>i&1<<1 | x[2]>>i&1) & 1 << i
	}
	return out
}

// addIntegers adds the instructions on integers of one width, and on bits.
func addIntegers(t map[string]*op, letter string, size int) {
	two := func(name string, f func(a, b uint64) uint64) {
		t[name+letter] = &op{operands: 2, size: size, from: size, each: func(x *[3]uint64, _ uint64) uint64 { return f(x[0], x[1]) }}
	}
	by := func(name string, f func(a, n uint64) uint64) {
		t[name+letter] = &op{operands: 1, size: size, from: size, immediate: true, each: func(x *[3]uint64, imm uint64) uint64 { return f(x[0], imm) }}
	}
	two("VPADD", func(a, b uint64) uint64 { return a + b })
	two("VPSUB", func(a, b uint64) uint64 { return a - b })
	two("VPAND", func(a, b uint64) uint64 { return a & b })
	two("VPANDN", func(a, b uint64) uint64 { return ^a & b })
	two("VPOR", func(a, b uint64) uint64 { return a | b })
	two("VPXOR", func(a, b uint64) uint64 { return a ^ b })
	two("VPCMPEQ", func(a, b uint64) uint64 { return bit(a == b) })
	two("VPCMPGT", func(a, b uint64) uint64 { return bit(signed(a, size) > signed(b, size)) })
	two("VPSLLV", func(a, n uint64) uint64 { return a << n }) // Go's shifts allow counts beyond the width, as these do
	two("VPSRLV", func(a, n uint64) uint64 { return a >> n })
	by("VPSLL", func(a, n uint64) uint64 { return a << n })
	by("VPSRL", func(a, n uint64) uint64 { return a >> n })
	if size == 4 { // not for 64 bits, because the emitter has no such operation: AVX2 lacks it
		right := func(a, n uint64) uint64 { return uint64(int32(a) >> min(n, 31)) }
		two("VPMULL", func(a, b uint64) uint64 { return a * b })
		two("VPSRAV", right)
		by("VPSRA", right)
	}
}

func bit(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// addConversions adds the instructions that convert between widths and kinds.
func addConversions(t map[string]*op) {
	convert := func(name string, from, size int, f func(x uint64) uint64) {
		t[name] = &op{operands: 1, size: size, from: from, each: func(x *[3]uint64, _ uint64) uint64 { return f(x[0]) }}
	}
	convert("VCVTDQ2PS", 4, 4, func(x uint64) uint64 { return uint64(math.Float32bits(float32(int32(x)))) })
	convert("VCVTDQ2PD", 4, 8, func(x uint64) uint64 { return math.Float64bits(float64(int32(x))) })
	convert("VCVTPS2PD", 4, 8, func(x uint64) uint64 { return math.Float64bits(float64(math.Float32frombits(uint32(x)))) })
	convert("VCVTPD2PS", 8, 4, func(x uint64) uint64 { return uint64(math.Float32bits(float32(math.Float64frombits(x)))) })
	convert("VPMOVZXDQ", 4, 8, func(x uint64) uint64 { return x })
	convert("VPMOVSXDQ", 4, 8, func(x uint64) uint64 { return uint64(signed(x, 4)) })
	convert("VPMOVQD", 8, 4, func(x uint64) uint64 { return x })
	convert("VCVTTPS2DQ", 4, 4, func(x uint64) uint64 {
		f := float64(math.Float32frombits(uint32(x)))
		if !(f > -1<<31-1 && f < 1<<31) {
			return 1 << 31
		}
		return uint64(uint32(int32(f)))
	})
	t["VPMULUDQ"] = &op{operands: 2, size: 8, from: 8, each: func(x *[3]uint64, _ uint64) uint64 { return cut(x[0], 4) * cut(x[1], 4) }}
}
