// Package pngfile saves the pictures that the examples draw.
package pngfile

import (
	"image"
	"image/png"
	"os"
)

// Save writes a picture to a PNG file.
func Save(name string, m image.Image) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := png.Encode(f, m); err != nil {
		_ = f.Close() // the first error says more
		return err
	}
	return f.Close()
}
