//go:build !race && !lanewise_guard

package render

// checked says that the build checks more than others, and allocates for it.
const checked = false
