//go:build lanewise_noworlds

package app

import "testing"

// With the build tag, Play and EditorWorld must return no world and no error.
func TestNoWorlds(t *testing.T) {
	if w, err := Play("game"); w != nil || err != nil || Default() != nil {
		t.Errorf("Play: %v, %v", w, err)
	}
	if w, err := EditorWorld(); w != nil || err != nil {
		t.Errorf("EditorWorld: %v, %v", w, err)
	}
}
