//go:build purego || !(amd64 || arm64)

package opinion

var (
	texts32 []texts[float32]
	texts64 []texts[float64]
)
