//go:build race || lanewise_guard || js

package app_test

const allocates = true
