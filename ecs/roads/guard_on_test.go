//go:build lanewise_guard

package roads_test

// guarded is true if this build refuses writes of columns that a query only reads.
const guarded = true
