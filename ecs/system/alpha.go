package system

import "github.com/lanewise/lanewise/ecs/system/clock"

// fraction is a rate whose steps do not end where an update does, and which knows
// how far time has gone beyond its last step: as a part of a step, from 0 to 1.
type fraction interface {
	clock.Rate
	Alpha() float64
}

// Alpha returns how far time has gone into the next step of the group, from 0 to 1:
// what is drawn between the last two states of a group, by its rate's method Alpha, looks
// as smooth as frames come. It belongs to what the group has made: until its turn in a
// frame it is that of the frame before. A group whose rate leaves nothing, or that has
// none, has 1: its last state is that of now.
func (g *Group) Alpha() float64 {
	if f, ok := g.rate.(fraction); ok {
		return f.Alpha()
	}
	return 1
}

// Alpha returns how far time has gone into the next fixed step, from 0 to 1, as
// [Group.Alpha] does: that of [FixedStep], by whatever rate it runs, or 1 if the world
// has no such group.
func (f *Frame) Alpha() float64 {
	if in := f.in.roster.find(typeFor[FixedStep]()); in != nil && in.group != nil {
		return in.group.Alpha()
	}
	return 1
}
