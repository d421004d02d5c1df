package transport_test

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"issues-index/tools/transport"
)

// repeat is an input of n times the same byte.
type repeat struct {
	b byte
	n int
}

func (r *repeat) Read(p []byte) (int, error) {
	if r.n == 0 {
		return 0, io.EOF
	}
	p = p[:min(len(p), r.n)]
	for i := range p {
		p[i] = r.b
	}
	r.n -= len(p)
	return len(p), nil
}

func TestLongLines(t *testing.T) {
	options := transport.StdioOptions{Handler: newHandler(t, nobodyWaits)}
	t.Run("a line over 32 MiB is skipped to its end with one error", func(t *testing.T) {
		in := io.MultiReader(
			strings.NewReader(toolCall(1, "echo", "x")+"\n"),
			&repeat{'x', 256 << 20},
			strings.NewReader("\n"+toolCall(2, "echo", "x")+"\n"),
		)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var out strings.Builder
		if err := transport.ServeStdio(t.Context(), in, &out, options); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		// All that was ever allocated, the growth of the buffer up to the limit included.
		if used := after.TotalAlloc - before.TotalAlloc; used > 250<<20 {
			t.Errorf("%d MiB allocated", used>>20)
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if len(lines) != 3 {
			t.Fatalf("%d responses, want 3", len(lines))
		}
		if all := out.String(); strings.Count(all, `"id":null`) != 1 ||
			!strings.Contains(all, `"code":-32600,"message":"Invalid Request: The line is longer than 33554432 bytes."`) {
			t.Errorf("got %s", all)
		}
	})

	line := toolCall(1, "echo", "x")
	t.Run("a line at the limit is served", func(t *testing.T) {
		options := options
		options.MaxLine = len(line)
		if got := serve(t, line+"\n", options); len(got) != 1 || !strings.Contains(got[0], `"id":1,`) {
			t.Errorf("got %q", got)
		}
	})
	t.Run("one byte more is not, wherever it is cut", func(t *testing.T) {
		options := options
		options.MaxLine = len(line) - 1
		for _, input := range []string{line, line + "\n", line + "\n" + line} {
			for _, got := range serve(t, input, options) {
				if !strings.Contains(got, `"id":null`) {
					t.Errorf("got %q", got)
				}
			}
		}
	})
	t.Run("a big call is served whole", func(t *testing.T) {
		text := strings.Repeat("é\n", 1<<19)
		got := serve(t, toolCall(1, "echo", text), options)
		if len(got) != 1 || len(got[0]) < 2*len(text) {
			t.Errorf("%d responses", len(got))
		}
	})
}

// A reader that gives one byte at a time cuts every line everywhere.
func TestLinesAreJoinedAcrossReads(t *testing.T) {
	input := "\r\n" + toolCall(1, "echo", "x") + "\r\n\n   \n" + toolCall(2, "echo", "y")
	var out strings.Builder
	if err := transport.ServeStdio(t.Context(), &oneByte{input}, &out, transport.StdioOptions{Handler: newHandler(t, nobodyWaits)}); err != nil {
		t.Fatal(err)
	}
	if strings.Count(out.String(), "\n") != 2 || !strings.Contains(out.String(), `"id":1,`) || !strings.Contains(out.String(), `"id":2,`) {
		t.Errorf("got %s", out.String())
	}
}

type oneByte struct{ rest string }

func (o *oneByte) Read(p []byte) (int, error) {
	if o.rest == "" {
		return 0, io.EOF
	}
	p[0] = o.rest[0]
	o.rest = o.rest[1:]
	return 1, nil
}
