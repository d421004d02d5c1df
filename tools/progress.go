package tools

import (
	"context"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"issues-index/index"
)

// Progress tells the client, if it asked for this, how much of a long call is done, in any
// unit. A call that does not report more than the last one has no effect: MCP requires
// that progress grows.
func (a *Args) Progress(done, total int, message string) {
	if a.call.progress != nil {
		a.call.progress(done, total, message)
	}
}

// progress returns a function that reports progress to the client of a request, nil when the
// client did not ask for it.
func (r *request) progress() func(done, total int, message string) {
	if r.meta == nil || r.meta.ProgressToken == nil {
		return nil
	}
	token := r.meta.ProgressToken
	const steps = 100 // that a client is told of, whatever the number
	var mu sync.Mutex
	told := -1
	return func(done, total int, message string) {
		mu.Lock()
		defer mu.Unlock()
		if done <= told || told >= 0 && done < total && done-told < total/steps {
			return
		}
		told = done
		r.conn.Notify(string(mcp.MethodNotificationProgress), map[string]any{
			"progressToken": token, "progress": done, "total": total, "message": message,
		})
	}
}

// relayProgress returns a context whose calls of an index tell the client how far the index
// has come, where tell is not nil. The index never waits for the client: one that reads slowly misses steps.
func relayProgress(ctx context.Context, tell func(done, total int, message string)) (_ context.Context, end func()) {
	if tell == nil {
		return ctx, func() {}
	}
	type step struct{ done, total int }
	last := make(chan step, 1)
	ended := make(chan struct{})
	var relaying sync.WaitGroup
	relaying.Go(func() {
		for {
			select {
			case s := <-last:
				tell(s.done, s.total, "reading changed files into the index")
			case <-ended:
				return
			}
		}
	})
	ctx = index.WithProgress(ctx, func(done, total int) {
		select {
		case last <- step{done, total}:
		default:
			select {
			case <-last: // is overtaken
			default:
			}
			last <- step{done, total} // nobody else sends: the index tells one at a time
		}
	})
	return ctx, func() { close(ended); relaying.Wait() }
}
