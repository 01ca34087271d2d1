//go:build race || lanewise_guard

package render

// checked reports whether the build has additional checks, which allocate.
const checked = true
