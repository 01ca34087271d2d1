module github.com/lanewise/lanewise/report

go 1.26.0

replace github.com/lanewise/lanewise => ..

require (
	github.com/lanewise/lanewise v0.1.0
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	golang.org/x/sys v0.50.0 // indirect
)
