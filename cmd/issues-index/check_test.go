package main

import (
	"context"
	"io"
	"strings"
	"testing"
)

func TestConfirm(t *testing.T) {
	p := &program{errOut: io.Discard}
	for _, c := range []struct {
		answer string
		want   bool
	}{
		{"y\n", true}, {"Yes\r\n", true}, {" yes \n", true},
		{"n\n", false}, {"\n", false}, {"yep\n", false}, {"", false},
		{"y", false}, // cut off, not entered
	} {
		if got := p.confirm(context.Background(), strings.NewReader(c.answer), "Sure?"); got != c.want {
			t.Errorf("%q counts as %v", c.answer, got)
		}
	}

	t.Run("an interrupt is a no, though nobody ends the line", func(t *testing.T) {
		silent, typing := io.Pipe()
		defer typing.Close()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if p.confirm(ctx, silent, "Sure?") {
			t.Error("it counts as a yes")
		}
	})
}
