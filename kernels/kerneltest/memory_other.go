//go:build !linux && !darwin

package kerneltest

// guarded returns memory for a lane.
func guarded() []byte { return make([]byte, laneBytes) }
