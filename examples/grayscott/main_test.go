package main

import (
	"testing"

	"github.com/lanewise/lanewise/examples/grayscott/model"
)

// TestPicture checks the colors of U and V.
func TestPicture(t *testing.T) {
	d := model.New(nil, 20)
	d.V.Set(3, 4, 0, 1)
	d.V.Set(0, 0, 0, 0)
	m := picture(d)
	if green, white := m.RGBAAt(7, 9), m.RGBAAt(0, 0); green.R != 0 || green.G < 100 || white.R != 255 || white.B != 255 {
		t.Errorf("the colors are %v and %v, want green and white", green, white)
	}
}
