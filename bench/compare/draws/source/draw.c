// Philox 4x32-10 in C, with intrinsics of AVX2 and AVX-512: numbers from 0 to below 1 of float32, of the words that package random
// takes. The program is driven through its standard input:
//
//	what bits n times
//
// where what is index (four rows share a block) or ids (word 0 of a block each), and bits is 256 or 512. It answers with the
// nanoseconds that one call took; for 0 times with the sum of what one call left; with -1 where the CPU has no such vectors.
//
//	clang -O3 -ffp-contract=off -o draw draw.c
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
	uint32_t tick, c3, k0, k1;
} key;

#define A 0xD2511F53u
#define B 0xCD9E8D57u

// A product of 32 bits by 32 takes the lower halves of elements of 64: what is in the upper ones does not matter.
#define WIDE(name, attribute, V, set32, mul, shift, xor3)                                          \
	attribute static inline void name(V *c0, V *c1, V *c2, V *c3, const V *k) {                     \
		V a = set32((int)A), b = set32((int)B);                                                     \
		for (int r = 0; r < 10; r++) {                                                              \
			V pa = mul(a, *c0), pb = mul(b, *c2);                                                   \
			*c0 = xor3(shift(pb, 32), *c1, k[2 * r]);                                               \
			*c2 = xor3(shift(pa, 32), *c3, k[2 * r + 1]);                                           \
			*c1 = pb, *c3 = pa;                                                                     \
		}                                                                                           \
	}
#define XOR2(a, b, c) _mm256_xor_si256(a, _mm256_xor_si256(b, c))
#define XOR5(a, b, c) _mm512_ternarylogic_epi64(a, b, c, 0x96)
#define AVX2 __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f,avx512vl,avx512dq")))
WIDE(rounds2, AVX2, __m256i, _mm256_set1_epi32, _mm256_mul_epu32, _mm256_srli_epi64, XOR2)
WIDE(rounds5, AVX512, __m512i, _mm512_set1_epi32, _mm512_mul_epu32, _mm512_srli_epi64, XOR5)

AVX2 static inline __m256 unit2(__m256i w) {
	return _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_srli_epi32(w, 8)), _mm256_set1_ps(0x1p-24f));
}

AVX2 static void keys2(__m256i *k, const key *s) {
	for (int r = 0; r < 10; r++) {
		k[2 * r] = _mm256_set1_epi32((int)(s->k0 + 0x9E3779B9u * (uint32_t)r));
		k[2 * r + 1] = _mm256_set1_epi32((int)(s->k1 + 0xBB67AE85u * (uint32_t)r));
	}
}

AVX2 static void ids2(float *dst, const uint64_t *id, int n, const key *s) {
	__m256i k[20], tick = _mm256_set1_epi32((int)s->tick), last = _mm256_set1_epi32((int)s->c3);
	keys2(k, s);
	for (int i = 0; i < n; i += 8) {
		__m256i w[2];
		for (int h = 0; h < 2; h++) {
			__m256i c0 = _mm256_loadu_si256((const __m256i *)(id + i + 4 * h)), c1 = _mm256_srli_epi64(c0, 32), c2 = tick, c3 = last;
			rounds2(&c0, &c1, &c2, &c3, k);
			w[h] = c0;
		}
		__m256i low = _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(w[0]), _mm256_castsi256_ps(w[1]), 0x88));
		_mm256_storeu_ps(dst + i, unit2(_mm256_permute4x64_epi64(low, 0xD8)));
	}
}

AVX2 static void index2(float *dst, uint64_t first, int n, const key *s) {
	__m256i k[20], tick = _mm256_set1_epi32((int)s->tick), last = _mm256_set1_epi32((int)s->c3), high = _mm256_set1_epi32((int)(first >> 34));
	keys2(k, s);
	for (int i = 0; i < n; i += 16) {
		__m256i c0 = _mm256_add_epi64(_mm256_set1_epi64x((long long)(first / 4) + i / 4), _mm256_setr_epi64x(0, 2, 1, 3)), c1 = high, c2 = tick, c3 = last;
		rounds2(&c0, &c1, &c2, &c3, k);
		__m256i one = _mm256_blend_epi32(c0, _mm256_slli_epi64(c1, 32), 0xAA), two = _mm256_blend_epi32(c2, _mm256_slli_epi64(c3, 32), 0xAA);
		_mm256_storeu_ps(dst + i, unit2(_mm256_unpacklo_epi64(one, two)));
		_mm256_storeu_ps(dst + i + 8, unit2(_mm256_unpackhi_epi64(one, two)));
	}
}

AVX512 static inline __m512 unit5(__m512i w) {
	return _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_srli_epi32(w, 8)), _mm512_set1_ps(0x1p-24f));
}

AVX512 static void keys5(__m512i *k, const key *s) {
	for (int r = 0; r < 10; r++) {
		k[2 * r] = _mm512_set1_epi32((int)(s->k0 + 0x9E3779B9u * (uint32_t)r));
		k[2 * r + 1] = _mm512_set1_epi32((int)(s->k1 + 0xBB67AE85u * (uint32_t)r));
	}
}

AVX512 static void ids5(float *dst, const uint64_t *id, int n, const key *s) {
	__m512i k[20], tick = _mm512_set1_epi32((int)s->tick), last = _mm512_set1_epi32((int)s->c3);
	keys5(k, s);
	for (int i = 0; i < n; i += 8) {
		__m512i c0 = _mm512_loadu_si512(id + i), c1 = _mm512_srli_epi64(c0, 32), c2 = tick, c3 = last;
		rounds5(&c0, &c1, &c2, &c3, k);
		__m256i w = _mm512_cvtepi64_epi32(c0);
		_mm256_storeu_ps(dst + i, _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_srli_epi32(w, 8)), _mm256_set1_ps(0x1p-24f)));
	}
}

AVX512 static void index5(float *dst, uint64_t first, int n, const key *s) {
	__m512i k[20], tick = _mm512_set1_epi32((int)s->tick), last = _mm512_set1_epi32((int)s->c3), high = _mm512_set1_epi32((int)(first >> 34));
	keys5(k, s);
	for (int i = 0; i < n; i += 32) {
		__m512i c0 = _mm512_add_epi64(_mm512_set1_epi64((long long)(first / 4) + i / 4), _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7)), c1 = high, c2 = tick, c3 = last;
		rounds5(&c0, &c1, &c2, &c3, k);
		__m512i one = _mm512_mask_shuffle_epi32(c0, 0xAAAA, c1, 0xA0), two = _mm512_mask_shuffle_epi32(c2, 0xAAAA, c3, 0xA0);
		_mm512_storeu_ps(dst + i, unit5(_mm512_unpacklo_epi64(one, two)));
		_mm512_storeu_ps(dst + i + 16, unit5(_mm512_unpackhi_epi64(one, two)));
	}
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(void) {
	char what[16];
	int bits, n, times;
	key s = { 7, 3 << 8, 0x12345678, 0x9abcdef0 };
	setvbuf(stdout, 0, _IOLBF, 0);
	while (scanf("%15s %d %d %d", what, &bits, &n, &times) == 4) {
		if (n % 32 || (bits == 512 && !(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")))) {
			puts("-1");
			continue;
		}
		float *dst = aligned_alloc(64, 4 * (size_t)n);
		uint64_t *id = aligned_alloc(64, 8 * (size_t)n);
		for (int i = 0; i < n; i++) id[i] = (uint64_t)i * 0x9E3779B97F4A7C15u;
		int index = !strcmp(what, "index");
		s.c3 = index ? 3 << 8 | 128 : 3 << 8;
		double begin = 0;
		for (int k = -1; k < times; k++) { // the first is not timed
			if (k == 0) begin = now();
			if (bits == 512) index ? index5(dst, 0, n, &s) : ids5(dst, id, n, &s);
			else index ? index2(dst, 0, n, &s) : ids2(dst, id, n, &s);
		}
		double answer = (now() - begin) / times;
		if (times == 0) {
			answer = 0;
			for (int i = 0; i < n; i++) answer += (double)(i % 1000) * dst[i];
		}
		free(dst), free(id);
		printf("%.17g\n", answer);
	}
}
