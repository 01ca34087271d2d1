package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A user's package compiles every method of each generic type that it names, and every generic
// function that these methods call. To keep that code small, the method of a view only calls a
// front with the addresses of its operands. A front is a function without type parameters, which is
// compiled once, in package kernels, for both types.

// directive is the line above each generic function of package kernels for which a front is generated.
const directive = "//kernelgen:front"

// fronts returns the file with the fronts of all generic functions that have the directive, in the order
// of their names.
func fronts(known map[string]signature) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(known)) {
		sig := known[name]
		if !sig.front {
			continue
		}
		fmt.Fprintf(&b, "\n//go:noinline\nfunc %sFront(single bool, %s {\n\tif single {\n", name, sig.addresses())
		fmt.Fprintf(&b, "\t\t%s(%s)\n\t} else {\n", name, sig.views(elements[0]))
		fmt.Fprintf(&b, "\t\t%s(%s)\n\t}\n}\n", name, sig.views(elements[1]))
	}
	return header + "\npackage kernels\n" + b.String()
}

// addresses returns the parameters of a front. If the type of a parameter contains T, the front has an address
// instead. A parameter of the type T itself becomes a float64.
func (s signature) addresses() string {
	front := signature{params: slices.Clone(s.params)}
	for i, p := range front.params {
		switch {
		case p.typ == "T":
			front.params[i].typ = "float64" // holds every float32
		case letter.MatchString(p.typ):
			front.params[i].typ = "address"
		}
	}
	return strings.TrimPrefix(front.text(element{}), "(")
}

// views returns the arguments that a front makes from its parameters.
func (s signature) views(e element) string {
	args := make([]string, len(s.params))
	for i, p := range s.params {
		args[i] = p.view(e)
	}
	return strings.Join(args, ", ")
}

// view returns the argument that a front makes from one parameter.
func (p param) view(e element) string {
	elem, pointer := strings.CutPrefix(p.typ, "*")
	switch {
	case p.typ == "T":
		return e.typ + "(" + p.name + ")"
	case !letter.MatchString(p.typ):
		return p.name
	case pointer:
		return fmt.Sprintf("view[%s](%s)", e.replaceT(elem), p.name)
	}
	return fmt.Sprintf("*view[%s](%s)", e.replaceT(p.typ), p.name)
}

// give returns the argument that a method of a view passes to its front for one parameter. If the parameter is an
// array, the method has received it by value and passes its address.
func (p param) give() string {
	switch {
	case p.typ == "T":
		return "float64(" + p.name + ")"
	case strings.HasPrefix(p.typ, "*["):
		return "address(&" + p.name + ")"
	case letter.MatchString(p.typ):
		return "address(" + p.name + ")"
	}
	return p.name
}
