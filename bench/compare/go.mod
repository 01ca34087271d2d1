module github.com/lanewise/lanewise/bench/compare

go 1.26.0

require (
	github.com/klauspost/cpuid/v2 v2.4.2
	github.com/lanewise/lanewise v0.1.0
	github.com/mlange-42/ark v0.8.1
	github.com/viterin/vek v0.4.3
	golang.org/x/sync v0.25.0
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/chewxy/math32 v1.11.1 // indirect
	github.com/viterin/partial v1.1.0 // indirect
	golang.org/x/exp v0.0.0-20261113113407-e3970619a1a4 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace github.com/lanewise/lanewise => ../..
