// Package plumbing is what packages that build on a world connect to, as ecs/system and ecs/render do:
// they attach themselves to it, are told what happens to it, update it in steps, and schedule jobs of
// their own in its order.
//
// A program has use for it if it runs systems of its own without ecs/system: [BeginUpdate] and
// [EndUpdate] are one update of a system, and [QueryFor] is a query that it alone has, so that what it
// has seen is its own. What the rest is made of may change with the packages that use it.
//
// Words:
//
//	hook     a function that is called when something happens to a world: OnSync, OnClose and so
//	         on. Remove takes it out again: in any order, during a call of it too, and more than
//	         once. It panics with an *ecs.Error to give nil as the function.
//	owner    of a world: the goroutine that has it, see the documentation of package ecs. All here
//	         is for it, but for Declares and ComponentName, which jobs may call. The
//	         owner of a query is a name, that of a system.
//	update   of a system: the version of the world moves on, and errors name the system. A frame
//	         holds the world for several of them.
//	access   what a job reads and writes, by indices of components: package jobs/access orders jobs
//	         by it.
//
// What is called once says which function lacks a world, an access or an image. What is called for each update, job or chunk
// ([BeginUpdate] to [EndFrame], [Running], [Before] and [Track], all of a query or a chunk) asks for nothing, so as to cost nothing:
// without one it is a nil dereference.
//
// What holds it together: package ecs has the bodies (ecs/plumbing.go) and this one the names and what
// they mean, as with ecs/tool (docs/decisions/0018-what-is-exported.md). Errors are those of package
// ecs, and begin with "ecs: plumbing.".
package plumbing

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/sister"
)

// plumbing is where the bodies are. It has no fields: a call of a method is a call of that function.
var plumbing = ecs.Dynamic(sister.Key{}).Plumbing()
