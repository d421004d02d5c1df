package telemetry

import (
	"errors"
	"strings"
	"testing"

	"issues-index/tools"
)

func TestTokensOfSampledCallsAreCounted(t *testing.T) {
	t.Run("the figures show the error of the estimate", func(t *testing.T) {
		b := newBench(t)
		b.settings.SampleRate = 1
		r := b.record()
		for _, estimated := range []int{150, 110, 90} { // of 100 in truth
			call := b.call("issues_list")
			call.Tokens, call.Text = estimated, func() string { return strings.Repeat(" a", 100) }
			r.Record(call)
		}
		b.flush(r)
		got := b.summary(CallFilter{}, ByTool).Total.Estimate
		if got.Sampled != 3 || got.Low != 1 || got.MeanError < 0.166 || got.MeanError > 0.167 || got.P95Error < 0.49 || got.P95Error > 0.51 {
			t.Errorf("%+v", got)
		}
		if n := b.count(`SELECT count(*) FROM calls WHERE real_tokens = 100`); n != 3 {
			t.Errorf("%d calls have their tokens", n)
		}
	})
	t.Run("an estimate that is off by more than half is logged", func(t *testing.T) {
		b := newBench(t)
		b.settings.SampleRate = 1
		r := b.record()
		for _, estimated := range []int{49, 51, 100, 149, 151} { // of 100 in truth
			call := b.call("issues_list")
			call.Tokens, call.Text = estimated, func() string { return strings.Repeat(" a", 100) }
			r.Record(call)
		}
		b.flush(r)
		lines := b.log.lines("far off")
		if len(lines) != 2 || !strings.Contains(lines[0], "estimated=49 counted=100 error=-51%") || !strings.Contains(lines[1], "error=+51%") {
			t.Errorf("logged %q", lines)
		}
	})
	t.Run("a call whose text fails or is too long is recorded uncounted", func(t *testing.T) {
		b := newBench(t)
		b.settings.SampleRate = 1
		r := b.record()
		for _, text := range []func() string{
			nil, func() string { panic("gone") }, func() string { return strings.Repeat("x", maxCounted+1) },
		} {
			call := b.call("issues_list")
			call.Text = text
			r.Record(call)
		}
		b.flush(r)
		if s := b.summary(CallFilter{}, ByTool); s.Total.Calls != 3 || s.Total.Estimate.Sampled != 0 {
			t.Errorf("%+v", s.Total)
		}
	})
	t.Run("a slow count loses no call", func(t *testing.T) {
		b := newBench(t)
		b.settings.SampleRate = 1
		r := b.record()
		counting, goOn := make(chan struct{}), make(chan struct{})
		slow := b.call("issues_list")
		slow.Text = func() string { close(counting); <-goOn; return "text" }
		r.Record(slow)
		<-counting
		quick := b.call("issues_get")
		quick.Text = func() string { return "text" }
		for range 2 * maxTexts {
			r.Record(quick)
		}
		close(goOn)
		b.flush(r)
		s := b.summary(CallFilter{}, ByTool)
		if s.Total.Calls != 1+2*maxTexts || s.Total.Estimate.Sampled != 1+maxTexts {
			t.Errorf("%+v", s.Total)
		}
	})
	t.Run("closing counts nothing", func(t *testing.T) {
		b := newBench(t)
		b.settings.SampleRate = 1
		r := b.record()
		counting, goOn := make(chan struct{}), make(chan struct{})
		slow := b.call("issues_list")
		slow.Text = func() string { close(counting); <-goOn; return "text" }
		r.Record(slow)
		<-counting
		waiting := b.call("issues_get")
		waiting.Text = func() string { t.Error("it was counted"); return "text" }
		r.Record(waiting)
		close(r.closing)
		r.once.Do(func() {})
		close(goOn)
		<-r.done
		if s := b.summary(CallFilter{}, ByTool); s.Total.Calls != 2 {
			t.Errorf("%+v", s.Total)
		}
	})
	t.Run("about one call in a hundred", func(t *testing.T) {
		b := newBench(t)
		b.settings.SampleRate = 0.01
		r := b.record()
		for range 100 {
			for range 100 {
				call := b.call("issues_list")
				call.Text = func() string { return "text" }
				r.Record(call)
			}
			b.flush(r)
		}
		// Outside of these bounds once in a thousand million runs.
		if s := b.summary(CallFilter{}, ByTool); s.Total.Calls != 10_000 || s.Total.Estimate.Sampled < 40 || s.Total.Estimate.Sampled > 170 {
			t.Errorf("%+v", s.Total.Estimate)
		}
	})
}

func TestNothingIsRecordedWhenOff(t *testing.T) {
	b := newBench(t)
	b.settings.Enabled = false
	r := b.record()
	r.Record(b.call("issues_list"))
	b.flush(r)
	if _, err := (&Log{Paths: []string{b.path}}).Summary(t.Context(), CallFilter{}, ByTool); !errors.Is(err, ErrNone) {
		t.Errorf("there is a file: %v", err)
	}
	b.settings.Enabled = true
	r.Record(b.call("issues_list"))
	b.flush(r)
	b.settings.Enabled = false
	r.Record(b.call("issues_list"))
	b.flush(r)
	if s := b.summary(CallFilter{}, ByTool); s.Total.Calls != 1 {
		t.Errorf("%d calls", s.Total.Calls)
	}
}

func TestFullQueueDropsCalls(t *testing.T) {
	r := &Recorder{settings: defaultSettings}
	for range queueSize + 15 { // nobody takes them out
		r.Record(tools.Call{Tool: "issues_list"})
	}
	if n := len(r.dequeue()); n != queueSize {
		t.Errorf("%d calls wait", n)
	}
}
