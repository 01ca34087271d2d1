//go:build race || lanewise_guard

package app_test

const allocates = true
