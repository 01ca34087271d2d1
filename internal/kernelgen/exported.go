package main

import (
	"fmt"
	"slices"
	"strings"
)

// exported writes the function or method that users call, whose comment stands above
// the generic body: what has none there is written by hand.
func (k *kernel) exported(b *strings.Builder, sig signature) error {
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

// onSlices writes a function on slices, which is a few comparisons and a call.
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
	fmt.Fprintf(b, "\n%s\n//\n//go:noinline\nfunc %s[T Float]%s {\n\tswitch {\n\tcase %s:\n", sig.doc, k.cut, sig.text(element{typ: "T"}), strings.Join(slow, " || "))
	fmt.Fprintf(b, "\t\t%sPieces%s\n\tcase single[T]():\n\t\t%s32(%s)\n\tdefault:\n\t\t%s64(%s)\n\t}\n}\n", k.name, sig.args(), k.name, sig.as("32"), k.name, sig.as("64"))
}

// onViews writes a method, which Go inlines, and what it calls: that checks operands,
// cuts them into pieces and chooses the type. The first operand is the receiver.
func (k *kernel) onViews(b *strings.Builder, sig signature) {
	_, name, _ := strings.Cut(k.method, ".")
	inner := strings.ToLower(name[:1]) + name[1:]
	recv := sig.params[0]
	rest := signature{params: sig.params[1:]}
	public, given := signature{params: slices.Clone(rest.params)}, slices.Clone(rest.params)
	for i, p := range rest.params {
		if elem, ok := strings.CutPrefix(p.typ, "*["); ok { // arrays are given by value
			public.params[i].typ, given[i].name = "["+elem, "&"+p.name
		}
	}
	fmt.Fprintf(b, "\n%s\nfunc (%s %s) %s%s %s {\n", sig.doc, recv.name, recv.typ, name, public.text(element{typ: "T"}), recv.typ)
	fmt.Fprintf(b, "\t%s.%s%s\n\treturn %s\n}\n", recv.name, inner, signature{params: given}.args(), recv.name)

	fmt.Fprintf(b, "\n//go:noinline\nfunc (%s %s) %s%s {\n\tn := %s.Len()\n", recv.name, recv.typ, inner, rest.text(element{typ: "T"}), recv.name)
	k.checks(b, sig)
	k.parts(b, sig, recv.name, inner)
	b.WriteString("\tif single[T]() {\n")
	fmt.Fprintf(b, "\t\t%s32(%s)\n\t} else {\n\t\t%s64(%s)\n\t}\n}\n", k.name, sig.as("32"), k.name, sig.as("64"))
}

// views are the operands that have rows.
func (s signature) views() (list []param) {
	for _, p := range s.params {
		if strings.HasPrefix(p.typ, "*") && strings.HasSuffix(p.typ, "s[T]") {
			list = append(list, p)
		}
	}
	return list
}

// checks writes what holds of operands on views.
func (k *kernel) checks(b *strings.Builder, sig signature) {
	var differ, spans []string
	for i, p := range sig.views() {
		switch {
		case p.typ != "*Mat4s[T]":
			differ = append(differ, "!"+p.name+".has(n)")
		case i > 0: // matrices are one lane
			differ = append(differ, p.name+".Len() != n")
		}
		spans = append(spans, fmt.Sprintf("%s.spans(%q)", p.name, p.name))
	}
	list := strings.Join(spans, ", ")
	fmt.Fprintf(b, "\tif %s {\n\t\tpanic(lengths(%q, %s))\n\t}\n", strings.Join(differ, " || "), k.method, list)
	fmt.Fprintf(b, "\tif checked {\n\t\tinspect(%q, %s)\n\t}\n", k.method, list)
}

// parts writes the loop over pieces: variables of its own, for one that is assigned in a
// loop and whose address is taken would move to the heap.
func (k *kernel) parts(b *strings.Builder, sig signature, recv, inner string) {
	b.WriteString("\tif n > piece {\n")
	of := map[string][]string{}
	var types, to, from, args []string
	for _, p := range sig.params {
		if !slices.Contains(sig.views(), p) {
			args = append(args, p.name)
			continue
		}
		part := p.name + "Part"
		if of[p.typ] == nil {
			types = append(types, p.typ)
		}
		of[p.typ] = append(of[p.typ], part)
		to, from, args = append(to, part), append(from, p.name+".Slice(lo, hi)"), append(args, "&"+part)
	}
	for _, t := range types {
		fmt.Fprintf(b, "\t\tvar %s %s\n", strings.Join(of[t], ", "), strings.TrimPrefix(t, "*"))
	}
	b.WriteString("\t\tfor lo := 0; lo < n; lo += piece {\n\t\t\thi := min(lo+piece, n)\n")
	fmt.Fprintf(b, "\t\t\t%s = %s\n", strings.Join(to, ", "), strings.Join(from, ", "))
	fmt.Fprintf(b, "\t\t\t%sPart.%s(%s)\n\t\t}\n\t\treturn\n\t}\n", recv, inner, strings.Join(args[1:], ", "))
}

// slices are the operands that are slices, and those with the rows of the first.
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

// as is the arguments as those of one type.
func (s signature) as(bits string) string {
	var args []string
	for _, p := range s.params {
		elem, pointer := strings.CutPrefix(p.typ, "*")
		switch {
		case p.typ == "[]T":
			args = append(args, "f"+bits+"("+p.name+")")
		case p.typ == "T":
			args = append(args, "float"+bits+"("+p.name+")")
		case pointer:
			args = append(args, fmt.Sprintf("as[%s](%s)", element{typ: "float" + bits}.of(elem), p.name))
		default:
			args = append(args, p.name)
		}
	}
	return strings.Join(args, ", ")
}
