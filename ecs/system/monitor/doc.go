// Package monitor is for inspectors, profilers, recorders and other programs that look at systems while
// worlds run: what happened in a frame, what each system took, what it has done to the world.
//
// A program that wants a text about its frames needs none of it: system.Explain and system.Measure say where the time goes.
//
// Words:
//
//	border     the end of a frame: all jobs are done, the next frame has not begun. Nothing else is at work on the
//	           world, so that a tool may look at all of it, and change it.
//	turn       one update of a system in a frame, or one wait for jobs, on the goroutine of the world's owner.
//	sample     what one system took in one frame.
//	recording  between Record and the stop that it returns: samples and turns are kept.
//	snapshot   a copy of what an explanation goes by, so that the owner is not held while that is made.
//	probe      what is called before and after each update of a system. It has nothing to do with tool.Probe, a query.
//
// What holds it together: functions about a world or an instance are for the owner of the world, between
// two frames if they do not say otherwise. Where nothing looks, an update costs two comparisons with nil, and a frame two and one
// atomic load. Whatever looks changes no result, only when things happen. Nothing here takes a path of its own to systems:
// package system has the bodies (system.Internals lists them) and this one the names and what they mean, so that the page of that
// one is what writers of systems use (docs/decisions/0017-what-an-application-is.md). Border, Ticker, Turn and Sample are the
// types that it has, under names. Errors begin with "system: monitor.".
package monitor

import (
	"github.com/lanewise/lanewise/ecs/internal/sister"
	"github.com/lanewise/lanewise/ecs/system"
)

// internals is where the bodies are. It has no fields: a call of a method is a call of that function.
var internals = system.Internals(sister.Key{})
