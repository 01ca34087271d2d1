package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// disassembly is the output of llvm-objdump for a function with a wide loop, a narrow loop, and a
// branch out.
const disassembly = `
kernels.test:	file format elf64-littleaarch64

Disassembly of section .text:

0000000000010000 <example.f>:
   10000:      	ldr	x0, [sp, #0x8]
   10004:      	b.lt	0x10018 <example.f+0x18>
   10008:      	ldp	q0, q1, [x1], #0x20
   1000c:      	stp	q0, q1, [x0], #0x20
   10010:      	subs	x2, x2, #0x8
   10014:      	b.ge	0x10008 <example.f+0x8>
   10018:      	ldr	s0, [x1], #0x4
   1001c:      	str	s0, [x0], #0x4
   10020:      	cbnz	x2, 0x10018 <example.f+0x18>
   10024:      	ret

0000000000010030 <example.g>:
   10030:      	ret
`

func TestWidest(t *testing.T) {
	found := splitFunctions(disassembly)
	if len(found) != 2 || found["example.f"] == nil || found["example.g"] == nil {
		t.Fatalf("functions: %v, want example.f and example.g", found)
	}
	got := found["example.f"].widest(loop.storedBytes)
	want := loop{"ldp q0, q1, [x1], #0x20", "stp q0, q1, [x0], #0x20", "subs x2, x2, #0x8", "b.ge 0x10008 <example.f+0x8>"}
	if !slices.Equal(got, want) {
		t.Errorf("loop of f: %q, want %q", got, want)
	}
	if text := "ldp q0, q1, [x1], #0x20\nstp q0, q1, [x0], #0x20\nsubs x2, x2, #0x8\nb.ge .-4\n"; got.String() != text {
		t.Errorf("for the model: %q, want %q", got, text)
	}
	if got := found["example.g"].widest(loop.storedBytes); got != nil {
		t.Errorf("loop of g: %q, want none", got)
	}
}

func TestStored(t *testing.T) {
	for text, want := range map[string]int{
		"str q0, [x0], #0x10":                      16,
		"stur q3, [x0, #-0x10]":                    16,
		"stp q0, q5, [x0, #0x20]":                  32,
		"stp d0, d1, [x0]":                         16,
		"str s0, [x0, x1, lsl #2]":                 4,
		"str x3, [x0]":                             0,
		"str q1, [sp, #0x1b0]":                     0,
		"ldr q0, [x0]":                             0,
		"st2 { v0.2s, v1.2s }, [x0], #16":          16,
		"st4 { v0.4s, v1.4s, v2.4s, v3.4s }, [x0]": 64,
		"st1 { v0.d }[1], [x0]":                    8,
		"st1 { v0.16b, v1.16b }, [x0], #32":        32,
		"fmul v0.4s, v1.4s, v2.4s":                 0,
	} {
		if got := (loop{text}).storedBytes(); got != want {
			t.Errorf("%s stores %d bytes, want %d", text, got, want)
		}
	}
}

func TestLoaded(t *testing.T) {
	for text, want := range map[string]int{
		"ldr q0, [x0], #0x10":                      16,
		"ldp q0, q5, [x0, #0x20]":                  32,
		"ld1 { v0.16b, v1.16b }, [x0], #32":        32,
		"ldr x3, [x0]":                             0,
		"stp q0, q1, [x0]":                         0,
		"ldp d8, d9, [x0, #0x10]":                  16,
		"ldr s0, [x0, x1, lsl #2]":                 4,
		"fmul v0.4s, v1.4s, v2.4s":                 0,
		"ld1r { v0.4s }, [x0]":                     0, // a constant
		"ld4 { v0.4s, v1.4s, v2.4s, v3.4s }, [x0]": 64,
	} {
		if got := (loop{text}).loadedBytes(); got != want {
			t.Errorf("%s loads %d bytes, want %d", text, got, want)
		}
	}
}

// TestList compares the list with the bodies of package kernels.
func TestList(t *testing.T) {
	files, err := filepath.Glob("../../kernels/*_arm64.s")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files *_arm64.s (%v)", err)
	}
	bodies := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^TEXT ·(\w+)NEON\(SB\)`).FindAllStringSubmatch(string(text), -1) {
			bodies[m[1]] = true
		}
	}
	for _, k := range list {
		if !bodies[k.name] {
			t.Errorf("%s is in the list, but has no body", k.name)
		}
		delete(bodies, k.name)
	}
	for name := range bodies {
		t.Errorf("%s has a body, but is not in the list", name)
	}
}
