package main

import (
	"fmt"
	"slices"
	"strings"
)

// writeExported writes the exported function or method of a kernel, with the comment of
// the generic body. If the comment does not begin with the name of the exported
// function, this function is hand-written, and writeExported writes nothing.
func (k *kernel) writeExported(b *strings.Builder, sig signature) error {
	switch {
	case k.method != "" && sig.doc == "":
		return fmt.Errorf("%sGeneric has no comment for %s", k.name, k.method)
	case k.method != "":
		k.onViews(b, sig)
	case k.cut != "" && strings.HasPrefix(sig.doc, "// "+k.cut+" "):
		k.onSlices(b, sig)
	}
	return nil
}

// onSlices writes a function on slices. The function consists of a few comparisons and a call.
func (k *kernel) onSlices(b *strings.Builder, sig signature) {
	_, same := sig.slices()
	rows := "len(" + same[0] + ")"
	slow := []string{"checked", rows + " > piece"}
	for _, p := range same[1:] {
		slow = append(slow, fmt.Sprintf("len(%s) != %s", p, rows))
	}
	for _, p := range sig.params {
		if p.name == "mask" {
			slow = append(slow, "len(mask) != MaskLen("+rows+")")
		}
	}
	if sig.single {
		fmt.Fprintf(b, "\n%s\nfunc %s%s {\n\tif %s {\n", sig.doc, k.cut, sig.text(elements[0]), strings.Join(slow, " || "))
		fmt.Fprintf(b, "\t\t%sPieces%s\n\t\treturn\n\t}\n\t%s32%s\n}\n", k.name, sig.args(), k.name, sig.args())
		return
	}
	fmt.Fprintf(b, "\n%s\n//\n//go:noinline\nfunc %s[T Float]%s {\n\tswitch {\n\tcase %s:\n", sig.doc, k.cut, sig.text(element{typ: "T"}), strings.Join(slow, " || "))
	fmt.Fprintf(b, "\t\t%sPieces%s\n\tcase single[T]():\n\t\t%s32(%s)\n\tdefault:\n\t\t%s64(%s)\n\t}\n}\n", k.name, sig.args(), k.name, sig.argsAs("32"), k.name, sig.argsAs("64"))
}

// onViews writes a method and its front. The front is a function that checks the operands, divides
// them into pieces and chooses the path. The front has separate code for each type, because a call
// of a generic function would take one nanosecond more. The first operand is the receiver.
func (k *kernel) onViews(b *strings.Builder, sig signature) {
	_, name, _ := strings.Cut(k.method, ".")
	recv := sig.params[0]
	public := signature{params: slices.Clone(sig.params[1:])}
	give := []string{"address(" + recv.name + ")"}
	for i, p := range public.params {
		give = append(give, p.give())
		if elem, ok := strings.CutPrefix(p.typ, "*["); ok { // arrays are given by value
			public.params[i].typ = "[" + elem
		}
	}
	fmt.Fprintf(b, "\n%s\nfunc (%s %s) %s%s %s {\n", sig.doc, recv.name, recv.typ, name, public.text(element{typ: "T"}), recv.typ)
	fmt.Fprintf(b, "\t%sFront(single[T](), %s)\n\treturn %s\n}\n", k.name, strings.Join(give, ", "), recv.name)

	fmt.Fprintf(b, "\n//go:noinline\nfunc %sFront(single bool, %s {\n\tif single {\n", k.name, sig.addresses())
	k.branch(b, sig, elements[0])
	b.WriteString("\t} else {\n")
	k.branch(b, sig, elements[1])
	b.WriteString("\t}\n}\n")
}

// branch writes the part of a front that is for one element type.
func (k *kernel) branch(b *strings.Builder, sig signature, e element) {
	names := strings.Trim(sig.args(), "()")
	fmt.Fprintf(b, "\t\t%s := %s\n\t\tn := %s.Len()\n", names, sig.views(e), sig.params[0].name)
	k.writeChecks(b, sig)
	k.writeParts(b, sig, e)
	fmt.Fprintf(b, "\t\t%s%s(%s)\n", k.name, e.bits, names)
}

// columns returns the operands that have rows.
func (s signature) columns() (list []param) {
	for _, p := range s.params {
		if strings.HasPrefix(p.typ, "*") && strings.HasSuffix(p.typ, "s[T]") {
			list = append(list, p)
		}
	}
	return list
}

// prefix returns the beginning of the names of functions on a view. For example, it is quat for Quats.
func prefix(typ string) string {
	return strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(typ, "*"), "s[T]"))
}

// writeChecks writes the checks of operands on views.
func (k *kernel) writeChecks(b *strings.Builder, sig signature) {
	var differ, spans []string
	for i, p := range sig.columns() {
		switch {
		case p.typ != "*Mat4s[T]":
			differ = append(differ, fmt.Sprintf("!%sHas(%s, n)", prefix(p.typ), p.name))
		case i > 0: // matrices are one lane
			differ = append(differ, p.name+".Len() != n")
		}
		spans = append(spans, fmt.Sprintf("%sSpans(%s, %q)", prefix(p.typ), p.name, p.name))
	}
	list := strings.Join(spans, ", ")
	fmt.Fprintf(b, "\t\tif %s {\n\t\t\tpanic(lengths(%q, %s))\n\t\t}\n", strings.Join(differ, " || "), k.method, list)
	fmt.Fprintf(b, "\t\tif checked {\n\t\t\tinspect(%q, %s)\n\t\t}\n", k.method, list)
}

// writeParts writes the loop over pieces. The variables for the pieces are declared before the loop,
// because their addresses are taken, so that variables inside the loop would be allocated on the heap.
func (k *kernel) writeParts(b *strings.Builder, sig signature, e element) {
	b.WriteString("\t\tif n > piece {\n")
	of := map[string][]string{}
	var types, to, from []string
	args := []string{fmt.Sprint(e.bits == "32")}
	for _, p := range sig.params {
		if !slices.Contains(sig.columns(), p) {
			if p.typ == "T" {
				args = append(args, "float64("+p.name+")")
			} else {
				args = append(args, "address("+p.name+")")
			}
			continue
		}
		part := p.name + "Part"
		if of[p.typ] == nil {
			types = append(types, p.typ)
		}
		of[p.typ] = append(of[p.typ], part)
		to, from, args = append(to, part), append(from, p.name+".Slice(lo, hi)"), append(args, "address(&"+part+")")
	}
	for _, t := range types {
		fmt.Fprintf(b, "\t\t\tvar %s %s\n", strings.Join(of[t], ", "), e.replaceT(strings.TrimPrefix(t, "*")))
	}
	b.WriteString("\t\t\tfor lo := 0; lo < n; lo += piece {\n\t\t\t\thi := min(lo+piece, n)\n")
	fmt.Fprintf(b, "\t\t\t\t%s = %s\n", strings.Join(to, ", "), strings.Join(from, ", "))
	fmt.Fprintf(b, "\t\t\t\t%sFront(%s)\n\t\t\t}\n\t\t\treturn\n\t\t}\n", k.name, strings.Join(args, ", "))
}

// slices returns the operands that are slices. It also returns those slices
// whose length must equal the length of the first one.
func (s signature) slices() (all, same []string) {
	for _, p := range s.params {
		if strings.HasPrefix(p.typ, "[]") {
			all = append(all, p.name)
		}
		if p.typ == "[]T" {
			same = append(same, p.name)
		}
	}
	return all, same
}

// argsAs returns the parameters as arguments of a call, with the conversions to one element type.
func (s signature) argsAs(bits string) string {
	var args []string
	for _, p := range s.params {
		elem, pointer := strings.CutPrefix(p.typ, "*")
		switch {
		case p.typ == "[]T":
			args = append(args, "f"+bits+"("+p.name+")")
		case p.typ == "T":
			args = append(args, "float"+bits+"("+p.name+")")
		case pointer:
			args = append(args, fmt.Sprintf("as[%s](%s)", element{typ: "float" + bits}.replaceT(elem), p.name))
		default:
			args = append(args, p.name)
		}
	}
	return strings.Join(args, ", ")
}
