module github.com/lanewise/lanewise/bench/jobs

go 1.26.0

require (
	github.com/lanewise/lanewise v0.1.0
	github.com/sourcegraph/conc v0.3.0
	golang.org/x/sync v0.25.0
)

require (
	github.com/stretchr/testify v1.12.1 // indirect
	go.uber.org/multierr v1.11.0 // indirect
)

replace github.com/lanewise/lanewise => ../..
