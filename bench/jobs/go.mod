module github.com/lanewise/lanewise/bench/jobs

go 1.26.0

require (
	github.com/lanewise/lanewise v0.1.0
	github.com/sourcegraph/conc v0.3.0
	golang.org/x/sync v0.24.0
)

require (
	go.uber.org/atomic v1.7.0 // indirect
	go.uber.org/multierr v1.9.0 // indirect
)

replace github.com/lanewise/lanewise => ../..
