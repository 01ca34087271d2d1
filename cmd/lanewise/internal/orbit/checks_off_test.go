//go:build !race && !lanewise_guard

package orbit

// checked says that the build has checks that allocate.
const checked = false
