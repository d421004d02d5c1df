package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"issues-index/cmd/issues-index/terminal"
)

// A waitingLine says on a terminal what a command waits for.
type waitingLine struct {
	out io.Writer

	mu    sync.Mutex
	shown bool
	ended bool
}

// whileWaiting shows a line on the terminal once the work has taken progressDelay. The
// function that it returns takes the line away.
func (p *program) whileWaiting(what string) (end func()) {
	if !terminal.Is(p.errOut) {
		return func() {}
	}
	line := &waitingLine{out: p.errOut}
	timer := time.AfterFunc(progressDelay, func() { line.show(what) })
	return func() {
		timer.Stop()
		line.end()
	}
}

func (l *waitingLine) show(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return
	}
	l.shown = true
	fmt.Fprint(l.out, what)
}

// end takes the line away. Nothing is shown after it.
func (l *waitingLine) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	if l.shown {
		fmt.Fprint(l.out, "\r\x1b[K")
		l.shown = false
	}
}
