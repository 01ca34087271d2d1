// The 8 nearest of points by nanoflann's kd-tree (Debian: libnanoflann-dev), points evenly and unevenly in a cube.
//
//	n uneven what
//
// where what is build or nearest: nanoseconds a point, or a question.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nanoflann.hpp>
#include <vector>

struct cloud {
	std::vector<float> x[3];
	size_t kdtree_get_point_count() const { return x[0].size(); }
	float kdtree_get_pt(size_t i, size_t a) const { return x[a][i]; }
	template <class B> bool kdtree_get_bbox(B &) const { return false; }
};
using tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, cloud>, cloud, 3, uint32_t>;

static uint32_t state;
static float draw() {
	state = state * 1664525 + 1013904223;
	return float(state >> 8) * 0x1p-24f;
}

// fill draws what the Go side draws: of uneven ones nine in ten are in ten clouds.
static cloud fill(int n, int uneven) {
	cloud c;
	state = 1;
	float middle[10][3];
	for (auto &m : middle)
		for (float &v : m) v = draw();
	for (int i = 0; i < n; i++) {
		float p[3] = { draw(), draw(), draw() };
		for (int a = 0; a < 3; a++) {
			float v = p[a];
			if (uneven && i % 10) v = middle[i % 10][a] + 0.02f * ((v - 0.5f) * std::fabs(v - 0.5f));
			c.x[a].push_back(v);
		}
	}
	return c;
}

int main() {
	int n, uneven;
	char what[16];
	setvbuf(stdout, nullptr, _IOLBF, 0);
	while (scanf("%d %d %15s", &n, &uneven, what) == 3) {
		cloud c = fill(n, uneven);
		auto begin = std::chrono::steady_clock::now();
		tree t(3, c, nanoflann::KDTreeSingleIndexAdaptorParams(10));
		auto built = std::chrono::steady_clock::now();
		if (!strcmp(what, "build")) {
			printf("%.17g\n", std::chrono::duration<double, std::nano>(built - begin).count() / n);
			continue;
		}
		uint32_t id[8];
		float square[8];
		double total = 0;
		int questions = 0;
		for (int i = 0; i < n; i += 7, questions++) {
			float p[3] = { c.x[0][i], c.x[1][i], c.x[2][i] };
			t.knnSearch(p, 8, id, square);
			total += square[7];
		}
		double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - built).count();
		if (total < 0) return 1;
		printf("%.17g\n", ns / questions);
	}
}
