package amd64

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/lanewise/lanewise/internal/lanec/ir"
)

// What stands here is for kernels of 64 bits that have elements of 32, too: these stand in the lower half of a register, and
// operations on them name that half. Masks are those of 64 bits all the same.

// mixed says whether a kernel has elements of both widths.
func mixed(k *ir.Kernel) (yes bool) {
	k.Entry.Walk(func(it ir.Item, _ *ir.Region, _ int) {
		v, ok := it.(*ir.Value)
		yes = yes || ok && v.Kind.IsHalf()
	})
	return yes
}

// width is how many bytes an element has that is written about.
func (e *emitter) width() int {
	if e.half {
		return 4
	}
	return e.k.Width
}

var wholes = regexp.MustCompile(`\b[YZ](\d)`)

// Ins writes an instruction, on the lower half of its registers if that is what it works on.
func (e *emitter) Ins(format string, args ...any) {
	if !e.half {
		e.Text.Ins(format, args...)
		return
	}
	line, comment, has := strings.Cut(fmt.Sprintf(format, args...), " // ")
	if line = wholes.ReplaceAllString(line, e.path.lower+"$1"); has {
		line += " // " + comment
	}
	e.Text.Ins("%s", line)
}

// lower is the name of the lower half of a register.
func (e *emitter) lower(register string) string {
	return wholes.ReplaceAllString(register, e.path.lower+"$1")
}

// narrowed makes the mask in a register of AVX2 one for elements of 32 bits, in spare, which may be the same. other is overwritten.
func (e *avx2) narrowed(mask, spare, other string) {
	e.Text.Ins("VEXTRACTF128 $1, %s, %s", mask, e.lower(other))
	e.Text.Ins("VSHUFPS $0x88, %s, %s, %s", e.lower(other), e.lower(mask), e.lower(spare))
}

// compares32 compares elements of 32 bits, for a mask of 64.
func (e *avx2) compares32(v *ir.Value, dst string) {
	e.half = true
	e.compute(v, "Y15")
	e.half = false
	e.Ins("VPMOVSXDQ X15, %s", dst)
}

// other is whether an operation is on elements of half the width whose result is none of them.
func other(v *ir.Value) bool {
	return v.Kind == ir.Mask && len(v.Args) == 2 && v.Args[0].Kind.IsHalf()
}

// convert writes an operation between both widths.
func (e *avx2) convert(v *ir.Value, dst string) {
	e.between(v, dst, "Y15", "VCVTPD2PSY", func(x string) { e.narrowed(x, dst, "Y14") })
}

// convert writes an operation between both widths.
func (e *avx512) convert(v *ir.Value, dst string) {
	e.between(v, dst, "Z31", "VCVTPD2PS", func(x string) { e.Ins("VPMOVQD %s, %s", x, e.lower(dst)) })
}

// between writes an operation between both widths: spare is a register for what is in none, half the instruction that makes floats
// of 32 bits, and integers makes integers of 32 of those in a register.
func (e *emitter) between(v *ir.Value, dst, spare, half string, integers func(x string)) {
	defer func(was bool) { e.half = was }(e.half)
	e.half = false
	x := e.reg(v.Args[0], spare)
	switch a := v.Args[0].Kind; {
	case v.Op == ir.ToFloat:
		e.Ins("VCVTDQ2PD %s, %s", e.lower(x), dst)
	case v.Op == ir.Widen && a.Base() == ir.Float:
		e.Ins("VCVTPS2PD %s, %s", e.lower(x), dst)
	case v.Op == ir.Widen && a.Base() == ir.Uint:
		e.Ins("VPMOVZXDQ %s, %s", e.lower(x), dst)
	case v.Op == ir.Widen:
		e.Ins("VPMOVSXDQ %s, %s", e.lower(x), dst)
	case a == ir.Float:
		e.Ins(half+" %s, %s", x, e.lower(dst))
	default:
		integers(x)
	}
}
