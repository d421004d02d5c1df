// Command issues-index serves a workspace of Markdown documents to coding
// agents over MCP, and to people as tables.
//
// It is thin: a command reads its flags, asks package index, and prints. What
// the commands share is held by a program value; there is no state beside it.
// Invariants: answers go to standard output and everything else to standard
// error; the exit code is 0, 1 for a failure, or 2 for a usage error (serve also has
// those of package pdpp); nothing here opens a document or the database by itself.
package main

import (
	"context"
	"os"
	"os/signal"
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
	// After the first signal the default action is back: a second one ends a
	// program that is still tidying up.
	context.AfterFunc(ctx, stop)

	// Who reads the first lines and leaves, as head does, has what was asked for: the
	// writes that nobody reads fail, and report takes that for no failure.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	p := &program{out: os.Stdout, errOut: os.Stderr, getenv: os.Getenv}
	return p.run(ctx, os.Args[1:])
}
