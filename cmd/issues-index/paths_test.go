package main

import (
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
