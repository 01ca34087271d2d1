//go:build !race && !lanewise_guard

package orrery

// checked reports whether the build has checks that allocate.
const checked = false
