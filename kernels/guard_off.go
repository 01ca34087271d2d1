//go:build !lanewise_guard

package kernels

const guardEnabled = false
