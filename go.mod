module github.com/lanewise/lanewise

go 1.26.0

require (
	github.com/klauspost/cpuid/v2 v2.4.2
	golang.org/x/arch v0.33.0
	golang.org/x/image v0.48.0
	gonum.org/v1/gonum v0.17.0
)

require (
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/text v0.44.0 // indirect
)
