package main

import (
	"fmt"
	"strings"
)

// choice returns the Go file of one architecture: declarations of the bodies,
// and the functions that choose one. Without assembly (arch is empty) they have
// no choice.
func choice(arch string) string {
	var b strings.Builder
	b.WriteString(header)
	if arch == "" {
		b.WriteString("\n//go:build purego || !(amd64 || arm64)\n")
	} else {
		fmt.Fprintf(&b, "\n//go:build %s && !purego\n", arch)
	}
	b.WriteString("\npackage kernels\n")
	if arch == "" {
		b.WriteString("\n// As in slices_noasm.go, these are not inlined.\n")
	}
	for _, k := range table {
		for _, e := range elements {
			bodies := k.bodies(arch, e)
			for _, body := range bodies {
				fmt.Fprintf(&b, "\n//go:noescape\nfunc %s%s(%s)\n", k.name, body.name, k.params(e))
			}
			if len(bodies) == 0 {
				fmt.Fprintf(&b, "\n//go:noinline\nfunc %s%s(%s) { %sGeneric(%s) }\n", k.name, e.bits, k.params(e), k.name, k.args(e))
				continue
			}
			fmt.Fprintf(&b, "\nfunc %s%s(%s) {\n", k.name, e.bits, k.params(e))
			b.WriteString("\tswitch path {\n")
			for _, body := range bodies {
				fmt.Fprintf(&b, "\tcase %s:\n\t\t%s%s(%s)\n", body.paths, k.name, body.name, k.args(e))
			}
			fmt.Fprintf(&b, "\tdefault:\n\t\t%sGeneric(%s)\n\t}\n}\n", k.name, k.args(e))
		}
	}
	return b.String()
}

// A body is the end of the name of a function in assembly, and the paths that
// take it.
type body struct{ name, paths string }

func (k *kernel) bodies(arch string, e element) []body {
	switch {
	case arch == "":
		return nil
	case arch == "arm64":
		return []body{{e.name + "NEON", "neon"}}
	case k.wide:
		return []body{{e.name + "AVX512", "avx512"}, {e.name + "AVX2", "avx2"}}
	}
	return []body{{e.name + "AVX2", "avx512, avx2"}}
}

// pieces returns the Go file of what is the same for all architectures: the slow
// way into a kernel. The exported functions take it where a slice is longer than
// a piece, a length is wrong or the build checks operands; what is left of them is
// a few comparisons and a call.
func pieces() string {
	var b strings.Builder
	b.WriteString(header)
	b.WriteString("\npackage kernels\n")
	for _, k := range table {
		k.pieces(&b)
	}
	return b.String()
}

func (k *kernel) pieces(b *strings.Builder) {
	typ := element{typ: "T"}
	dst, _ := k.dst(typ)
	exported := strings.ToUpper(k.name[:1]) + k.name[1:]

	fmt.Fprintf(b, "\nfunc %sPieces[T Float](%s) {\n", k.name, k.params(typ))
	same := k.lanes // all have the rows of the first
	if !k.compare {
		same = append([]string{dst}, k.lanes...)
	}
	var differ, lengths, lanes []string
	for _, p := range same {
		lengths = append(lengths, "len("+p+")")
		if p != same[0] {
			differ = append(differ, fmt.Sprintf("len(%s) != len(%s)", p, same[0]))
		}
	}
	if len(differ) > 0 {
		fmt.Fprintf(b, "\tif %s {\n\t\tpanic(differ(%q, %q, %s))\n\t}\n", strings.Join(differ, " || "), exported, strings.Join(same, " "), strings.Join(lengths, ", "))
	}
	if k.compare {
		fmt.Fprintf(b, "\tif len(mask) != MaskLen(len(x)) {\n\t\tpanic(maskLength(%q, len(mask), \"x\", len(x)))\n\t}\n", exported)
	}
	for _, p := range append([]string{dst}, k.lanes...) {
		lanes = append(lanes, fmt.Sprintf("lane(%q, %s)", p, p))
	}
	fmt.Fprintf(b, "\tif checked {\n\t\tinspect(%q, %s)\n\t}\n", exported, strings.Join(lanes, ", "))

	all := append([]string{dst}, k.lanes...)
	cut := func(lane, from, to string) string { // the rows of an operand
		if lane != "mask" {
			return fmt.Sprintf("%s[%s:%s]", lane, from, to)
		}
		return strings.ReplaceAll(fmt.Sprintf("mask[%s:%s]", from, to), "n", "MaskLen(n)")
	}
	typed := func(bits string) string { // the arguments of one piece
		var args []string
		for _, p := range all {
			if p == "mask" {
				args = append(args, cut(p, "", "n"))
			} else {
				args = append(args, "f"+bits+"("+cut(p, "", "n")+")")
			}
		}
		for _, s := range k.scalars {
			args = append(args, "float"+bits+"("+s+")")
		}
		return strings.Join(args, ", ")
	}
	var rest []string
	for _, p := range all {
		rest = append(rest, cut(p, "n", ""))
	}
	fmt.Fprintf(b, "\tfor len(x) > 0 {\n\t\tn := min(piece, len(x))\n\t\tif single[T]() {\n")
	fmt.Fprintf(b, "\t\t\t%s32(%s)\n\t\t} else {\n\t\t\t%s64(%s)\n\t\t}\n", k.name, typed("32"), k.name, typed("64"))
	fmt.Fprintf(b, "\t\t%s = %s\n\t}\n}\n", strings.Join(all, ", "), strings.Join(rest, ", "))
}
