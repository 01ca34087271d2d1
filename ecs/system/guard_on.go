//go:build lanewise_guard

package system

// guard turns on checks that are too slow for every build.
const guard = true
