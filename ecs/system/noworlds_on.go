//go:build lanewise_noworlds || lanewise_noruntimeworld

package system

// noRuntimeWorld keeps Play from making a world.
const noRuntimeWorld = true
