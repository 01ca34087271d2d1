package main

import (
	"fmt"
	"go/format"
	"strings"
)

// A body is an assembly implementation of a kernel for one type. name is the suffix of
// the name of its function, and paths are the paths that use it.
type body struct {
	name  string
	paths []string
}

// bodies returns the assembly bodies of a kernel for one architecture and one type. The
// body with the widest vectors comes first.
func (k *kernel) bodies(arch string, e element) []body {
	switch {
	case arch == "":
		return nil
	case arch == "arm64":
		return []body{{e.name + "NEON", []string{"neon"}}}
	case arch == "wasm":
		if _, ok := k.simd[e.name]; !ok {
			return nil
		}
		return []body{{e.name + "SIMD", []string{"simd"}}}
	case strings.Contains(k.wide, e.bits):
		return []body{{e.name + "AVX512", []string{"avx512"}}, {e.name + "AVX2", []string{"avx2"}}}
	}
	return []body{{e.name + "AVX2", []string{"avx512", "avx2"}}}
}

// choice returns the Go file of one architecture: the declarations of the assembly, and
// the functions that choose a body. If arch is empty, there is no assembly, and these
// functions call the generic body. They must not be inlined: if the compiler inlined
// them when it instantiates a kernel for another package, it would see the generic
// body, and could not prove that operands stay on the stack.
func (f *family) choice(arch string, known map[string]signature) (name, text string, err error) {
	var b strings.Builder
	b.WriteString(header)
	name = f.name + "_noasm_gen.go"
	switch arch {
	case "":
		b.WriteString("\n//go:build purego || !(amd64 || arm64 || " + simdBuild + ")\n")
	case "wasm":
		name = f.name + "_wasm_gen.go"
		b.WriteString("\n//go:build " + simdBuild + " && !purego\n")
	default:
		name = f.name + "_" + arch + "_gen.go"
		fmt.Fprintf(&b, "\n//go:build %s && !purego\n", arch)
	}
	b.WriteString("\npackage kernels\n")
	if arch == "wasm" && f.imports() {
		b.WriteString("\nimport \"simd/archsimd\"\n")
	}
	for i := range f.kernels {
		k := &f.kernels[i]
		if k.except == arch && arch != "" {
			continue
		}
		sig, err := f.signature(k, known)
		if err != nil {
			return "", "", err
		}
		for _, e := range sig.elements() {
			k.chosen(&b, arch, e, sig)
		}
	}
	if f.ops != nil {
		if err := f.take(&b, arch, known); err != nil {
			return "", "", err
		}
	}
	if arch == "wasm" {
		formatted, err := format.Source([]byte(b.String()))
		return name, string(formatted), err
	}
	return name, b.String(), nil
}

// chosen writes the declarations of the bodies of a kernel for one architecture and
// type, and the function that chooses a body.
func (k *kernel) chosen(b *strings.Builder, arch string, e element, assembly signature) {
	if k.done != "" || k.rare {
		assembly.result = "int"
	}
	for _, body := range k.bodies(arch, e) {
		if arch == "wasm" {
			b.WriteString(k.simd[e.name])
			continue
		}
		fmt.Fprintf(b, "\n//go:noescape\nfunc %s%s%s\n", k.name, body.name, assembly.text(e))
	}
	if k.choose == "-" || k.op != "" {
		return
	}
	if k.rare {
		assembly.result = ""
	}
	k.chooser(b, arch, e, assembly)
}

// signature returns the signature of a kernel's assembly.
func (f *family) signature(k *kernel, known map[string]signature) (signature, error) {
	switch {
	case k.sig != "":
		return parse(k.sig)
	case k.op != "":
		s, err := parse(f.ops.sig)
		s.params = s.params[1:]
		return s, err
	}
	s, ok := known[k.name+"Generic"]
	if !ok {
		return s, fmt.Errorf("%s: package kernels has no generic function %sGeneric", k.name, k.name)
	}
	return s, nil
}

// chooser writes the function that chooses a body of a kernel for one type.
func (k *kernel) chooser(b *strings.Builder, arch string, e element, sig signature) {
	name, generic, give := k.name, k.name+"Generic", ""
	if k.choose != "" {
		name = k.choose
	}
	if k.body != "" {
		generic = strings.ReplaceAll(k.body, "#", e.bits)
	}
	if sig.result != "" {
		give = "return "
	}
	fallback := give + generic + sig.args()
	if k.done != "" {
		fallback = generic + sig.args() + "\n\t\treturn " + k.done
	}
	if len(k.bodies(arch, e)) == 0 {
		fmt.Fprintf(b, "\n//go:noinline\nfunc %s%s%s {\n\t%s\n}\n", name, e.bits, sig.text(e), strings.ReplaceAll(fallback, "\t\t", "\t"))
		return
	}
	fmt.Fprintf(b, "\nfunc %s%s%s {\n\tswitch ", name, e.bits, sig.text(e))
	switch {
	case k.chosenByRows(arch):
		fmt.Fprintf(b, "n := len(%s); ", sig.lane())
	case k.when == "":
		b.WriteString("path ")
	}
	b.WriteString("{\n")
	for _, body := range k.bodies(arch, e) {
		when := k.condition(arch, e, body)
		if k.rare {
			k.writeChoice(b, when, body.name, sig)
			continue
		}
		fmt.Fprintf(b, "\tcase %s:\n\t\t%s%s%s%s\n", when, give, k.name, body.name, sig.args())
	}
	fmt.Fprintf(b, "\tdefault:\n\t\t%s\n\t}\n}\n", fallback)
}

// chosenByRows reports whether the choice depends on the number of rows.
func (k *kernel) chosenByRows(arch string) bool { return arch == "amd64" && k.few > 0 }

// condition returns the condition of the case that calls a body in the generated switch.
func (k *kernel) condition(arch string, e element, b body) string {
	if k.when == "" && !k.chosenByRows(arch) {
		return strings.Join(b.paths, ", ")
	}
	var terms []string
	switch {
	case k.chosenByRows(arch) && b.name != e.name+"AVX512":
		terms = append(terms, "path != generic")
	case len(b.paths) > 1:
		terms = append(terms, "(path == "+strings.Join(b.paths, " || path == ")+")")
	default:
		terms = append(terms, "path == "+b.paths[0])
	}
	if k.chosenByRows(arch) {
		if n := k.rows(b, e); n > 1 {
			terms = append(terms, fmt.Sprint("n >= ", n))
		}
	}
	if k.when != "" {
		terms = append(terms, k.when)
	}
	return strings.Join(terms, " && ")
}

// writeChoice writes a choice between bodies for a kernel whose assembly may stop
// early. When the assembly stops, the generic body computes the next 16 rows, and then
// the assembly continues. So every call of the assembly makes progress.
func (k *kernel) writeChoice(b *strings.Builder, when, body string, sig signature) {
	part := func(from, to string) string {
		var args []string
		for _, p := range sig.params {
			args = append(args, cut(p.name, from, to))
		}
		return "(" + strings.Join(args, ", ") + ")"
	}
	rows := "len(" + sig.params[0].name + ")"
	fmt.Fprintf(b, "\tcase %s:\n\t\tfor n := %s%s%s; n < %s; {\n", when, k.name, body, sig.args(), rows)
	fmt.Fprintf(b, "\t\t\tm := min(n+16, %s)\n\t\t\t%sGeneric%s\n", rows, k.name, part("n", "m"))
	fmt.Fprintf(b, "\t\t\tn = m + %s%s%s\n\t\t}\n", k.name, body, part("m", ""))
}

// take writes the functions that select a kernel by its constant.
func (f *family) take(b *strings.Builder, arch string, known map[string]signature) error {
	sig, err := parse(f.ops.sig)
	if err != nil {
		return err
	}
	group := kernel{name: f.ops.name, wide: both, few: f.ops.few}
	for _, e := range elements {
		group.chooser(b, arch, e, sig)
		for _, path := range group.bodies(arch, e) {
			fmt.Fprintf(b, "\nfunc %s%s%s {\n\tswitch op {\n", f.ops.name, path.name, sig.text(e))
			for i := range f.kernels {
				k := &f.kernels[i]
				if k.op == "" {
					continue
				}
				s, err := f.signature(k, known)
				if err != nil {
					return err
				}
				args := "(" + strings.Join(strings.Split(strings.Trim(sig.args(), "()"), ", ")[1:1+len(s.params)], ", ") + ")"
				fmt.Fprintf(b, "\tcase %s:\n\t\t%s%s%s\n", k.op, k.name, k.best(path, arch, e), args)
			}
			b.WriteString("\t}\n}\n")
		}
	}
	return nil
}

// best returns the suffix of the body for a path.
func (k *kernel) best(path body, arch string, e element) string {
	for _, b := range k.bodies(arch, e) {
		for _, p := range b.paths {
			if p == path.paths[0] {
				return b.name
			}
		}
	}
	return ""
}
