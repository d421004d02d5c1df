package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// gcPercent has garbage collected twice as often as the runtime does by itself:
// the peak of a server and of a build is a tenth lower, and calls take no longer.
const gcPercent = 50

// startGCPercent has the first collection wait for 16 MB. Where there are not very
// many documents, a start has ended by then, and it has a use for every processor.
const startGCPercent = 400

// tuneGC sets when garbage is collected, unless GOGC does.
func tuneGC() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(startGCPercent)
	garbage := new([64]byte) // so large that it is collected by itself
	runtime.AddCleanup(garbage, func(struct{}) { debug.SetGCPercent(gcPercent) }, struct{}{})
}
