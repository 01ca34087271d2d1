// Radix sorts in C++, each for one pair of types, without checks: all digits are counted in one read, digits that all keys
// share are skipped, and each pass moves rows to where the counts say. The program is driven through its standard input:
//
//	what type digit n times
//
// where what is keys, pairs (keys with an int32 each, in lanes of their own) or packed (keys of 32 bits with them, as one
// word of 64 from the first pass to the last), type is uint32, uint64 or float32, and digit is 8 or 11 bits. It answers with
// the nanoseconds that one call takes, with the copy that brings rows back into disorder; for 0 times with a sum over what
// one call left; with -1 if there is no such form.
//
//	clang++ -std=c++17 -O3 -march=native -ffp-contract=off -o sort sort.cpp
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

// toWords makes numbers whose order is that of floats, and back.
static void toWords(uint32_t *w, const float *x, size_t n) {
	for (size_t i = 0; i < n; i++) {
		uint32_t b;
		memcpy(&b, x + i, 4);
		w[i] = x[i] != x[i] ? 0xffffffffu : b ^ ((uint32_t)((int32_t)b >> 31) | 0x80000000u);
	}
}
static void toFloats(float *x, const uint32_t *w, size_t n) {
	for (size_t i = 0; i < n; i++) {
		uint32_t b = w[i] ^ ((uint32_t)((int32_t)~w[i] >> 31) | 0x80000000u);
		memcpy(x + i, &b, 4);
	}
}

// counts has where the next row of each value of each digit goes, once place has summed them up.
template <class W, int B> struct counts {
	static constexpr int bits = sizeof(W) * 8, digits = (bits + B - 1) / B;
	uint32_t at[digits][1 << B];

	void count(const W *a, size_t n) {
		memset(at, 0, sizeof at);
		for (size_t i = 0; i < n; i++)
			for (int d = 0; d < digits; d++) at[d][a[i] >> (d * B) & ((1 << B) - 1)]++;
	}
	// place reports whether the digit d differs anywhere.
	bool place(int d, const W *a, size_t n) {
		if (at[d][a[0] >> (d * B) & ((1 << B) - 1)] == n) return false;
		uint32_t next = 0;
		for (uint32_t &c : at[d]) {
			uint32_t k = c;
			c = next, next += k;
		}
		return true;
	}
};

template <class W, int B> static void sortKeys(W *a, W *b, size_t n) {
	static counts<W, B> c;
	W *to = b, *from = a;
	c.count(a, n);
	for (int d = 0; d < c.digits; d++) {
		if (!c.place(d, from, n)) continue;
		uint32_t *at = c.at[d];
		for (size_t i = 0; i < n; i++) {
			W w = from[i];
			to[at[w >> (d * B) & ((1 << B) - 1)]++] = w;
		}
		std::swap(from, to);
	}
	if (from != a) memcpy(a, from, n * sizeof(W));
}

template <class W, int B> static void sortPairs(W *a, W *b, int32_t *v, int32_t *u, size_t n) {
	static counts<W, B> c;
	W *to = b, *from = a;
	int32_t *vto = u, *vfrom = v;
	c.count(a, n);
	for (int d = 0; d < c.digits; d++) {
		if (!c.place(d, from, n)) continue;
		uint32_t *at = c.at[d];
		for (size_t i = 0; i < n; i++) {
			W w = from[i];
			uint32_t k = at[w >> (d * B) & ((1 << B) - 1)]++;
			to[k] = w, vto[k] = vfrom[i];
		}
		std::swap(from, to);
		std::swap(vfrom, vto);
	}
	if (from != a) memcpy(a, from, n * sizeof(W)), memcpy(v, vfrom, n * 4);
}

// sortPacked takes the first pass for packing and the last one for unpacking.
template <int B> static void sortPacked(uint32_t *a, uint64_t *b, uint64_t *other, int32_t *v, size_t n) {
	static counts<uint32_t, B> c;
	c.count(a, n);
	int list[4], passes = 0;
	for (int d = 0; d < c.digits; d++)
		if (c.place(d, a, n)) list[passes++] = d; // which row is looked at does not matter: all have what it has
	if (passes < 2) return sortPairs<uint32_t, B>(a, (uint32_t *)b, v, (int32_t *)other, n);
	uint64_t *from = b, *to = other;
	for (int p = 0; p < passes; p++) {
		uint32_t *at = c.at[list[p]];
		int shift = list[p] * B;
		if (p == 0) {
			for (size_t i = 0; i < n; i++) from[at[a[i] >> shift & ((1 << B) - 1)]++] = a[i] | (uint64_t)(uint32_t)v[i] << 32;
		} else if (p < passes - 1) {
			for (size_t i = 0; i < n; i++) to[at[(uint32_t)from[i] >> shift & ((1 << B) - 1)]++] = from[i];
			std::swap(from, to);
		} else {
			for (size_t i = 0; i < n; i++) {
				uint32_t k = at[(uint32_t)from[i] >> shift & ((1 << B) - 1)]++;
				a[k] = (uint32_t)from[i], v[k] = (int32_t)(from[i] >> 32);
			}
		}
	}
}

static const double warm = 40e6; // nanoseconds of sorting before any is timed, as in main.go

static uint32_t state;
static uint32_t draw() {
	state = state * 1664525 + 1013904223;
	return state ^ state >> 15;
}

// A lane is keys as they are drawn, and memory to sort them in.
template <class K> struct lane {
	std::vector<K> keys, work;
	std::vector<uint64_t> b, other;
	std::vector<int32_t> v, u;
	std::vector<uint32_t> w;

	explicit lane(size_t n) : keys(n), work(n), b(n), other(n), v(n), u(n), w(n) {
		state = 1;
		for (K &k : keys) {
			uint64_t x = draw();
			if constexpr (sizeof(K) == 8) k = x << 32 | draw();
			else if constexpr (sizeof(K) == 4 && K(0.5) != K(0)) k = K(x >> 8) * 0x1p-24f - 0.5f;
			else k = K(x);
		}
	}

	template <class W, int B> bool words(const std::string &what, W *a, size_t n) {
		if (what == "keys") return sortKeys<W, B>(a, (W *)b.data(), n), true;
		if (what == "pairs") return sortPairs<W, B>(a, (W *)b.data(), v.data(), u.data(), n), true;
		if constexpr (sizeof(W) == 4)
			if (what == "packed") return sortPacked<B>(a, b.data(), other.data(), v.data(), n), true;
		return false;
	}

	template <int B> bool sort(const std::string &what) {
		size_t n = keys.size();
		memcpy(work.data(), keys.data(), n * sizeof(K));
		if constexpr (sizeof(K) == 4 && K(0.5) != K(0)) {
			toWords(w.data(), work.data(), n);
			bool ok = words<uint32_t, B>(what, w.data(), n);
			toFloats(work.data(), w.data(), n);
			return ok;
		} else {
			return words<K, B>(what, work.data(), n);
		}
	}

	double answer(const std::string &what, int digit, int times) {
		auto once = [&] { return digit == 8 ? sort<8>(what) : sort<11>(what); };
		for (size_t i = 0; i < v.size(); i++) v[i] = (int32_t)i;
		if (!once()) return -1;
		if (times == 0) {
			double sum = 0;
			for (size_t i = 0; i < work.size(); i++) {
				sum += (double)(i % 1000) * (double)work[i];
				if (what != "keys") sum += (double)(i % 7) * v[i];
			}
			return sum;
		}
		auto now = [] { return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count(); };
		for (double begin = now(); now() - begin < warm;) once();
		double begin = now();
		for (int k = 0; k < times; k++) once();
		return (now() - begin) / times;
	}
};

template <class K> static double ask(const std::string &what, int digit, size_t n, int times) {
	static lane<K> l(0);
	if (l.keys.size() != n) l = lane<K>(n);
	return l.answer(what, digit, times);
}

int main() {
	char what[16], type[16];
	int digit, times;
	size_t n;
	setvbuf(stdout, nullptr, _IOLBF, 0);
	while (scanf("%15s %15s %d %zu %d", what, type, &digit, &n, &times) == 5) {
		std::string t = type;
		double ns = t == "uint32" ? ask<uint32_t>(what, digit, n, times) : t == "uint64" ? ask<uint64_t>(what, digit, n, times) : ask<float>(what, digit, n, times);
		printf("%.17g\n", ns);
	}
}
