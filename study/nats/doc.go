// Package nats lets the workers of a study come and go. A blank import gives the program two commands:
//
//	epidemic serve -out first        hands out the runs of a study, and keeps what comes back
//	epidemic join -at nats://host    does runs, on as many machines as there are
//
// Serve brings its own NATS server with JetStream. Three things are in it, on disk: the study's
// manifest; a queue of blocks of runs, each lent to a worker for a while that the worker renews;
// and results on their way into the study's log.
//
// # Promises
//
// A block whose worker dies is lent to another one. A worker acknowledges a block when the server
// has all its results on disk. There is one result of each run, whenever a second one comes: the
// server refuses it while the first is on its way, and the log of the study afterwards. When
// results come faster than they are kept, workers wait. A coordinator that was killed goes on where
// its log ends: what is queued is handed out anew, what is on its way is taken.
//
// A worker must be of the same build as the study. Builds of one revision for several CPUs are: then
// one run of each block is done on another kind of CPU as well, and compared.
//
// Who joins has a token, since the loopback is open to all users of a machine: that in the variable STUDY_TOKEN of both, or, on the machine of serve, that
// in the file serve.token of the study, which serve makes for its owner alone and join is given by -token. Beyond the loopback serve wants the variable and a
// certificate. A result that is no record of this study is told and left out.
//
// The token is not sent: join signs what serve says at its greeting by a key that is made of the token. Whoever listens in the place of serve, while join waits
// for it, hears no token. Two limits: who hears a signature can try short tokens until one fits, so take a long one at random, as serve does; and only a certificate
// (-cert, -ca) tells join that serve is who it says, so without one a stranger on the port can give join other runs of this program to do, or have it sign in for him
// while serve runs on another port.
package nats
