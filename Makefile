# `make` lists the targets. Each is one plain command to read, copy and change.
# CI has two tiers: a push runs .ci/run, which is the tests and then every target of
# `make check`; once a night it runs `make nightly`, which has the rest.

GO     ?= go
TOOL    = $(GO) tool -modfile=tools/go.mod

# Go needs ten lines to say this.
ifneq ($(filter -mod=vendor,$(GOFLAGS)),)
ifeq ($(wildcard vendor/modules.txt),)
$(error GOFLAGS has -mod=vendor, and there is no folder vendor: unset GOFLAGS, or run "go mod vendor" without it)
endif
endif

# Without a compiler Go says that cgo is off, and not why.
C_COMPILER = @cc=$$($(GO) env CC); command -v "$${cc%% *}" >/dev/null || { echo "make $@: the race detector needs a C compiler, and there is no $$cc: install one (Debian: gcc and libc6-dev), or set CC"; exit 1; }

# The push tier, in this order: at most 25 minutes on two cores, since people wait for it.
# A new check is a line here or in NIGHTLY, and a target below.
CHECKS = \
	test \
	race \
	guard \
	purego \
	386 \
	paths \
	opinion \
	jobs-model \
	generate \
	examples \
	hashes \
	browser \
	arm64 \
	lint \
	wasm \
	dist \
	vet \
	vet-exact \
	s390x \
	noworlds \
	release-check

# The nightly tier, in this order: whole lengths, other programs that read or drive this one, all
# tests on other CPUs, and random searches. It takes about two hours on two cores; LONG=1 gives the
# searches the lengths that a release gets, some twelve hours. CONTRIBUTING.md has a row for each target.
NIGHTLY = \
	full \
	model \
	skips \
	stalls \
	race-full \
	guard-full \
	purego-full \
	386-full \
	v3 \
	cpus \
	riscv64 \
	wasm-full \
	ports \
	sizes \
	vuln \
	window \
	engines \
	axe \
	formats \
	mpi \
	bench-once \
	claims \
	release-full \
	lanec \
	imports \
	dist-full \
	cpus-full \
	arm64-full \
	riscv64-full \
	s390x-full \
	near-cases \
	order-cases \
	rounded \
	polynomials \
	c2go-again \
	rollback \
	roads \
	harbour \
	verify-drill \
	mutants \
	fuzz \
	soak

# What measures no time and writes nothing here: .ci/run does two of these at once.
TWO = race guard purego 386 opinion jobs-model examples hashes arm64 lint wasm dist vet vet-exact s390x noworlds release-check vuln cpus riscv64 ports v3 dist-full cpus-full arm64-full riscv64-full s390x-full 386-full

# PICK chooses the length of a search: the first each night, the second with LONG=1.
PICK = $(if $(LONG),$(2),$(1))

# The tests are short by themselves. -lanewise.full makes those of these packages
# long: all lengths and samples, many seeds, large worlds. -short leaves out what
# says nothing on a slow machine.
FULL    = ./bench ./bench/md ./cmd/lanewise ./ecs ./ecs/render ./ecs/rollback ./ecs/scene ./ecs/snapshot ./ecs/system ./ecs/transform ./examples/harbour ./internal/atomicfile ./internal/minimax ./internal/mutants ./internal/zoo ./kernels ./random
REST    = $(filter-out $(FULL),$(shell awk '/^[a-z]/ { print "./" $$1 }' internal/gate/skips.txt | sort -u))

# What builds of other tags or for other CPUs have in common with users: not what
# reads the sources, makes them, builds programs, or looks for coefficients in whole numbers.
CODE    = $(or $(shell $(GO) list ./... | grep -vE '/lanewise/lanewise$$|/internal/(accuracy|benchbin|c2go|firstday|footprint|gate|kerneldoc|kernelgen|lanec.*|listing|mca|messages|minimax|mutants|neon|ports|stall)$$|/cmd/lanec$$'),$(error go list found no packages))

# Less what the race detector has no work in: no goroutine, no job, no memory by unsafe.
RACED   = $(filter-out %/belt %/catalogue %/datafile %/design %/dice %/film %/julian %/orbit %/plain %/reference %/solar %/spell %/stats %/topo,$(CODE))

# The packages that programs import, and the golden values: on a push the other builds run the short
# tests of these. make race-full and the like run the longer ones, and those of the programs too.
M       = github.com/lanewise/lanewise
LIBRARY = $(filter-out $M/bench $M/bench/% $M/cmd/% $M/examples/% $M/internal/film,$(CODE))
# The race detector makes the roads slow, so on a push they run in the other builds only.
RACED_LIBRARY = $(filter-out $M/bench $M/bench/% $M/cmd/% $M/examples/% $M/ecs/roads $M/internal/zoo,$(RACED))

# What is run on emulated CPUs: a little of every package, and all kernels' bits. What
# users write, as the examples have it, where Go fuses (v3), in words of 32 bits and on
# arm64. make arm64-full and the like run everything.
BITS    = -run Golden ./internal/golden ./kernels
IMAGES  = -run '^Test(Image|Restore)Model$$' ./ecs -kept 1000
WASM    = ./soa ./chunk ./kernels/... ./jobs ./jobs/access ./jobs/profile ./random ./order ./near ./grid ./stats ./internal/golden ./ecs ./ecs/system ./ecs/app ./ecs/transform ./ecs/host ./ecs/render ./ecs/snapshot ./ecs/rollback ./ecs/replay ./ecs/scene
SHOWN   = -run 'Golden|Hash' ./internal/golden ./kernels ./study/internal/design ./examples/...

# What the tests skip is what internal/gate allows under the words behind -on.
# Native or emulated, the kernels must have the paths that the CPU has: a path that
# was skipped has not passed.
GATE    = $(GO) run ./internal/gate
PATHS   = LANEWISE_PATHS=$$(.ci/paths)
GENERIC = LANEWISE_PATHS=generic

.DEFAULT_GOAL := help
.PHONY: help checks nightly-checks two-at-a-time check ci left-out nightly $(CHECKS) $(NIGHTLY) first-day build-time replace gallery 386-native 386-emulated 386-full-native 386-full-emulated fused inspect-bench inspect-pictures inspect-fuzz lanec-fuzz soak-jobs soak-ecs study-kills study-arches accuracy random-quality numbers bench bench-guard bench-ark bench-kernels few bench-lanec bench-order bench-random bench-near md bench-jobs bench-ecs bench-systems bench-transform growth cover c2go mca wasm-speed

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "%-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

checks: # the names of what check runs, for .ci/run
	@echo $(CHECKS)

nightly-checks: # the names of what nightly runs, for .ci/run
	@echo $(NIGHTLY)

two-at-a-time: # those of them that need not be alone
	@echo $(TWO)

check: $(CHECKS) ## what CI runs on a push

ci: ## check as CI does it on a push: it installs what is missing (Debian) and ends with the time of each target
	.ci/run

nightly: ## what CI runs once a night, two hours: it installs what is missing (Debian) and ends with the time of each target; ONLY="full model" for some, LONG=1 before a release
	.ci/run nightly $(ONLY)

test: ## the tests; then what they leave out, and the target that runs it
	$(GO) test ./...
	@$(MAKE) --silent left-out

left-out: # what go test ./... leaves out
	@echo; echo "go test ./... and the other targets of make check leave out:"
	@for name in $(NIGHTLY); do awk -F ':.*## ' -v name="$$name" '$$1 == name && / ## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST); done

build-time: ## CPU-seconds of a rebuild of small programs that use the library, and the functions in their packages
	$(GO) run ./internal/footprint build-time

sizes: ## how large the commands, the examples and small programs are; fails if one is larger than its limit
	$(GO) run ./internal/footprint sizes

first-day: ## go test ./... in a fresh clone with an empty build cache: CPU-seconds by package
	$(GO) run ./internal/firstday

# KEPT is how many operations there are between images.
KEPT ?= 2500
model: ## four hundred thousand random operations on worlds of package ecs and on plain models of them; KEPT=1000000 between images
	$(GO) test -run 'TestModel$$|TestBufferAgainstSlice|TestImageModel|TestRestoreModel' -timeout 2h ./ecs -steps 400000 -kept $(KEPT)

full: ## the tests that are short by default, at their full length
	$(GATE) -on full -- $(PATHS) $(GO) test $(FULL) -lanewise.full
	$(GO) test -run SortAgainstNaive ./ecs/system -lanewise.trees=10000
	$(GO) test -run 'Language|RandomProducts' ./internal/lanec -lanewise.full

fused: ## what the compiler makes of the kernels for CPUs that can fuse a product with a sum
	$(GO) test -run TestNotFused ./kernels -lanewise.full

# SCHEDULES is how many schedules of each scene and strategy.
SCHEDULES ?= 1500
jobs-model: ## the orders in which goroutines of package jobs can park, wake, steal and complete; SCHEDULES=n for more
	$(GO) test -tags lanewise_model -run '^TestWaits$$' -timeout 2h ./jobs -jobs.schedules=$(SCHEDULES)

skips: ## what may be skipped somewhere, and is not in full, runs here, where it can; then all tests, of which none may skip that internal/gate does not list; the soak for five seconds
	$(GATE) -listed -- $(GO) test $(REST)
	$(GATE) -- $(PATHS) $(GO) test ./...
	$(GATE) -on soak -- $(GO) test -run '^TestSoak$$' ./jobs -jobs.soak=5s

paths: ## fail if the kernels lack a path that this CPU has
	$(PATHS) $(GO) test -run TestPaths ./kernels

race: ## the short tests of what programs import under the race detector, of the kernels what they tell it
	$(C_COMPILER)
	$(GATE) -on race,short -- $(PATHS) $(GO) test -race -short $(filter-out %/lanewise/kernels %/kernels/forces,$(RACED_LIBRARY))
	$(GATE) -on race,short -- $(PATHS) $(GO) test -race -short -run 'Race|Announced|Overlap|Golden' ./kernels
	$(GATE) -on race,short -- $(PATHS) $(GO) test -race -short -run 'Gravity|Springs|Rows|Mixture$$|Morse$$|Drift' ./kernels/forces
	$(GATE) -on race,short -- $(GO) test -race -short -cpu 1,4 ./jobs

# The pauses leave the CPUs idle, so that more programs than CPUs run at once.
stalls: ## the short tests of what programs import, and of the page in Chromium, while their programs are stopped for up to half a second at random moments, as on a busy machine: no test may depend on its speed
	$(GO) build -o bin/stall ./internal/stall
	$(GATE) -on short -- $(PATHS) $(GO) test -short -p 6 -timeout 30m -exec "'$(CURDIR)/bin/stall' -longest 500ms" $(LIBRARY)
	$(GATE) -- $(GO) -C inspect/browser test -timeout 30m -exec "'$(CURDIR)/bin/stall' -longest 300ms" ./...

race-full: ## also of programs, examples and benchmarks
	$(C_COMPILER)
	$(GATE) -on race,short -- $(PATHS) $(GO) test -race -short $(filter-out %/lanewise/kernels,$(RACED))

guard: ## the short tests of what programs import in the guard build: poison, hashes, moving chunks
	$(GATE) -on guard,short -- $(PATHS) $(GO) test -short -tags lanewise_guard $(LIBRARY)

guard-full: ## every test in the guard build
	$(GATE) -on guard -- GOAMD64=v3 $(PATHS) $(GO) test -tags lanewise_guard $(CODE)

purego: ## the short tests of what programs import without assembly
	$(GATE) -on purego,noid,short -- $(GENERIC) $(GO) test -short -tags purego $(LIBRARY)

purego-full: ## every test without assembly
	$(GATE) -on purego,noid -- $(GENERIC) $(GO) test -tags purego $(CODE)

noworlds: ## package system in the builds without some default worlds (its examples need them)
	$(GATE) -on noworlds -- $(GO) test -tags lanewise_noworlds -run Test ./ecs/app
	$(GATE) -on noworlds -- $(GO) test -tags lanewise_noruntimeworld -run Test ./ecs/app
	$(GATE) -on noworlds -- $(GO) test -tags lanewise_noeditorworld -run Test ./ecs/app

v3: ## the bits for GOAMD64=v3 without the guards, as users compile it
	$(GATE) -on short -- GOAMD64=v3 $(PATHS) $(GO) test -short $(SHOWN)

386: ## the bits with words of 32 bits, and what lays out memory and counts in ints: no assembly; where the machine runs no such programs, on arm under qemu-user
	if .ci/runs-386; then $(MAKE) --silent 386-native; else $(MAKE) --silent 386-emulated; fi

I386 = $(GATE) -on short,32bit -- GOARCH=386 $(GENERIC) $(GO) test -short
386-native:
	$(I386) $(BITS)
	$(I386) ./soa ./chunk ./ecs ./ecs/internal/... ./jobs ./kernels/ints ./random

# Not as 386: qemu 7.2 delivers signals there on a thread with another one's g.
ARM = $(GATE) -on short,32bit,emulated -- $(GENERIC) LANEWISE_EXEC=qemu-arm-static GOARCH=arm $(GO) test -short -exec "'$(CURDIR)/.ci/one-cpu' qemu-arm-static"
386-emulated:
	$(ARM) $(BITS)
	$(ARM) ./soa ./chunk ./ecs ./ecs/internal/... ./kernels/ints ./random

386-full: ## the tests with words of 32 bits; under qemu-user the bits of the examples too, and more that counts in ints
	if .ci/runs-386; then $(MAKE) --silent 386-full-native; else $(MAKE) --silent 386-full-emulated; fi

386-full-native:
	$(I386) $(CODE)

386-full-emulated: 386-emulated
	$(ARM) $(SHOWN)
	$(ARM) -run 'Golden|Refused|Messages|RoundTrip' ./ecs/... ./study/internal/...

# qemu 7.2 reads whole vectors where an AVX2 load is masked, which no CPU does, so
# what puts lanes beside guard pages is left to the native run.
NEHALEM = $(GENERIC) LANEWISE_EXEC="qemu-x86_64-static -cpu Nehalem" $(GO) test -short -exec "qemu-x86_64-static -cpu Nehalem"
HASWELL = LANEWISE_PATHS=generic,avx2 LANEWISE_EXEC="qemu-x86_64-static -cpu Haswell" $(GO) test -short -exec "qemu-x86_64-static -cpu Haswell"

cpus: ## the bits on an x86 before AVX, the kernels' on one with AVX2 alone (qemu-user)
	$(GATE) -on short,emulated -- $(NEHALEM) $(BITS)
	$(GATE) -on short,emulated -- $(HASWELL) -timeout 1h -run 'Golden|Offsets|FunctionValues' ./kernels

cpus-full: ## the tests on an x86 before AVX, and on one with AVX2 alone (qemu-user)
	$(GATE) -on short,emulated -- $(NEHALEM) -timeout 1h $(CODE)
	$(GATE) -on short,emulated -- $(HASWELL) -timeout 1h -run 'Golden|Offsets|FunctionValues|Hash' $(CODE)

# qemu 7.2 lets a load of sync/atomic pass an earlier store on arm64, which no CPU
# does (docs/decisions/0003); the threads of one CPU cannot see it.
ARM64   = LANEWISE_PATHS=generic,neon LANEWISE_EXEC=qemu-aarch64-static GOARCH=arm64 $(GO) test -exec "'$(CURDIR)/.ci/one-cpu' qemu-aarch64-static"
RISCV64 = $(GENERIC) LANEWISE_EXEC=qemu-riscv64-static GOARCH=riscv64 $(GO) test -short -exec qemu-riscv64-static
S390X   = $(GENERIC) LANEWISE_EXEC=qemu-s390x-static GOARCH=s390x $(GO) test -short -exec qemu-s390x-static

arm64: ## the kernels' tests and the bits on arm64 (qemu-user)
	$(GATE) -on short,emulated -- $(ARM64) -short ./kernels
	$(GATE) -on short,emulated -- $(ARM64) -short -run 'Golden|Hash' ./internal/golden ./study/internal/design ./examples/fountain ./examples/rotationspeed
	$(GATE) -on short,emulated -- $(ARM64) -short $(IMAGES)

arm64-full: ## the tests on arm64 (qemu-user), of the kernels with all lengths
	$(GATE) -on short,emulated -- $(ARM64) -short -timeout 1h $(CODE)
	$(GATE) -on full,emulated -- $(ARM64) -timeout 2h ./kernels -lanewise.full

riscv64: ## the bits on riscv64 (qemu-user): no assembly, and products that Go fuses
	$(GATE) -on short,emulated -- $(RISCV64) $(BITS)

riscv64-full: ## the tests on riscv64 (qemu-user)
	$(GATE) -on short,emulated -- $(RISCV64) -timeout 1h $(CODE)

s390x: ## the bits on s390x (qemu-user), and what lays out memory: the other byte order
	$(GATE) -on short,emulated -- $(S390X) $(BITS)
	$(GATE) -on short,emulated -- $(S390X) ./soa ./chunk
	$(GATE) -on short,emulated -- $(S390X) -run Golden ./ecs/snapshot ./ecs/replay ./ecs/scene ./datafile
	$(GATE) -on short,emulated -- $(S390X) $(IMAGES)

s390x-full: ## the tests on s390x (qemu-user)
	$(GATE) -on short,emulated -- $(S390X) -timeout 1h $(CODE)

vet: ## go vet, and of what has other files for other targets and tags
	.ci/vet

# Go's own script has node run a program that is compiled for js/wasm.
wasm: ## the hashes of two programs and the short tests of soa, jobs and kernels, with the golden values, on wasm (nodejs); the last line says how fast the vectors of Go 1.27 are there
	GOOS=js GOARCH=wasm .ci/hashes hash fountain
	SPEED=1 .ci/wasm ./soa ./jobs ./kernels ./internal/golden

wasm-full: ## the short tests of the kernels, jobs, near, order, ecs and the packages above it on wasm (nodejs), a few under wazero (wasip1); those of the packages with kernels with the vectors of Go 1.27 too
	.ci/wasm $(WASM)
	GOOS=wasip1 .ci/wasm ./soa ./chunk ./jobs ./random ./order ./internal/golden
	GOTOOLCHAIN=go1.27.0 GOEXPERIMENT=simd .ci/wasm ./kernels/... ./near ./order ./grid ./integrate ./internal/golden ./examples/lanec

wasm-speed: ## times of the kernels on wasm (nodejs), with the vectors of Go 1.27 and without
	GOTOOLCHAIN=go1.27.0 GOEXPERIMENT=simd PATH="$$(GOTOOLCHAIN=go1.27.0 $(GO) env GOROOT)/lib/wasm:$$PATH" GOOS=js GOARCH=wasm $(GO) test -run NONE -bench '^Benchmark(AddScaled|Rotate|MulQuats|Compose|Sum|Dot|Sincos|Functions)$$/' -benchtime 500x -count 8 ./kernels

dist: ## compile everything for darwin and windows on amd64 and arm64, and link the command for these and linux
	.ci/dist

ports: ## check the types of the packages for every target of the toolchain
	.ci/dist ports

dist-full: ## compile every package for every CPU and every system of the toolchain
	.ci/dist full

vet-exact: ## lanewise-vet, in all modules that make or read worlds: nothing fused, nothing of package math that differs by CPU, no order of maps; and its own tests
	$(GO) -C cmd/lanewise-vet vet ./...
	$(GO) -C cmd/lanewise-vet build -o "$(CURDIR)/bin/lanewise-vet" .
	$(GO) vet -vettool="$(CURDIR)/bin/lanewise-vet" -exact.tests=false ./...
	$(GO) -C bench/jobs vet -vettool="$(CURDIR)/bin/lanewise-vet" ./...
	@for m in arrow inspect/browser mpi report study/nats; do echo "$$m"; GOWORK=off $(GO) -C $$m vet -tags openmpi -vettool="$(CURDIR)/bin/lanewise-vet" -exact.tests=false ./... || exit 1; done
	$(GO) -C cmd/lanewise-vet test ./...

lint: ## golangci-lint, also of five modules, and asmfmt
	@said=$$($(TOOL) golangci-lint run ./... 2>&1) || { echo "$$said"; exit 1; }; echo "$$said"; \
		case "$$said" in *"Skipped 0 issues by rules"*) echo "these rows of .golangci.yml are of no use: let them go"; exit 1;; esac
	@for m in arrow mpi report study/nats tools; do said=$$(cd $$m && GOWORK=off $(GO) tool -modfile="$(CURDIR)/tools/go.mod" golangci-lint run --config "$(CURDIR)/.golangci.yml" ./... 2>&1) || { echo "$$m: $$said"; exit 1; }; done
	@unformatted=$$(git ls-files '*.s' | xargs $(TOOL) asmfmt -l) || exit 1; \
		[ -z "$$unformatted" ] || { echo "asmfmt would change:"; echo "$$unformatted"; exit 1; }

# A study without a command says what commands it has, and fails.
SWEEP   = sweep -cores 2 -seeds 2 -out
examples: ## run every example, of a study a small sweep that is then verified
	@list=$$($(GO) list -f '{{if eq .Name "main"}}{{.ImportPath}}{{end}}' ./examples/...) || exit 1; for pkg in $$list; do echo "$$pkg"; \
		case "$$pkg" in */epidemic|*/flock) dir=$$(mktemp -d); $(GO) build -o "$$dir/program" "$$pkg" && "$$dir/program" $(SWEEP) "$$dir" && "$$dir/program" certify -out "$$dir" && "$$dir/program" verify -out "$$dir" -workers 3; code=$$?; rm -r "$$dir"; [ $$code = 0 ] || exit 1;; \
		*) $(GO) run "$$pkg" || exit 1;; esac; done

# The program is of the module tools, because it needs golang.org/x/mod, which users of the library do not.
release-check: ## every go get and go install of the README and the guide, each from an empty folder, and the programs below them: of the tree as a tag would have it (Open MPI's files)
	$(GO) -C tools test ./release
	$(GO) -C tools run ./release

release-full: ## every test of the library in a user's module, as go get fetched it
	$(GO) -C tools run ./release -all -only 'go test'

# It fails where no database can be reached, because then nothing was checked.
vuln: ## known vulnerabilities in the functions that the modules call, by govulncheck; the database is vuln.go.dev, or comes from the module proxy
	$(GO) -C tools test ./vuln
	$(GO) -C tools run ./vuln .. $(addprefix ../,$(IMPORTED) inspect/browser)

# The modules that others import.
IMPORTED = arrow cmd/lanewise-vet mpi report study/nats
replace: ## let another module use this copy of the library: make replace DIR=folder, with the folder of its go.mod
	@test -f "$(DIR)/go.mod" || { echo 'make replace: there is no go.mod in DIR="$(DIR)": give the folder of your module, for example make replace DIR="$$PWD"'; exit 1; }
	$(GO) -C "$(DIR)" mod edit -require "$M@v0.1.0" -replace "$M=$(CURDIR)" $(foreach m,$(IMPORTED),-replace "$M/$m=$(CURDIR)/$m")

hashes: ## the hashes that four programs print with their defaults, which are frozen
	.ci/hashes

# Ebitengine needs a screen as soon as a program with it starts: xvfb-run gives it one
# in memory.
window: ## examples/window, a module of its own, in a window, and the guide to it (Xvfb, files of X11)
	$(GO) -C examples/window vet ./...
	xvfb-run -a -s '-screen 0 1280x800x24' $(GATE) -- $(GO) -C examples/window test ./...
	xvfb-run -a $(GO) -C examples/window test -run '^$$' -bench . -benchtime 1x ./screen

bench-once: ## each benchmark once, so that none rots
	@list=$$($(GO) list -f '{{.Dir}}' ./...) || exit 1; \
		$(GO) test -run '^$$' -bench . -benchtime 1x $$(for dir in $$list; do ! grep -qs '^func Benchmark' $$dir/*_test.go || echo $$dir; done)

# ROUNDS and ROWS are those of the program: more rounds for UPDATE=1, and only some rows.
claims: ## the ratios of docs/claims.md, measured again: those that are off by more than 15 % (clang); UPDATE=1 writes the pages; ROWS=visit, ROUNDS=21
	$(GO) -C bench/compare run . -claims -rounds $(or $(ROUNDS),9) $(if $(ROWS),-only '$(ROWS)') $(if $(UPDATE),-update)

rollback: ## two peers over a bad link for 10,000 ticks (LONG=1: 100,000) of 10,000 entities, against a straight run
	$(GO) test -run TestLong -v -timeout 1h ./examples/rollback -rollback.ticks=$(call PICK,10000,100000)

# The time is for each of three sizes of two zoos. Only the large zoos need more than a minute for all pairs.
roads: ## worlds with everything (internal/zoo) down every pair of roads in random order, in about ten minutes (LONG=1: random roads, two hours); SEED=n, which it prints, or STEPS='workers=…' for a program that has failed
	@seed=$(or $(SEED),$$(date +%s)); set -x; $(GO) test -run TestRoads -v -timeout 4h ./internal/zoo -lanewise.full \
		$(if $(filter command,$(firstword $(origin STEPS))),-roads.program='$(STEPS)',-roads.seed=$$seed $(call PICK,-roads.pairs -roads.for=4m,-roads.for=20m))

# STEPS is how many batches; the seed is another one each second, and is printed.
STEPS ?= $(call PICK,1000,10000)
imports: ## imports of slices of Arrow batches, and Parquet there and back, from a random seed; STEPS=n
	@seed=$$(date +%s); set -x; GOWORK=off $(GO) -C arrow test . -run TestSlices -v -timeout 2h -steps $(STEPS) -seed $$seed && \
		GOWORK=off $(GO) -C arrow test ./parquet -run TestThereAndBack -v -timeout 2h -worlds $$(($(STEPS) / 5)) -seed $$seed

soak: soak-jobs soak-ecs ## the long runs, five minutes; with LONG=1 three hours

soak-jobs: ## jobs for a minute (LONG=1: ten) with foreign load on every core
	$(GO) test -run TestSoak -v -timeout 20m ./jobs -jobs.soak=$(call PICK,1m,10m)

soak-ecs: ## systems sorted against a naive order, ecs against its model in three million steps (LONG=1: a hundred million), and between images
	$(GO) test -run SortAgainstNaive -v ./ecs/system -lanewise.trees=$(call PICK,10000,100000)
	$(GO) test -run 'TestImageModel|TestRestoreModel' -v -timeout 4h ./ecs -kept $(call PICK,30000,1000000)
	$(GO) test -run 'TestModel$$' -v -timeout 4h ./ecs -steps $(call PICK,3000000,100000000)

# KILLS is how many, of each engine.
KILLS ?= 100
study-kills: ## studies that are killed at random moments, against one that is not: alone, on SLURM (slurm-wlm, munge), over NATS; KILLS=n
	$(GO) test -run '^TestKill$$' -v -timeout 1h ./study -study.kills=$(KILLS)
	GOWORK=off $(GO) -C study/nats test -run '^TestKillsAtRandom$$' -v -timeout 1h . -study.kills=$(KILLS)
	$(GO) test -run '^TestSLURM$$' -v -timeout 1h ./study -study.slurm -study.slurmkills=$(KILLS)

verify-drill: ## a study of 1,000 runs with wrong bits in its files, and with other models: verify names each, and nothing else; it prints them
	$(GO) test -run '^TestDrill$$' -v ./study -study.drill=1000

study-arches: ## a study over NATS by a worker of this CPU and one of the other (amd64, arm64; qemu-user-static, Linux 6.7), run for run the same
	.ci/arches

accuracy: ## how far the functions are from the exact results, in ulp; with MPFR (libmpfr-dev) at all float32: it goes on where it was stopped
	$(GO) test -run ULP -v ./kernels -lanewise.full
	$(GO) run ./internal/accuracy

rounded: ## the correctly rounded functions against MPFR (libmpfr-dev), at each 101st float32 and ten million pairs on every path (LONG=1: at all float32 and 1.4 billion pairs: it goes on where it was stopped)
	$(GO) run ./internal/accuracy -rounded -paths . $(call PICK,-stride 101 -state '',-n 1400000000)

HARBOUR ?= $(call PICK,30,900)
harbour: ## two minutes of travel (LONG=1: an hour) over 100 tiles of 10,000 entities: memory and rows of each update; HARBOUR=n for n laps of 4 s
	$(GO) test -run TestMemory -v -timeout 4h ./examples/harbour -lanewise.full -harbour.laps=$(HARBOUR)

near-cases: ## grids of package near against comparison with every point, a hundred thousand cases (LONG=1: a million)
	$(GO) test -run TestAgainstAll -timeout 2h ./near -near.cases=$(call PICK,50000,500000)

order-cases: ## sorts of package order against the standard library's, a hundred thousand cases (LONG=1: a million)
	$(GO) test -run TestAgainstStandard -timeout 1h ./order -order.cases=$(call PICK,17000,170000)

random-quality: ## the words of package random: tests of their own over 2^36 of them, then all that dieharder -a runs (Debian), hours
	$(GO) test -run TestQuality -v -timeout 12h ./random -random.words=1400000000
	$(GO) test -run TestDieharder -v -timeout 24h ./random -random.dieharder

FUZZ ?= $(call PICK,10s,5m)
fuzz: ## each fuzz target for ten seconds (LONG=1: five minutes); FUZZ=1s for a look
	.ci/fuzz $(FUZZ)

generate: ## go.mod and what is generated are current
	$(GO) mod tidy -diff
	$(GO) generate ./...
	$(GO) -C bench/compare generate ./...
	git diff --exit-code -- '*_gen.go' '*_gen.s' 'kernels/*_gen_*.s' '*lanec_*.[sh]'

opinion: ## the hand-written kernels against the same loops compiled from C, by c2goasm and here (clang)
	$(GO) vet -tags c2go ./internal/c2go
	$(GATE) -- $(GO) test -tags c2go ./internal/c2go
	$(GATE) -- $(GO) -C bench/compare test ./...

# What is random is drawn from a seed that is known, and from another one each time.
RANDOM  = $(GO) test -run 'Random$$' -timeout 4h ./internal/lanec

lanec: ## random loops compiled to kernels and compared with their source on every path, also on arm64 (qemu-user) and on WebAssembly (nodejs) with the vectors of Go 1.27; what llvm-mc-19 reads of AVX-512
	$(RANDOM) -lanewise.programs=300
	$(RANDOM) -lanewise.programs=300 -lanewise.seed=0
	$(GO) test -run 'Language|Random$$' ./internal/lanec -lanewise.programs=50 -lanewise.arm64
	$(GO) test -run 'Language|Random$$' -timeout 1h ./internal/lanec -lanewise.programs=50 -lanewise.wasm
	$(GATE) -- $(GO) test -run TestDecoded ./internal/lanec

inspect-fuzz: ## a hundred thousand requests to the inspector, most of them nonsense
	$(GO) test -run FuzzEndpoints -v -timeout 2h ./inspect -inspect.requests=100000

lanec-fuzz: ## ten thousand of them, and as many with products that Go may fuse; a thousand on arm64 (qemu-user), and on simulated AVX-512
	$(GO) test -run Random -timeout 12h ./internal/lanec -lanewise.programs=10000 -lanewise.seed=0
	$(GO) test -run Random -timeout 12h ./internal/lanec -lanewise.programs=1000 -lanewise.seed=0 -lanewise.arm64 -lanewise.patience=1h
	$(GO) test -run Simulated -timeout 12h ./internal/lanec -lanewise.programs=3000 -lanewise.seed=0 -lanewise.patience=2h

c2go: ## compile internal/c2go/source again (clang, yasm)
	GOBIN=$(CURDIR)/bin $(GO) install -modfile=tools/go.mod github.com/klauspost/asmfmt/cmd/asmfmt github.com/minio/asm2plan9s github.com/minio/c2goasm
	PATH="$(CURDIR)/bin:$$PATH" internal/c2go/generate.sh

c2go-again: ## make c2go with clang-14 writes the bytes of the repository (clang-14, yasm)
	CLANG=clang-14 $(MAKE) c2go
	git diff --exit-code -- internal/c2go/stubs_amd64.s

polynomials: ## the errors of the polynomials beside those that Sollya finds (sollya)
	$(GO) run ./internal/minimax -sollya

gallery: ## build examples/gallery and examples/duel, simulations and a game that run in a browser, into bin/gallery, which any file server serves; SIMD=1: with the vectors of Go 1.27
	SIMD=$(SIMD) .ci/gallery bin/gallery
	@echo "go run ./examples/gallery -serve bin/gallery"

inspect-pictures: ## draw the pictures of docs/inspect anew (chromium)
	rm -f docs/inspect/*.png
	$(GO) -C inspect/browser test -count=1 -run '^Test(Views|Filter|Tree|Hands|TimeBar)$$' . -lanewise.pictures "$(CURDIR)/docs/inspect"

# AXE is the version of axe-core, from npm. The package is kept for the next time.
AXE     = 4.14.1
AXE_DIR = $(or $(LANEWISE_NODE),$(or $(TMPDIR),/tmp)/lanewise-node)/axe-core-$(AXE)
axe: ## the page of the inspector in a browser, with axe-core for accessibility (chromium, npm)
	[ -e "$(AXE_DIR)/complete" ] || { rm -rf "$(AXE_DIR)" && mkdir -p "$(AXE_DIR)" && timeout 300 npm install --silent --no-fund --no-audit --prefix "$(AXE_DIR)" axe-core@$(AXE) && touch "$(AXE_DIR)/complete"; }
	$(GATE) -- $(GO) -C inspect/browser test -run '^Test[^G]' . -lanewise.axe "$(AXE_DIR)/node_modules/axe-core/axe.min.js"

browser: ## the page of the inspector, the gallery and the duel in a browser (chromium)
	$(GO) -C inspect/browser vet ./...
	$(GATE) -- $(GO) -C inspect/browser test ./...

engines: ## arrow and report, modules of their own; what DuckDB and polars read of it (npm); a study on SLURM (slurm-wlm, munge) and over NATS
	.ci/engines

# PYTHON has numpy, VTK and ASE.
PYTHON ?= /usr/bin/python3
formats: ## files of package datafile, which numpy, VTK and ASE read, and files of numpy and ASE, which it reads (python3-numpy, python3-vtk9, python3-ase); PYTHON=program
	$(GATE) -on formats -- $(GO) test ./datafile -datafile.python $(PYTHON)

mpi: ## one world on 1 to 8 ranks, with Open MPI and MPICH (openmpi-bin, libopenmpi-dev, mpich, libmpich-dev)
	.ci/mpi

mpi-report: ## what a tick of 20,000 rows a rank sends and takes, on 1 to 16 ranks (openmpi-bin, libopenmpi-dev)
	GOWORK=off $(GO) -C mpi run ./internal/report

mutants: ## a seventh of the wrong programs of the list, each day of the week another one (LONG=1: all), of which at least 95 of 100 must be noticed (docs/mutants.md)
	$(GO) run ./internal/mutants -share $(call PICK,$$(date +%u)/7,1/1)

mca: ## the NEON loops beside clang's, by the model of llvm-mca-19 (clang, llvm-19)
	$(GO) run ./internal/mca

numbers: ## the benchmarks of packages bench and kernels, and doctor: what a machine that we do not have is asked for
	$(GO) test -run '^$$' -bench . ./bench ./kernels
	$(GO) run ./cmd/lanewise doctor

bench: ## the scenarios of package bench
	$(GO) test -run '^$$' -bench . ./bench

growth: ## ways through a world beside flat arrays at 1,000 to 10 million rows: it fails where the ratio grows; and counts of work at full length
	$(GO) test -run '^$$' -bench Growth -benchtime 15x ./bench -bench.growth=10000000
	$(GO) test -run 'Grows?$$' -v -timeout 1h ./ecs -lanewise.full -ecs.growth=10000000
	$(GO) test -run LoadsLeaveTheHeapFlat -v -timeout 1h ./ecs/scene -scene.loads 1000

bench-guard: ## benchmarks here and those of the commit BASE, in turns: it fails where we lose more than 5 %; ONLY=Gather
	$(GO) run ./internal/benchguard -base '$(BASE)' $(if $(ONLY),-only '$(ONLY)')

bench-ark: ## worlds of entities beside Ark and flat slices, in one table
	$(GO) -C bench/compare run ./entities

bench-kernels: ## kernels beside plain Go, gonum, vek and C (clang), in one table
	$(GO) -C bench/compare run .

few: ## kernels on 1 to 8 rows beside their Go bodies, without the choice of the Go body for few rows
	trap '$(GO) generate ./kernels' EXIT; $(GO) run ./internal/kernelgen -dir kernels -few=false && $(GO) test -run '^$$' -bench Few -benchtime 1x ./kernels

bench-lanec: ## loops compiled by lanec beside C (clang), in one table
	$(GO) -C bench/compare run ./compiled

bench-order: ## sorts of package order beside radix sorts in C++ (clang), in one table
	$(GO) -C bench/compare run ./sorts

bench-random: ## numbers of package random beside Philox in C (clang), in one table
	$(GO) -C bench/compare run ./draws

bench-near: ## grids of package near beside C (clang), in one table
	$(GO) -C bench/compare run ./neighbours

md: ## molecular dynamics beside LAMMPS (Debian: lammps), in one table, with energies and hashes
	$(GO) run ./bench/md

inspect-bench: ## the inspector: times of requests, delays of frames, earlier ticks, and the predictions of Explain, with their limits, in a minute
	$(GO) run ./internal/inspectbench

bench-ecs: ## entities, components and queries
	$(GO) test -run '^$$' -bench . ./ecs

bench-systems: ## groups, order and dependencies
	$(GO) test -run '^$$' -bench . ./ecs/system

bench-transform: ## transforms and hierarchies
	$(GO) test -run '^$$' -bench . ./ecs/transform

bench-jobs: ## package jobs beside OpenMP, goroutines, errgroup and conc (gcc)
	$(GO) -C bench/jobs run .

cover: ## statement coverage of each package
	$(GO) test -cover ./...
