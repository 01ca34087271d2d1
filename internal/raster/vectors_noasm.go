//go:build !amd64 || purego

package raster

// There is no assembly here.

func vectors() bool { return false }

func tinyAVX2(*uint64, int, int, int, *[3]edge, uint64) { panic("raster: there is no assembly") }

func resolveAVX2([]byte, []uint64) { panic("raster: there is no assembly") }
