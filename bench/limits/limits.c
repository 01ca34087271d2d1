// What the memory allows: the walks of bench/setup_test.go, gather_test.go and growth_test.go over plain arrays, without a
// world around them. Each line is the least time of its rounds, in nanoseconds of one entity.
//
//	cc -O3 -march=native -ffp-contract=off -o limits bench/limits/limits.c && ./limits
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { lanes = 6, capacity = 448, shortest = 25 };

typedef struct { int32_t version, chunk, row; } slot;
typedef struct { int32_t index, version; } entity;
typedef struct { float lane[3][capacity]; } chunk;

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void *block(size_t bytes) {
	void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
	if (!p) abort();
	return memset(p, 0, bytes);
}

// What one walk has done is not to be left out, because it is not read.
static void keep(void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }

static void integrate(float *restrict pos, const float *restrict vel, int n, float dt) {
	for (int i = 0; i < n; i++) pos[i] += dt * vel[i];
}

static void walks(int n, int repeat) {
	float *lane[lanes];
	for (int i = 0; i < lanes; i++) lane[i] = block(4ul * n);
	double best = 1e300;
	for (int r = 0; r < shortest; r++) {
		double start = now();
		for (int k = 0; k < repeat; k++) {
			for (int i = 0; i < 3; i++) integrate(lane[i], lane[i + 3], n, 0.01f);
			keep(lane[0]);
		}
		double took = (now() - start) / n / repeat;
		if (took < best) best = took;
	}
	printf("integrate %d: %.3f\n", n, best);
	for (int i = 0; i < lanes; i++) free(lane[i]);
}

// rows is a table of six lanes and ids, as those of place and speed are.
typedef struct { float *lane[lanes]; entity *id; float *more; } rows;

static rows table(int n) {
	rows t;
	for (int i = 0; i < lanes; i++) t.lane[i] = block(4ul * n);
	t.id = block(8ul * n), t.more = block(4ul * n);
	return t;
}

static void copy(rows *to, const rows *from, int n) {
	for (int i = 0; i < lanes; i++) memcpy(to->lane[i], from->lane[i], 4ul * n);
	memcpy(to->id, from->id, 8ul * n);
}

static void batches(int n) {
	rows a = table(n), b = table(n);
	slot *slots = block(sizeof *slots * n);
	int32_t *spare = block(4ul * n);
	entity *list = block(8ul * n);
	for (int i = 0; i < n; i++) spare[i] = i;
	double create = 1e300, destroy = 1e300, ids = 1e300, query = 1e300;
	for (int r = 0; r < shortest; r++) {
		double t = now();
		for (int i = 0; i < n; i++) { // take a slot, place it, name the row
			slot *s = &slots[spare[n - 1 - i]];
			s->version++, s->chunk = i / capacity, s->row = i % capacity;
			a.id[i] = list[i] = (entity){spare[n - 1 - i], s->version};
		}
		for (int i = 0; i < lanes; i++) memset(a.lane[i], 0, 4ul * n);
		keep(&a);
		if ((t = now() - t) < create) create = t;

		t = now();
		copy(&b, &a, n), memset(b.more, 0, 4ul * n);
		for (int i = 0; i < n; i++) slots[b.id[i].index].chunk++;
		keep(&b), copy(&a, &b, n);
		for (int i = 0; i < n; i++) slots[a.id[i].index].chunk--;
		keep(&a);
		if ((t = now() - t) < query) query = t;

		t = now();
		int32_t wrong = 0;
		for (int i = 0; i < n; i++) wrong |= slots[list[i].index].version ^ list[i].version;
		copy(&b, &a, n), memset(b.more, 0, 4ul * n);
		for (int i = 0; i < n; i++) slots[list[i].index].chunk++;
		keep(&b);
		for (int i = 0; i < n; i++) wrong |= slots[list[i].index].version ^ list[i].version;
		copy(&a, &b, n);
		for (int i = 0; i < n; i++) slots[list[i].index].chunk--;
		keep(&a), keep(&wrong);
		if ((t = now() - t) < ids) ids = t;

		t = now();
		for (int i = 0; i < n; i++) wrong |= slots[list[i].index].version ^ list[i].version;
		for (int i = 0; i < n; i++) {
			slots[list[i].index].version++, slots[list[i].index].chunk = -1;
			spare[n - 1 - i] = list[i].index;
		}
		keep(spare), keep(&wrong);
		if ((t = now() - t) < destroy) destroy = t;
	}
	printf("create %d: %.2f\ndestroy by ids: %.2f\nadd and remove by ids: %.2f\nadd and remove by query: %.2f\n", n, create / n, destroy / n, ids / n, query / n);
}

static void gather(int n) {
	slot *slots = block(sizeof *slots * n);
	chunk **chunks = block(sizeof *chunks * (n / capacity + 1));
	entity *list = block(8ul * n);
	float (*out)[3] = block(12ul * n);
	for (int i = 0; i < n; i++) {
		if (i % capacity == 0) chunks[i / capacity] = block(sizeof(chunk));
		slots[i] = (slot){1, i / capacity, i % capacity};
		list[i] = (entity){i, 1};
	}
	uint64_t chance = 1;
	for (int i = n - 1; i > 0; i--) {
		chance = chance * 6364136223846793005u + 1442695040888963407u;
		int k = (chance >> 33) % (i + 1);
		entity e = list[i];
		list[i] = list[k], list[k] = e;
	}
	double read = 1e300, write = 1e300;
	for (int r = 0; r < shortest; r++) {
		double t = now();
		for (int i = 0; i < n; i++) {
			slot *s = &slots[list[i].index];
			if (s->version == list[i].version)
				for (int k = 0; k < 3; k++) out[i][k] = chunks[s->chunk]->lane[k][s->row];
		}
		keep(out);
		if ((t = now() - t) < read) read = t;
		t = now();
		for (int i = 0; i < n; i++) {
			slot *s = &slots[list[i].index];
			if (s->version == list[i].version)
				for (int k = 0; k < 3; k++) chunks[s->chunk]->lane[k][s->row] = out[i][k];
		}
		keep(chunks);
		if ((t = now() - t) < write) write = t;
	}
	printf("random read %d: %.2f\nrandom write %d: %.2f\n", n, read / n, n, write / n);
}

int main(void) {
	for (int n = 1000; n <= 10000000; n *= 10) walks(n, n < 1000000 ? 1000000 / n : 1);
	batches(100000);
	for (int n = 1000; n <= 1000000; n *= n < 100000 ? 100 : 10) gather(n);
}
