//go:build !mpich

package wire

// #cgo pkg-config: ompi-c
import "C"
