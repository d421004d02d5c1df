package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rivo/uniseg"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/tools/toolstest"
)

// sgr are the escape sequences that colours are.
var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

func TestAnIDIsWholeOnTheNarrowestScreenThatHasRoomForIt(t *testing.T) {
	rows := []index.Row{{ID: "ISS-000001", Status: "in_progress", Title: "A title that goes on"}}
	for _, width := range []int{20, 24, 30} {
		var out bytes.Buffer
		if err := (&program{getenv: os.Getenv}).rowsTable(rows, rowOutput{}).Write(&out, terminal.Screen{Width: width}, nil); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n")[1:] {
			if !strings.HasPrefix(line, "ISS-000001 ") || uniseg.StringWidth(line) > width {
				t.Errorf("on a screen of %d: %q", width, line)
			}
		}
	}
}

// What a list looks like on the screens that people have is kept as files.
func TestListOnScreens(t *testing.T) {
	day := time.Date(2026, 1, 22, 0, 0, 0, 0, time.UTC)
	rows := []index.Row{
		{ID: "ISS-000041", Status: "open", Priority: "critical", Title: "Sort by relevance, the best match first, and by date where two are as good", Updated: day, Labels: []string{"search", "index", "ranking"}},
		{ID: "ISS-000042", Status: "in_progress", Priority: "high", Title: "検索の結果を一覧で表示する、幅の広い文字でも列がずれないように", Updated: day, Labels: []string{"日本語"}},
		{ID: "a-file-without-an-id-and-a-long-name", Title: "Emoji 🎉👩‍👩‍👧‍👦 are two columns wide, e\u0301 is one", Updated: day},
		{ID: "ISS-000007", Status: "closed", Priority: "low", Title: "Short", Updated: day, Labels: []string{"done"}},
	}
	snippet := func(row int) string {
		if row == 0 {
			return "…ranks the **best** match first:\nwords in titles weigh more than words in the text, and those more than labels…"
		}
		return ""
	}
	for _, s := range []terminal.Screen{{Width: 80, Colour: true}, {Width: 140, Colour: true}, {Width: 40}} {
		t.Run(fmt.Sprint(s.Width), func(t *testing.T) {
			var out bytes.Buffer
			if err := (&program{getenv: os.Getenv}).rowsTable(rows, rowOutput{}).Write(&out, s, snippet); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(out.String()) {
				if w := uniseg.StringWidth(sgr.ReplaceAllString(strings.TrimSuffix(line, "\n"), "")); w > s.Width {
					t.Errorf("%d columns: %q", w, line)
				}
			}
			toolstest.Same(t, filepath.Join("testdata", "screens", fmt.Sprintf("list-%d.golden", s.Width)), []byte(strings.ReplaceAll(out.String(), "\x1b", "␛")))
		})
	}
}

func TestMarks(t *testing.T) {
	for _, c := range []struct{ query, text, want string }{
		{"", "Best match", "(Best match)"},
		{"match", "Best Match, best matches", "(Best )<Match>(, best )<match>(es)"},
		{`"best match" OR title:weight -first`, "best first by weight", "<best>( first by )<weight>"},
		{"-only", "only", "(only)"},
		{"a(b", "x a(b y", "(x )<a(b>( y)"},
		{"日本", "検索日本語", "(検索)<日本>(語)"},
	} {
		got := terminal.Screen{Colour: true}.Marked(c.text, queryMarks(c.query))
		got = regexp.MustCompile("\x1b\\[2m(.*?)\x1b\\[0m").ReplaceAllString(got, "($1)")
		got = regexp.MustCompile("\x1b\\[1m(.*?)\x1b\\[0m").ReplaceAllString(got, "<$1>")
		if got != c.want {
			t.Errorf("%q in %q: %s, want %s", c.query, c.text, got, c.want)
		}
	}
}
