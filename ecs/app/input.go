package app

// Input is the state of the keyboard, of the pointer and of the picture at the beginning of a frame. A program stores it in
// a resource, which systems read:
//
//	input := system.ResourceOf[app.Input](w)
//	loop.Phase(app.PhaseEarlyUpdate).Call(func() error {
//		*input.Write() = device.Input()
//		return nil
//	})
//
// The state has a fixed size and no pointers. So package encoding/binary can write it to a recording of ecs/replay, and it can be
// an input of ecs/rollback. The results of a world depend only on its inputs, if no system reads the devices themselves.
type Input struct {
	Width, Height float32 // size of the picture, in pixels
	X, Y          float32 // the pointer, in pixels from the upper left corner of the picture
	Wheel         float32 // how far the wheel has turned away from the user since the last frame, in notches
	Pressed       bool    // the main button of the mouse is held down, or a finger touches the picture
	Keys          Keys    // the keys that are held down
}

// A Key is a key of the keyboard: one of the constants, ' ', a digit, or a capital letter. A letter names a position: the
// key that has this letter on a US keyboard. For example, 'Q' on a French keyboard is the key with the print A.
type Key uint8

// These are the keys without a character.
const (
	KeyLeft Key = 1 + iota
	KeyRight
	KeyUp
	KeyDown
)

// Keys is a set of keys. The zero Keys is empty.
type Keys [2]uint64

// Held reports whether the set contains a key.
func (s Keys) Held(k Key) bool { return k < 128 && s[k/64]>>(k%64)&1 != 0 }

// Set adds a key to the set, or removes it. Keys above 127 are ignored.
func (s *Keys) Set(k Key, held bool) {
	switch {
	case k >= 128:
	case held:
		s[k/64] |= 1 << (k % 64)
	default:
		s[k/64] &^= 1 << (k % 64)
	}
}
