package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// startGCPercent has the first collection of garbage wait for 16 MB, four times
// the usual: where there are not very many documents, the start has ended by then.
const startGCPercent = 400

// usualGCPercent is the runtime's own.
const usualGCPercent = 100

// collectLater keeps the collection of garbage out of the way of the start, which
// has a use for every processor. From the first collection on all is as usual. It
// leaves alone what others set: GOGC, or an index that is being built.
func collectLater() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(startGCPercent)
	garbage := new([64]byte) // so large that it is collected by itself
	runtime.AddCleanup(garbage, func(struct{}) {
		if set := debug.SetGCPercent(usualGCPercent); set != startGCPercent {
			debug.SetGCPercent(set) // a build's, which will see to it
		}
	}, struct{}{})
}
