// Neighbours in C, with intrinsics of AVX2: a grid over points in a cube by counting sort, and
// for each point the sum over all within a cell's width of mass*(r*r-distance*distance)^3.
// The program is driven through its standard input:
//
//	n side what times
//
// where what is build or sums, and answers with the nanoseconds that one call took; for 0
// times with the sum of all sums after one call.
//
//	clang -O3 -mavx2 -ffp-contract=off -o near near.c
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
	int n, side;
	float *x, *y, *z, *m;     // as they are drawn
	float *sx, *sy, *sz, *sm; // by cell
	float *out;
	int32_t *cell, *id, *start, *next;
} grid;

static float *lane(size_t n) { return aligned_alloc(64, (n * 4 + 127) / 64 * 64); }

static uint32_t state;
static float draw(void) {
	state = state * 1664525 + 1013904223;
	return (float)(state >> 8) * 0x1p-24f;
}

static grid make(int n, int side) {
	grid g = { .n = n, .side = side };
	float **lanes[] = { &g.x, &g.y, &g.z, &g.m, &g.sx, &g.sy, &g.sz, &g.sm, &g.out, (float **)&g.cell, (float **)&g.id };
	for (size_t k = 0; k < sizeof lanes / sizeof *lanes; k++) *lanes[k] = lane(n + 8);
	g.start = malloc(4 * ((size_t)side * side * side + 1));
	g.next = malloc(4 * ((size_t)side * side * side + 1));
	state = 1;
	for (int i = 0; i < n; i++) g.x[i] = draw(), g.y[i] = draw(), g.z[i] = draw(), g.m[i] = draw();
	return g;
}

// build sorts points, and their numbers, by cell.
static void build(grid *g) {
	int side = g->side, cells = side * side * side;
	const __m256 inv = _mm256_set1_ps((float)side);
	const __m256i last = _mm256_set1_epi32(side - 1), across = _mm256_set1_epi32(side), layer = _mm256_set1_epi32(side * side);
	memset(g->next, 0, 4 * ((size_t)cells + 1));
	int i = 0;
	for (; i + 8 <= g->n; i += 8) {
		__m256i cx = _mm256_min_epi32(last, _mm256_cvttps_epi32(_mm256_mul_ps(inv, _mm256_loadu_ps(g->x + i))));
		__m256i cy = _mm256_min_epi32(last, _mm256_cvttps_epi32(_mm256_mul_ps(inv, _mm256_loadu_ps(g->y + i))));
		__m256i cz = _mm256_min_epi32(last, _mm256_cvttps_epi32(_mm256_mul_ps(inv, _mm256_loadu_ps(g->z + i))));
		__m256i c = _mm256_add_epi32(cx, _mm256_add_epi32(_mm256_mullo_epi32(cy, across), _mm256_mullo_epi32(cz, layer)));
		_mm256_storeu_si256((__m256i *)(g->cell + i), c);
	}
	for (; i < g->n; i++) {
		int cx = (int)(g->x[i] * side), cy = (int)(g->y[i] * side), cz = (int)(g->z[i] * side);
		g->cell[i] = (cx < side ? cx : side - 1) + (cy < side ? cy : side - 1) * side + (cz < side ? cz : side - 1) * side * side;
	}
	for (i = 0; i < g->n; i++) g->next[g->cell[i]]++;
	int at = 0;
	for (int c = 0; c <= cells; c++) {
		int k = g->next[c];
		g->next[c] = g->start[c] = at;
		at += k;
	}
	for (i = 0; i < g->n; i++) {
		int to = g->next[g->cell[i]]++;
		g->sx[to] = g->x[i], g->sy[to] = g->y[i], g->sz[to] = g->z[i], g->id[to] = i;
	}
}

// masses brings them into the order of cells.
static void masses(grid *g) {
	for (int i = 0; i < g->n; i++) g->sm[i] = g->m[g->id[i]];
}

static float total(__m256 v) {
	__m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
	s = _mm_add_ps(s, _mm_movehl_ps(s, s));
	return _mm_cvtss_f32(_mm_add_ss(s, _mm_shuffle_ps(s, s, 1)));
}

// sums goes through nine runs of cells for each point, eight candidates at once.
static void sums(grid *g) {
	int side = g->side;
	float r = 1.0f / (float)side, r2 = r * r;
	const __m256 limit = _mm256_set1_ps(r2), zero = _mm256_setzero_ps();
	const __m256i eight = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
	masses(g);
	for (int cz = 0; cz < side; cz++)
		for (int cy = 0; cy < side; cy++)
			for (int cx = 0; cx < side; cx++) {
				int own = (cz * side + cy) * side + cx;
				int lo[9], hi[9], runs = 0;
				for (int z = cz ? cz - 1 : 0; z <= (cz < side - 1 ? cz + 1 : cz); z++)
					for (int y = cy ? cy - 1 : 0; y <= (cy < side - 1 ? cy + 1 : cy); y++) {
						int line = (z * side + y) * side;
						lo[runs] = g->start[line + (cx ? cx - 1 : 0)];
						hi[runs++] = g->start[line + (cx < side - 1 ? cx + 2 : cx + 1)];
					}
				for (int i = g->start[own]; i < g->start[own + 1]; i++) {
					__m256 px = _mm256_set1_ps(g->sx[i]), py = _mm256_set1_ps(g->sy[i]), pz = _mm256_set1_ps(g->sz[i]), sum = zero;
					for (int k = 0; k < runs; k++) {
						for (int j = lo[k]; j < hi[k]; j += 8) {
							__m256 dx = _mm256_sub_ps(_mm256_loadu_ps(g->sx + j), px);
							__m256 dy = _mm256_sub_ps(_mm256_loadu_ps(g->sy + j), py);
							__m256 dz = _mm256_sub_ps(_mm256_loadu_ps(g->sz + j), pz);
							__m256 d = _mm256_sub_ps(limit, _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy)), _mm256_mul_ps(dz, dz)));
							__m256 in = _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32(hi[k] - j), eight));
							in = _mm256_and_ps(in, _mm256_cmp_ps(d, zero, _CMP_GT_OQ));
							__m256 w = _mm256_mul_ps(_mm256_loadu_ps(g->sm + j), _mm256_mul_ps(_mm256_mul_ps(d, d), d));
							sum = _mm256_add_ps(sum, _mm256_and_ps(in, w));
						}
					}
					g->out[i] = total(sum);
				}
			}
}

// tiles goes through the candidates of eight points at once, those of neighbouring cells of a line.
static void tiles(grid *g) {
	int side = g->side;
	float r = 1.0f / (float)side, r2 = r * r;
	const __m256 limit = _mm256_set1_ps(r2), zero = _mm256_setzero_ps();
	masses(g);
	for (int cz = 0; cz < side; cz++)
		for (int cy = 0; cy < side; cy++)
			for (int cx = 0, end; cx < side; cx = end) {
				int line0 = (cz * side + cy) * side, first = g->start[line0 + cx];
				for (end = cx + 1; end < side && g->start[line0 + end] - first < 12; end++) {}
				int last = g->start[line0 + end];
				for (int i = first; i < last; i += 8) {
					__m256 px = _mm256_loadu_ps(g->sx + i), py = _mm256_loadu_ps(g->sy + i), pz = _mm256_loadu_ps(g->sz + i), sum = zero;
					for (int z = cz ? cz - 1 : 0; z <= (cz < side - 1 ? cz + 1 : cz); z++)
						for (int y = cy ? cy - 1 : 0; y <= (cy < side - 1 ? cy + 1 : cy); y++) {
							int line = (z * side + y) * side;
							int hi = g->start[line + (end < side ? end + 1 : side)];
							for (int j = g->start[line + (cx ? cx - 1 : 0)]; j < hi; j++) {
								__m256 dx = _mm256_sub_ps(_mm256_set1_ps(g->sx[j]), px);
								__m256 dy = _mm256_sub_ps(_mm256_set1_ps(g->sy[j]), py);
								__m256 dz = _mm256_sub_ps(_mm256_set1_ps(g->sz[j]), pz);
								__m256 d = _mm256_sub_ps(limit, _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy)), _mm256_mul_ps(dz, dz)));
								d = _mm256_max_ps(d, zero);
								sum = _mm256_add_ps(sum, _mm256_mul_ps(_mm256_set1_ps(g->sm[j]), _mm256_mul_ps(_mm256_mul_ps(d, d), d)));
							}
						}
					float room[8];
					_mm256_storeu_ps(room, sum);
					memcpy(g->out + i, room, 4 * (size_t)(last - i < 8 ? last - i : 8));
				}
			}
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(void) {
	grid g = { 0 };
	int n, side, times;
	char what[16];
	setvbuf(stdout, 0, _IOLBF, 0);
	while (scanf("%d %d %15s %d", &n, &side, what, &times) == 4) {
		if (g.n != n || g.side != side) g = make(n, side), build(&g);
		void (*f)(grid *) = !strcmp(what, "build") ? build : !strcmp(what, "sums") ? sums : tiles;
		f(&g);
		if (times == 0) {
			double s = 0;
			for (int i = 0; i < n; i++) s += g.out[i];
			printf("%.17g\n", s);
			continue;
		}
		double begin = now();
		for (int k = 0; k < times; k++) f(&g);
		printf("%.17g\n", (now() - begin) / times);
	}
}
