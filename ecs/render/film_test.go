package render_test

import (
	"image/gif"
	"os"
	"testing"
)

// The first program of the guide makes a film of a boat that moves to the right.
func TestFirstProgram(t *testing.T) {
	t.Chdir(t.TempDir())
	main()
	file, err := os.Open("film.gif")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	film, err := gif.DecodeAll(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(film.Image) != 25 || film.Config.Width != 320 {
		t.Fatalf("%d pictures, %d wide", len(film.Image), film.Config.Width)
	}
	if r, _, b, _ := film.Image[0].At(160, 100).RGBA(); r>>8 < 200 || b>>8 > 100 {
		t.Errorf("in the middle of the first picture is %v", film.Image[0].At(160, 100))
	}
}
