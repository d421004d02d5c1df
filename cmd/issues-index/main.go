// Command issues-index serves a workspace of Markdown documents to coding
// agents over MCP, and to people as tables.
//
// It is thin: a command reads its flags, asks package index, and prints. The commands
// share a program value and no other state. Invariants: answers go to standard output and
// everything else to standard error. The exit code is 0, 1 for a failure, or 2 for a usage
// error; serve also has those of package pdpp. Nothing here opens a document or the
// database itself.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"syscall"
)

func main() {
	os.Exit(run())
}

// run is main without the exit, so that deferred calls happen.
func run() int {
	tuneGC()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// After the first signal the default action is back, so that a second one ends a
	// program that is still closing.
	context.AfterFunc(ctx, stop)

	// A reader such as head leaves after the first lines. Later writes fail with EPIPE,
	// which printError does not count as a failure.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	p := &program{
		in: os.Stdin, out: os.Stdout, errOut: os.Stderr, getenv: os.Getenv, environ: os.Environ(), getwd: os.Getwd,
	}
	return p.run(ctx, os.Args[1:])
}

// gcPercent is half the runtime's default: the peak memory of a server and of a build is a
// tenth lower, and calls take no longer.
const gcPercent = 50

// buildGCPercent is for a build of the index alone, which makes much garbage and keeps little: it takes
// an eighth less time, and 10 MB more at 10,000 documents.
const buildGCPercent = 100

// laterGCPercent is the percentage after the first collection, 0 where GOGC says it.
var laterGCPercent atomic.Int32

// startGCPercent delays the collection after the first one, which is that of the initialisation of
// packages, until there are 20 MB. A start with few documents has ended by then, and needs every
// processor.
const startGCPercent = 400

// tuneGC sets when garbage is collected, unless GOGC is set.
func tuneGC() {
	if os.Getenv("GOGC") != "" {
		return
	}
	laterGCPercent.Store(gcPercent)
	debug.SetGCPercent(startGCPercent)
	garbage := new([64]byte) // too large to share an allocation with others
	runtime.AddCleanup(garbage, func(struct{}) { debug.SetGCPercent(int(laterGCPercent.Load())) }, struct{}{})
}

// tuneGCForBuild is tuneGC for a process that does nothing but build the index.
func tuneGCForBuild() {
	if laterGCPercent.Load() != 0 { // it is not left to GOGC
		laterGCPercent.Store(buildGCPercent)
		debug.SetGCPercent(buildGCPercent)
	}
}
