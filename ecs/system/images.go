package system

import "github.com/lanewise/lanewise/ecs"

// keptVersions is the key of what an image has of the systems of its world.
type keptVersions struct{}

// keepVersions keeps with an image what each system has seen of the world.
func keepVersions(a *attachment, m *ecs.Image) {
	seen := make(map[*Instance]uint32, len(a.instances))
	for _, in := range a.instances {
		seen[in] = in.seen()
	}
	m.Keep(keptVersions{}, seen)
}

// restoreVersions makes each system see what it would have seen: what it had when the image was taken of this world. One
// that is younger, or whose world the image is not of, has seen nothing, so that everything has changed for it.
func restoreVersions(a *attachment, m *ecs.Image) {
	seen, _ := m.Kept(keptVersions{}).(map[*Instance]uint32)
	for _, in := range a.instances {
		in.lastVersion = seen[in]
		in.seenVersion = in.lastVersion // which complete goes back to for a job that has failed before
	}
}

// seen is what complete will make of lastVersion: jobs of the world are done.
func (in *Instance) seen() uint32 {
	for _, h := range in.outputs {
		if h.Done() && h.Wait() != nil {
			return in.seenVersion
		}
	}
	return in.lastVersion
}
