//go:build race || lanewise_guard

package orrery

// checked says that the build has checks that allocate.
const checked = true
