// Package profile records the jobs of a pool for tools. It records the jobs that the pool's workers
// ran, with their times, the total time of some jobs, and the way in which the pool runs its loops.
//
//	pool.Profile().Record(10_000) // keeps the last events of each worker
//	err := pool.Schedule(job).Wait()
//	for _, e := range pool.Profile().AppendEvents(nil, 0) {
//		fmt.Println(e.Worker, e.Name, e.End-e.Start)
//	}
//
// An Event is a job, a worker's part of a loop, or a sleep. A Recorder is the interface for tools:
// it switches the recording of a pool on and off and reads the events. A Source is the pool's side
// of the profile. A Source has a Worker for each worker and waiting goroutine. A Piece is a job, a
// part of a loop, or a sleep while a worker executes it. A Meter adds up the times of the jobs that
// have it. A LoopMode says how loops of one job are run.
//
// # Design
//
//   - A pool that is not observed pays one load of a counter for each job (Source.Watched).
//   - A ring of events belongs to one worker, so that workers do not contend. The worker adds
//     events under a lock that otherwise only readers take.
//   - A Recorder may be switched while jobs run. A Piece remembers the ring and the meter that it
//     had when it began. So if recording is switched off meanwhile, the end of the Piece is still
//     recorded. If recording is switched on meanwhile, the Piece is not recorded, because its
//     start is not known.
//
// The package does not import jobs; jobs are names and numbers here.
package profile
