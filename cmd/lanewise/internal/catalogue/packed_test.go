package catalogue

import "testing"

func TestDesignation(t *testing.T) {
	for _, c := range []struct{ packed, want string }{
		// These are the examples in the description of the Minor Planet Center.
		{"03202", "(3202)"}, {"50000", "(50000)"}, {"A0345", "(100345)"}, {"a0017", "(360017)"}, {"K3289", "(203289)"},
		{"z9999", "(619999)"}, {"~0000", "(620000)"}, {"~000z", "(620061)"}, {"~AZaz", "(3140113)"}, {"~zzzz", "(15396335)"},
		{"J95X00A", "1995 XA"}, {"J95X01L", "1995 XL1"}, {"J95F13B", "1995 FB13"}, {"J98SA8Q", "1998 SQ108"},
		{"J98SC7V", "1998 SV127"}, {"J98SG2S", "1998 SS162"}, {"K99AJ3Z", "2099 AZ193"}, {"K08Aa0A", "2008 AA360"}, {"K07Tf8A", "2007 TA418"},
		{"I99C00A", "A899 CA"}, {"J24Y01B", "A924 YB1"}, {"J25A00A", "1925 AA"}, {"PLS2040", "2040 P-L"}, {"T1S3138", "3138 T-1"}, {"T2S1010", "1010 T-2"}, {"T3S4101", "4101 T-3"},
		{"_QC0000", "2026 CA620"}, {"_QC0aEM", "2026 CZ6190"}, {"_QCzzzz", "2026 CL591673"}, {"_PD0aEM", "2025 DZ6190"},
	} {
		if got, ok := designation(c.packed); !ok || got != c.want {
			t.Errorf("designation(%q) = %q, %v; want %q", c.packed, got, ok, c.want)
		}
	}
	for _, packed := range []string{
		"", "1", "0320", "032O2", "-3202", "~00!0", "J95I00A", "J95X00I", "J95Z00A", "J9XX00A", "j95X00A", "J95XA!A", "J95X0aA",
		"_!C0000", "_QI0000", "_QC0-00", "PLSxxxx", "T4S1234", "PLS+123", "J95X00AB", "     ",
	} {
		if got, ok := designation(packed); ok {
			t.Errorf("designation(%q) = %q, want a refusal", packed, got)
		}
	}
}

func TestEpoch(t *testing.T) {
	for _, c := range []struct {
		packed string
		want   float64
	}{
		{"J9611", 2450083.5}, {"J961A", 2450092.5}, {"J969U", 2450356.5}, {"J96AR", 2450383.5}, {"J96CV", 2450448.5}, // the Center's examples
		{"K2669", 2461200.5}, {"I01C1", 2379195.5}, {"L001A", 2488078.5},
	} {
		if got, ok := epoch([]byte(c.packed)); !ok || got != c.want {
			t.Errorf("epoch(%q) = %v, %v; want %v", c.packed, got, ok, c.want)
		}
	}
	for _, packed := range []string{"", "K266", "K26699", "K26D1", "K2601", "K2660", "K266W", "K252T", "K2X69", "H2669", "k2669", "K26a9", "K266v", "     "} {
		if got, ok := epoch([]byte(packed)); ok {
			t.Errorf("epoch(%q) = %v, want a refusal", packed, got)
		}
	}
}
