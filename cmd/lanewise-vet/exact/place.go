package exact

import (
	"fmt"
	"go/constant"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A path leads from a value to a part of it: ".2" is a field, "[i]" is an element, and "*" is the
// target of a pointer or slice. "&" is the inverse of "*".
type path []string

func (p path) to(steps ...string) path {
	out := append(make(path, 0, len(p)+len(steps)), p...)
	for _, s := range steps {
		if n := len(out); s == "*" && n > 0 && out[n-1] == "&" {
			out = out[:n-1]
		} else {
			out = append(out, s)
		}
	}
	return out
}

func (p path) String() string { return strings.Join(p, "") }

// forCallers returns the path for callers. For them, an index that is not
// constant may be any index.
func (p path) forCallers() path {
	out := make(path, len(p))
	for i, s := range p {
		if out[i] = s; strings.HasPrefix(s, "[") && !strings.HasPrefix(s, "[#") {
			out[i] = "[]"
		}
	}
	return out
}

// rest returns the part of p after a prefix. It returns false if p does not
// begin with this prefix.
func (p path) rest(prefix path) (path, bool) {
	if len(prefix) > len(p) {
		return nil, false
	}
	for i, s := range prefix {
		if s != p[i] && !(s == "[]" && p[i][0] == '[') && !(p[i] == "[]" && s[0] == '[') {
			return nil, false
		}
	}
	return p[len(prefix):], true
}

// longest is the largest length of a path, because paths into lists and trees
// would be endless.
const longest = 8

// A location is a place in memory or in a value. It consists of a base, and a
// path from the base. Two equal locations are the same place unless the
// program has changed a pointer on the path between the two uses. The
// analysis ignores such changes, so it may treat two different places as the
// same place.
type location struct {
	root string
	path path
}

func (l location) to(steps ...string) location { return location{l.root, l.path.to(steps...)} }

// addressLocation returns the location of an address.
func (a *analyzer) addressLocation(v ssa.Value) location {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return a.addressLocation(v.X).to(fmt.Sprintf(".%d", v.Field))
	case *ssa.IndexAddr:
		if _, ok := types.Unalias(v.X.Type()).Underlying().(*types.Pointer); ok {
			return a.addressLocation(v.X).to(a.index(v.Index))
		}
		return a.valueLocation(v.X).to("*", a.index(v.Index))
	case *ssa.Alloc, *ssa.Global:
		return location{root: a.name(v)}
	case *ssa.FreeVar:
		if outer := a.captured[v]; outer != nil {
			return a.addressLocation(outer)
		}
	}
	return a.valueLocation(v).to("*")
}

// valueLocation returns the location from which a value was loaded, or a
// location for the value itself.
func (a *analyzer) valueLocation(v ssa.Value) location {
	switch v := v.(type) {
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Alloc, *ssa.Global:
		return a.addressLocation(v).to("&")
	case *ssa.FreeVar:
		if outer := a.captured[v]; outer != nil {
			return a.valueLocation(outer)
		}
	case *ssa.UnOp:
		if v.Op.String() == "*" {
			return a.addressLocation(v.X)
		}
	case *ssa.Field:
		return a.valueLocation(v.X).to(fmt.Sprintf(".%d", v.Field))
	case *ssa.Index:
		return a.valueLocation(v.X).to(a.index(v.Index))
	case *ssa.Slice:
		if low, ok := v.Low.(*ssa.Const); v.Low == nil || ok && low.Value != nil && constant.Sign(low.Value) == 0 {
			if _, ok := types.Unalias(v.X.Type()).Underlying().(*types.Pointer); ok {
				return a.addressLocation(v.X).to("&")
			}
			return a.valueLocation(v.X)
		}
	case *ssa.ChangeType:
		return a.valueLocation(v.X)
	case *ssa.MakeInterface:
		return a.valueLocation(v.X)
	case *ssa.ChangeInterface:
		return a.valueLocation(v.X)
	case *ssa.TypeAssert:
		if !v.CommaOk {
			return a.valueLocation(v.X)
		}
	case *ssa.Const:
		return location{root: "#" + v.String()}
	}
	return location{root: a.name(v)}
}

// index returns the path element for an index. Indices that are computed in the
// same way get the same path element.
func (a *analyzer) index(v ssa.Value) string { return "[" + a.integer(v) + "]" }

func (a *analyzer) integer(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value != nil {
			return "#" + v.Value.ExactString()
		}
	case *ssa.BinOp:
		return "(" + a.integer(v.X) + v.Op.String() + a.integer(v.Y) + ")"
	case *ssa.Convert:
		return a.integer(v.X)
	}
	l := a.valueLocation(v)
	return l.root + l.path.String()
}

// name returns a unique name of a value.
func (a *analyzer) name(v ssa.Value) string {
	n, ok := a.names[v]
	if !ok {
		n = fmt.Sprintf("%d", len(a.names))
		switch v := v.(type) {
		case *ssa.Parameter:
			n += "p"
			a.params[n] = v
		case *ssa.Call, *ssa.Extract, *ssa.Phi, *ssa.TypeAssert:
			a.made[n] = v
		}
		a.names[v] = n
	}
	return n
}

// leafPaths lists the paths to the numbers in a type, up to the first pointer.
func leafPaths(t types.Type) (all []path) {
	var walk func(t types.Type, p path, pointers int)
	walk = func(t types.Type, p path, pointers int) {
		if len(p) > 5 || len(all) > 64 {
			return
		}
		if inexact(t) {
			all = append(all, p)
			return
		}
		switch u := core(t).(type) {
		case *types.Struct:
			for i := range u.NumFields() {
				walk(u.Field(i).Type(), p.to(fmt.Sprintf(".%d", i)), pointers)
			}
		case *types.Array:
			walk(u.Elem(), p.to("[]"), pointers)
		case *types.Slice:
			if pointers == 0 {
				walk(u.Elem(), p.to("*", "[]"), 1)
			}
		case *types.Pointer:
			if pointers == 0 {
				walk(u.Elem(), p.to("*"), 1)
			}
		}
	}
	walk(t, nil, 0)
	return all
}
