package app_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/lanewise/lanewise/ecs/app"
)

// TestKeys checks the set of keys against a map, and that a recording can hold a state.
func TestKeys(t *testing.T) {
	in := app.Input{Width: 640, Height: 480, X: -1, Y: 7, Wheel: 0.5, Pressed: true}
	held := map[app.Key]bool{}
	for i := range 2000 {
		k, on := app.Key(i*7919), i%3 != 0
		in.Keys.Set(k, on)
		held[k] = on && k < 128
		for k := range app.Key(255) {
			if in.Keys.Held(k) != held[k] {
				t.Fatalf("after %d changes: key %d is held: %v, want %v", i+1, k, in.Keys.Held(k), held[k])
			}
		}
	}
	b, err := binary.Append(nil, binary.LittleEndian, in)
	var got app.Input
	if err != nil || binary.Read(bytes.NewReader(b), binary.LittleEndian, &got) != nil || got != in {
		t.Errorf("%d bytes of a recording hold %+v, want %+v (error: %v)", len(b), got, in, err)
	}
}
