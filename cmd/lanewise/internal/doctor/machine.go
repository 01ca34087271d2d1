package doctor

import (
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"
	"github.com/lanewise/lanewise/kernels"
)

// features are the CPU features that paths need, with their names in the CPU manuals.
var features = []struct {
	path, name string
	id         cpuid.FeatureID
}{
	{"avx2", "AVX2", cpuid.AVX2},
	{"avx512", "AVX-512F", cpuid.AVX512F},
	{"avx512", "AVX-512VL", cpuid.AVX512VL},
	{"avx512", "AVX-512DQ", cpuid.AVX512DQ},
	{"avx512", "AVX-512BW", cpuid.AVX512BW},
}

// cpu returns the name of the processor.
func cpu() string {
	if name := strings.TrimSpace(cpuid.CPU.BrandName); name != "" {
		return name
	}
	return runtime.GOARCH
}

// missingFeatures returns the features that a path needs but the CPU lacks.
func missingFeatures(path string) (names []string) {
	for _, f := range features {
		if f.path == path && !cpuid.CPU.Supports(f.id) {
			names = append(names, f.name)
		}
	}
	return names
}

// choiceReason returns the reason why the current path was chosen.
func choiceReason() string {
	if os.Getenv("LANEWISE_KERNELS") != "" {
		return "LANEWISE_KERNELS asks for it"
	}
	has := func(path string) bool { return slices.Contains(kernels.Paths(), path) }
	switch arch := runtime.GOARCH; {
	case has("avx512"):
		return "this CPU has AVX2 and of AVX-512 F, VL, DQ and BW"
	case has("avx2"):
		return "this CPU has AVX2 and lacks " + strings.Join(missingFeatures("avx512"), ", ")
	case has("neon"):
		return "every arm64 has NEON"
	case has("simd"):
		return "this build has the vectors of WebAssembly: GOEXPERIMENT=simd"
	case arch == "wasm":
		return "this build has no vectors: Go 1.27 with GOEXPERIMENT=simd compiles them"
	case arch == "amd64" && len(missingFeatures("avx2")) > 0:
		return "this CPU lacks AVX2"
	case arch == "amd64" || arch == "arm64":
		return "this build has no assembly: -tags purego"
	default:
		return "there is no assembly for " + arch
	}
}

// buildTarget describes the target of the build.
func buildTarget() string {
	parts := []string{runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "GOAMD64" || s.Key == "GOARM64" || s.Key == "-tags" || s.Key == "-race" {
				parts = append(parts, s.Key+"="+s.Value)
			}
		}
	}
	return strings.Join(parts, " ")
}
