package system

// fraction is a [Rate] whose steps do not end where an update does, and which knows
// how far time has gone beyond its last step: as a part of a step, from 0 to 1.
type fraction interface {
	Rate
	Alpha() float64
}

// Alpha makes [Group.Alpha] of the group what it returns: it is what is left of the time that the last update of
// the group came to, in steps. It is 0 before the first step, and for members of
// the group while they run, and 1 where the group is behind by a step or more.
func (r *catchUp) Alpha() float64 {
	if r.running || r.steps == 0 {
		return 0
	}
	return min(max((r.seen-r.last)/r.step, 0), 1)
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
