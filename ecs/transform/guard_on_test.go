//go:build lanewise_guard

package transform

const guard = true
