//go:build race || lanewise_guard

package orbit

// checked reports whether the build has checks that allocate.
const checked = true
