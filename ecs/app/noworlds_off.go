//go:build !lanewise_noworlds && !lanewise_noruntimeworld

package app

// noRuntimeWorld keeps Play from making a world.
const noRuntimeWorld = false
