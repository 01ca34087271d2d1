//go:build lanewise_guard

package transform_test

const guard = true
