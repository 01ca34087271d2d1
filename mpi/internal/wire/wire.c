#include "wire.h"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static MPI_Comm all = MPI_COMM_NULL;
static pthread_t owner;
static MPI_Request *requests;
static int begun, room;

static int strange(void) { return all == MPI_COMM_NULL || !pthread_equal(owner, pthread_self()); }

int wire_begin(int *rank, int *size, int *level) {
	int error = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, level);
	if (error) return error;
	owner = pthread_self();
	// Of our own, so that no message of another library is taken for ours; errors come back.
	if ((error = MPI_Comm_dup(MPI_COMM_WORLD, &all))) return error;
	if ((error = MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN))) return error;
	if ((error = MPI_Comm_rank(all, rank))) return error;
	return MPI_Comm_size(all, size);
}

int wire_end(void) {
	if (strange()) return WIRE_THREAD;
	free(requests);
	requests = NULL;
	room = begun = 0;
	int error = MPI_Comm_free(&all);
	int last = MPI_Finalize();
	return error ? error : last;
}

void wire_abort(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

void wire_text(int error, char *text, int n) {
	char b[MPI_MAX_ERROR_STRING + 1];
	int length = 0;
	if (MPI_Error_string(error, b, &length)) length = 0;
	b[length] = 0;
	strncpy(text, b, n - 1);
	text[n - 1] = 0;
}

int wire_name(char *text, int n) {
	char b[MPI_MAX_LIBRARY_VERSION_STRING + 1];
	int length = 0, error = MPI_Get_library_version(b, &length);
	b[error ? 0 : length] = 0;
	strncpy(text, b, n - 1);
	text[n - 1] = 0;
	return error;
}

// next is the place of the next request, or none.
static MPI_Request *next(void) {
	if (begun == room) {
		int n = room ? 2 * room : 64;
		MPI_Request *p = realloc(requests, n * sizeof *p);
		if (!p) return NULL;
		requests = p;
		room = n;
	}
	return &requests[begun];
}

#define BEGIN(call)                        \
	MPI_Request *r;                        \
	if (strange()) return WIRE_THREAD;     \
	if (!(r = next())) return WIRE_MEMORY; \
	int error = (call);                    \
	if (!error) begun++;                   \
	return error

int wire_send(void *p, int n, int to, int tag) { BEGIN(MPI_Isend(p, n, MPI_BYTE, to, tag, all, r)); }
int wire_receive(void *p, int n, int from, int tag) { BEGIN(MPI_Irecv(p, n, MPI_BYTE, from, tag, all, r)); }
int wire_barrier(void) { BEGIN(MPI_Ibarrier(all, r)); }
int wire_broadcast(void *p, int n, int root) { BEGIN(MPI_Ibcast(p, n, MPI_BYTE, root, all, r)); }
int wire_reduce(void *p, int n, int op) {
	BEGIN(MPI_Iallreduce(MPI_IN_PLACE, p, n, MPI_INT64_T, op == WIRE_MAX_INT64 ? MPI_MAX : MPI_SUM, all, r));
}
int wire_gather(void *p, int n, void *to) { BEGIN(MPI_Iallgather(p, n, MPI_BYTE, to, n, MPI_BYTE, all, r)); }
int wire_spread(void *p, int n, void *to) { BEGIN(MPI_Ialltoall(p, n, MPI_BYTE, to, n, MPI_BYTE, all, r)); }

static int64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int64_t wire_work(void) {
	struct timespec t;
	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t)) return 0;
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int wire_test(int64_t nanoseconds, int *done) {
	if (strange()) return WIRE_THREAD;
	*done = 1;
	if (!begun) return MPI_SUCCESS;
	int64_t end = 0;
	for (int tries = 0;; tries++) {
		int error = MPI_Testall(begun, requests, done, MPI_STATUSES_IGNORE);
		if (error) return error;
		if (*done) {
			begun = 0;
			return MPI_SUCCESS;
		}
		if (tries < 64) continue;
		int64_t t = now();
		if (!end) end = t + nanoseconds;
		if (t >= end) return MPI_SUCCESS;
		// Ranks may be more than cores, and a rank that waits for a slow one must not take the core from it.
		if (tries < 4096) {
			sched_yield();
		} else {
			struct timespec nap = {0, 20000};
			nanosleep(&nap, NULL);
		}
	}
}

int wire_pending(char *pending, int n) {
	if (strange()) return WIRE_THREAD;
	for (int i = 0; i < n && i < begun; i++) {
		int done = 1;
		if (requests[i] != MPI_REQUEST_NULL) {
			int error = MPI_Request_get_status(requests[i], &done, MPI_STATUS_IGNORE);
			if (error) return error;
		}
		pending[i] = !done;
	}
	return MPI_SUCCESS;
}
