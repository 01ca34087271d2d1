//go:build !linux && !darwin

package kerneltest

// guardedLane returns memory for a lane.
func guardedLane() []byte { return make([]byte, laneBytes) }
