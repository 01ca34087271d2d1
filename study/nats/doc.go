// Package nats distributes the runs of a study to workers that may come and go.
// A blank import gives the program two commands:
//
//	epidemic serve -out first        hands out the runs of a study, and keeps the results
//	epidemic join -at nats://host    does runs; start it on any number of machines
//
// serve contains a NATS server with JetStream. The server stores three things on disk: the
// study's manifest, a queue of blocks of runs, and the results that are not yet in the
// study's log. A worker leases a block from the queue and renews the lease.
//
// # Promises
//
// If a worker dies, another worker gets the lease of its block. A worker
// acknowledges a block only when the server has all its results on disk.
//
// Each run has one result. The server refuses a second result while the first one is in its
// queue; later, the log of the study refuses it.
//
// If results arrive faster than the coordinator keeps them, workers wait. A coordinator
// that was killed continues at the end of its log: it hands out queued blocks again, and
// keeps queued results.
//
// A worker must have the same build as the study. Builds of one revision for
// different CPUs count as the same. If workers have different kinds of CPU, one
// run of each block is repeated on another kind and compared.
//
// # Security
//
// A worker needs a token to join, because all users of a machine can reach the
// loopback. Both sides read the token from the variable STUDY_TOKEN. On the machine of
// serve, join may use the file serve.token of the study instead (-token). Only the user of
// serve can read this file. Outside of the loopback address, serve requires the variable
// and a certificate. If a result is not a record of this study, serve reports the result
// and drops it.
//
// The token is never sent: join signs the server's challenge with a key that is
// derived from the token. So the token stays secret even if another program listens on the
// port while join waits for serve. There are two limits. A listener that has a signature
// can try short tokens until one matches. So use a long random token, as serve does. Only a
// certificate (-cert, -ca) proves to join that serve is genuine. Without a certificate,
// another program on the port can make join do other runs of this program, or relay its
// sign-in to the real serve on another port.
package nats
