// Package sister has the key to what a package of this module has for one other alone: only packages
// below ecs can name it, so that what takes one is nothing that a program can call.
package sister

import "reflect"

// Key is what such a function takes.
type Key struct{}

// Worldwide is what plumbing.Worldwide embeds, by which package ecs knows types that do.
type Worldwide struct{}

func (Worldwide) worldwide() {}

// IsWorldwide reports whether t embeds Worldwide.
func IsWorldwide(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[interface{ worldwide() }]())
}

// Late is an attribute of system types of this module, a blank field: among the members of a group that no attribute of a user
// orders the system comes last, whatever their names are.
type Late struct{}

// Hidden is a value of one package that lies in a struct of another one, and that programs which have the
// struct cannot look into.
type Hidden struct{ of any }

// Hide returns v, hidden.
func Hide(v any) Hidden { return Hidden{v} }

// Show returns what was hidden; nil if nothing was.
func Show(h Hidden) any { return h.of }

// HashRowsVersion is rows.HashVersion.
const HashRowsVersion = 1
