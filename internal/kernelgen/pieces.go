package main

import (
	"fmt"
	"strings"
)

// pieces returns the Go file with the code that all architectures share: the
// exported functions and methods, and the slow path of kernels on slices. A
// kernel on slices takes the slow path if a slice is longer than a piece, a
// length is wrong or the build checks operands. So the exported function has
// only a few comparisons and a call, and Go inlines it.
func (f *family) pieces(known map[string]signature) (string, error) {
	var b strings.Builder
	for i := range f.kernels {
		k := &f.kernels[i]
		if err := k.writeExported(&b, known[k.name+"Generic"]); err != nil {
			return "", err
		}
		if k.cut != "" {
			k.pieces(&b, known[k.name+"Generic"])
		}
	}
	if b.Len() == 0 {
		return "", nil
	}
	return header + "\npackage kernels\n" + b.String(), nil
}

func (k *kernel) pieces(b *strings.Builder, sig signature) {
	if sig.single {
		fmt.Fprintf(b, "\nfunc %sPieces%s {\n", k.name, sig.text(elements[0]))
	} else {
		fmt.Fprintf(b, "\nfunc %sPieces[T Float]%s {\n", k.name, sig.text(element{typ: "T"}))
	}
	all, same := sig.slices()
	var differ, lengths, lanes, rest []string
	for _, p := range same {
		lengths = append(lengths, "len("+p+")")
		if p != same[0] {
			differ = append(differ, fmt.Sprintf("len(%s) != len(%s)", p, same[0]))
		}
	}
	if len(differ) > 0 {
		fmt.Fprintf(b, "\tif %s {\n\t\tpanic(differ(%q, %q, %s))\n\t}\n", strings.Join(differ, " || "), k.cut, strings.Join(same, " "), strings.Join(lengths, ", "))
	}
	if all[0] == "mask" {
		fmt.Fprintf(b, "\tif len(mask) != MaskLen(len(x)) {\n\t\tpanic(maskLength(%q, len(mask), \"x\", len(x)))\n\t}\n", k.cut)
	}
	for _, p := range all {
		lanes = append(lanes, fmt.Sprintf("lane(%q, %s)", p, p))
		rest = append(rest, cut(p, "n", ""))
	}
	fmt.Fprintf(b, "\tif checked {\n\t\tinspect(%q, %s)\n\t}\n", k.cut, strings.Join(lanes, ", "))
	fmt.Fprintf(b, "\tfor len(x) > 0 {\n\t\tn := min(piece, len(x))\n")
	if sig.single {
		fmt.Fprintf(b, "\t\t%s32(%s)\n\t\t%s = %s\n\t}\n}\n", k.name, sig.piece(""), strings.Join(all, ", "), strings.Join(rest, ", "))
		return
	}
	fmt.Fprintf(b, "\t\tif single[T]() {\n\t\t\t%s32(%s)\n\t\t} else {\n\t\t\t%s64(%s)\n\t\t}\n", k.name, sig.piece("32"), k.name, sig.piece("64"))
	fmt.Fprintf(b, "\t\t%s = %s\n\t}\n}\n", strings.Join(all, ", "), strings.Join(rest, ", "))
}

// piece returns the arguments for one piece. They are converted to the float type with the given number of bits, or
// not converted if bits is empty.
func (s signature) piece(bits string) string {
	var args []string
	for _, p := range s.params {
		switch {
		case bits == "" && strings.HasPrefix(p.typ, "[]"):
			args = append(args, cut(p.name, "", "n"))
		case bits == "":
			args = append(args, p.name)
		case p.typ == "[]T":
			args = append(args, "f"+bits+"("+cut(p.name, "", "n")+")")
		case p.typ == "T":
			args = append(args, "float"+bits+"("+p.name+")")
		default:
			args = append(args, cut(p.name, "", "n"))
		}
	}
	return strings.Join(args, ", ")
}

// cut returns the expression for some rows of an operand.
func cut(lane, from, to string) string {
	if lane != "mask" {
		return fmt.Sprintf("%s[%s:%s]", lane, from, to)
	}
	return strings.ReplaceAll(fmt.Sprintf("mask[%s:%s]", from, to), "n", "MaskLen(n)")
}
