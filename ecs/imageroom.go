package ecs

// imageRoom is what packages are made of that keep, write and compare images of worlds: see ecs/images and ecs/rollback,
// where it has its comments.
type imageRoom struct{}

// CaptureInto is [Capture] into an image that is new, or was released. Op is what an error says.
func (imageRoom) CaptureInto(op string, w *World, before, m *Image) error {
	_, err := capture(op, w, before, m)
	return err
}

// Released reports whether an image was released, or never taken.
func (imageRoom) Released(m *Image) bool { return m.pool == nil }
