//go:build !amd64 || purego

package random

// There is no assembly here.

func fillIDsFast(*wordBatch, []uint64, uint32, uint32, uint32, uint32) int { return 0 }

func fillIndexFast([]uint32, uint64, uint32, uint32, uint32, uint32) int { return 0 }

func unitsFast([]float32, []uint32) int { return 0 }

func unitsIndexFast([]float32, uint64, uint32, uint32, uint32, uint32) int { return 0 }

func unitsIDsFast([]float32, []uint64, uint32, uint32, uint32, uint32) int { return 0 }
