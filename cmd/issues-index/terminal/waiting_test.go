package terminal

import (
	"strings"
	"testing"
)

func TestAWaitingLineGoesAway(t *testing.T) {
	t.Run("what was shown is taken away", func(t *testing.T) {
		var out strings.Builder
		line := &waitingLine{out: &out}
		line.show("Waiting…")
		line.end()
		if got := out.String(); got != "Waiting…\r\x1b[K" {
			t.Errorf("%q", got)
		}
	})
	t.Run("work that ends in time shows nothing, and nothing comes late", func(t *testing.T) {
		var out strings.Builder
		line := &waitingLine{out: &out}
		line.end()
		line.show("Waiting…")
		if out.Len() > 0 {
			t.Errorf("%q", out.String())
		}
	})
	t.Run("no line gets into a pipe", func(t *testing.T) {
		var out strings.Builder
		Waiting(&out, "Waiting…", 0)()
		if out.Len() > 0 {
			t.Errorf("%q", out.String())
		}
	})
}
