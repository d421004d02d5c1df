package config_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"issues-index/tools"
	"issues-index/tools/config"
	"issues-index/tools/toolstest"
)

// limitsOf is a file that sets every limit by one number, so that limits of two
// files cannot be taken for those of one.
func limitsOf(n int) string {
	return fmt.Sprintf("tokenBudgetThreshold: %d\nmaxTokenBudget: %d\nhardByteLimit: %d\nchunkSize: %d\nmaxPageSize: %d\ndefaultPageSize: %d\n",
		1000+n, 2000+n, 3000+n, 500+n, 50+n, 10+n)
}

// report is a tool that tells the limits it works with, looking at them several
// times while it works.
func report() tools.Tool {
	schema := json.RawMessage(`{"type":"object","properties":{"limits":{"type":"array"}},"required":["limits"]}`)
	return tools.Tool{
		Name: "rows", Description: "Tells its limits.", ReadOnly: true, Input: json.RawMessage(`{"type":"object","properties":{}}`), Output: schema,
		Handle: func(_ context.Context, args *tools.Args) (tools.Result, error) {
			var limits []int
			for range 3 {
				s, b := args.Settings(), args.Budget()
				limits = append(limits, s.Threshold-1000, s.MaxTokens-2000, s.Bytes-3000, s.ChunkTokens-500, s.MaxPageSize-50, s.PageSize-10,
					b.Tokens-1000, b.Bytes-3000, b.ChunkTokens-500)
			}
			return tools.Result{Text: "limits", Structured: map[string]any{"limits": limits}}, nil
		},
	}
}

// call returns the number that the limits of one call have in common.
func call(ctx context.Context, server *tools.Server) (int, error) {
	answer, err := json.Marshal(toolstest.Send(ctx, server, json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rows","arguments":{}}}`)))
	if err != nil {
		return 0, err
	}
	var response struct {
		Result struct {
			StructuredContent struct {
				Limits []int `json:"limits"`
			} `json:"structuredContent"`
		} `json:"result"`
	}
	if err := json.Unmarshal(answer, &response); err != nil {
		return 0, err
	}
	limits := response.Result.StructuredContent.Limits
	if len(limits) != 27 {
		return 0, fmt.Errorf("dropped: %s", answer)
	}
	for _, n := range limits {
		if n != limits[0] {
			return 0, fmt.Errorf("a mix of limits: %v", limits)
		}
	}
	return limits[0], nil
}

// While the file changes again and again, every call is answered, each with the
// limits of one file: never an older one than was in force before the call.
func TestCallsDuringChanges(t *testing.T) {
	const files, callers, callsBetween = 25, 8, 20
	root, file := workspace(t, limitsOf(0))
	f := follow(t, config.LiveOptions{Options: config.Options{Root: root}})
	server, err := tools.NewServer(tools.Config{
		Name: "test", Version: "0", Toolsets: []tools.Toolset{{Name: "test", Tools: []tools.Tool{report()}}}, Settings: f.Settings,
	})
	if err != nil {
		t.Fatal(err)
	}
	var (
		calls, holds atomic.Int64
		stop         = make(chan struct{})
		all          sync.WaitGroup
	)
	enough := make(chan struct{}, callers*callsBetween)
	for range callers {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				least := holds.Load()
				n, err := call(t.Context(), server)
				if err != nil || int64(n) < least {
					t.Errorf("answered with the limits of file %d when those of %d held: %v", n, least, err)
				}
				calls.Add(1)
				select {
				case enough <- struct{}{}:
				default:
				}
			}
		})
	}
	for n := 1; n <= files; n++ {
		for range callsBetween {
			<-enough
		}
		save(t, file, "outptu: both\n") // refused, and perhaps never seen
		save(t, file, limitsOf(n))
		f.holds(t, 1000+n)
		holds.Store(int64(n))
		if got, err := call(t.Context(), server); err != nil || got != n {
			t.Errorf("the next call is answered with the limits of file %d, not %d: %v", got, n, err)
		}
		for len(f.log) > 0 {
			<-f.log
		}
	}
	close(stop)
	all.Wait()
	if least := int64(files * callsBetween); calls.Load() < least {
		t.Errorf("only %d calls", calls.Load())
	}
}

// BenchmarkChange is the time from saving the file to the next call under it. It
// is to stay below 100 ms.
func BenchmarkChange(b *testing.B) {
	root := b.TempDir()
	live, err := config.Open(config.LiveOptions{Options: config.Options{Root: root}})
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(root, filepath.FromSlash(config.DefaultFile))
	makeFolder(b, filepath.Dir(file))
	var longest time.Duration
	n := 0
	for b.Loop() {
		n++
		begin := time.Now()
		save(b, file, limitsOf(n%2))
		if got := live.Config().DefaultPageSize; got != 10+n%2 {
			b.Fatalf("the next call has pages of %d", got)
		}
		longest = max(longest, time.Since(begin))
	}
	b.ReportMetric(float64(longest.Milliseconds()), "ms-longest")
}
