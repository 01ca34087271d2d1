package system

import (
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/sister"
)

// internals is what package monitor is made of, where it has its comments: what tools look at. Its methods are that
// package's functions and call nothing back; their bodies stand with what they look at. The last four are for packages app and render.
type internals struct{}

// Internals returns what package ecs/system/monitor is made of, what package ecs/app makes worlds with, and how ecs/render gives them its set. It is for packages of this module alone: no other can
// name a key.
func Internals(sister.Key) (i internals) { return i }

func (internals) OnBorder(w *ecs.World, f func(*border)) (remove func()) { return onBorder(w, f) }
func (internals) OnEveryBorder(f func(*border)) (remove func())          { return onEveryBorder(f) }

func (internals) Record(w *ecs.World, share float64) (stop func()) { return record(w, share) }
func (internals) TimeNext(w *ecs.World)                            { timeNext(w) }

// Kept has the length of a history, for the compiler to compare.
func (internals) Kept() (none [historyLen]struct{}) { return none }

func (internals) AppendSamples(list []sample, in *Instance, since uint64) []sample {
	in.given("monitor.AppendSamples")
	return in.appendSamples(list, since)
}

func (internals) BeginSnapshot(w *ecs.World) *snapshot { return beginSnapshot(w) }

func (internals) Watch(w *ecs.World, p updateProbe) (stop func()) { return watchUpdates(w, p) }
func (internals) FrameOf(w *ecs.World) uint64                     { return frameOf(w) }

func (internals) Idle(in *Instance) string {
	in.given("monitor.Idle")
	return in.idle()
}

func (internals) Queries(in *Instance) []*ecs.Query {
	in.given("monitor.Queries")
	return slices.Clone(in.queries)
}

func (internals) Touches(in *Instance) (reads, writes []string) {
	in.given("monitor.Touches")
	return in.touches()
}

func (internals) Roots(w *ecs.World) (list, apart []*Instance) { return rootsOf(w) }
func (internals) Sequence(w *ecs.World) uint64                 { return sequenceOf(w) }
func (internals) Changes(w *ecs.World) uint64                  { return attachmentFor("monitor.Changes", w).changes }

// NewPlan returns what options make of a world, which is of the kind unless they say otherwise.
func (internals) NewPlan(call string, unless Kind, opts ...Option) *plan {
	return newPlan(call, unless, opts...)
}

// NoDefault and NoEditor are the options of package app.
func (internals) NoDefault() Option { return func(p *plan) { p.NoDefault = true } }
func (internals) NoEditor() Option  { return func(p *plan) { p.NoEditor = true } }

// Give makes a set one of those of With for a world that has its systems by Populate: they know of no Advise.
func (internals) Give(w *ecs.World, s *Set) {
	if a := attachmentFor("Populate", w); !slices.Contains(a.sets, s) {
		a.sets = append(a.sets, s)
	}
}
