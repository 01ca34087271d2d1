// What Go calls of MPI. All calls are made by the thread that called wire_begin; another one gets WIRE_THREAD. Other results are
// those of MPI.
#include <stdint.h>

enum { WIRE_THREAD = -1, WIRE_MEMORY = -2 };
enum { WIRE_SUM_INT64, WIRE_MAX_INT64 };

int wire_begin(int *rank, int *size, int *level);
int wire_end(void);
void wire_abort(int code);
void wire_text(int error, char *text, int n);
int wire_name(char *text, int n);

// These begin something: it goes on until wire_test says that all of it is done, and the memory stays where it is until then.
int wire_send(void *p, int n, int to, int tag);
int wire_receive(void *p, int n, int from, int tag);
int wire_barrier(void);
int wire_broadcast(void *p, int n, int root);
int wire_reduce(void *p, int n, int op);
int wire_gather(void *p, int n, void *all);
int wire_spread(void *p, int n, void *all);

// wire_work is what this thread has used of its core, in nanoseconds.
int64_t wire_work(void);

// wire_test looks for up to that many nanoseconds whether all is done, and lets others run meanwhile.
int wire_test(int64_t nanoseconds, int *done);
// wire_pending says of each that was begun since all was done whether it is not done yet.
int wire_pending(char *pending, int n);
