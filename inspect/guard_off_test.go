//go:build !lanewise_guard

package inspect

const guarded = false
