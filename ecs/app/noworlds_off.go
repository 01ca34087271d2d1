//go:build !lanewise_noworlds && !lanewise_noruntimeworld

package app

// noRuntimeWorld keeps Play from creating a world.
const noRuntimeWorld = false
