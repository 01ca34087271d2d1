//go:build !unix

package kernels

func guardedPages(n int) []byte { return make([]byte, n) }
