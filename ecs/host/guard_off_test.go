//go:build !lanewise_guard

package host

const guard = false
