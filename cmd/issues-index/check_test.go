package main

import (
	"context"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// TestShellWord holds that what a person pastes into a shell is what was meant.
func TestShellWord(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no POSIX shell")
	}
	for _, word := range []string{"plain", "/a/b-c_d.json", "two words", "it's", `"$HOME"`, "`id`", `back\slash`, "*", "", "a;b", "日本", "new\nline", "#x", "~"} {
		quoted := shellWord(word)
		out, err := exec.Command("sh", "-c", "printf %s "+quoted).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q is written %s, which is %q, %v", word, quoted, out, err)
		}
	}
	if got := shellWord("/home/ann/work"); strings.ContainsAny(got, `'"`) {
		t.Errorf("a plain path is quoted: %s", got)
	}
}

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
