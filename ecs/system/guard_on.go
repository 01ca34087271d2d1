//go:build lanewise_guard

package system

// guard turns on checks that cost too much for every build.
const guard = true
