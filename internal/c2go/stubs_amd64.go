//go:build c2go

package c2go

import "unsafe"

//go:noescape
func _integrate(c unsafe.Pointer, n uintptr, k unsafe.Pointer)

//go:noescape
func _quatmul(c unsafe.Pointer, n uintptr, k unsafe.Pointer)

//go:noescape
func _rotate(c unsafe.Pointer, n uintptr, k unsafe.Pointer)

//go:noescape
func _compose(c unsafe.Pointer, n uintptr, k unsafe.Pointer)
