package study

import "syscall"

func init() {
	starve = func() {
		limit := syscall.Rlimit{Cur: 1 << 20, Max: 1 << 20} // a limit on addresses, which is below the current use
		if err := syscall.Setrlimit(syscall.RLIMIT_AS, &limit); err != nil {
			panic(err)
		}
		for all := [][]byte{}; ; {
			all = append(all, make([]byte, 1<<26))
		}
	}
}
