package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"

	"issues-index/index"
	"issues-index/store/layout"
)

func sampleTable() *table {
	t := &table{columns: []column{
		{title: "ID", least: 4},
		{title: "STATUS", colour: func(s string) string { return statusColour(layout.Default(), s) }},
		{title: "TITLE", least: 10},
		{title: "LABELS", least: 6, optional: true},
		{title: "N", right: true, optional: true},
	}}
	t.add("ISS-000001", "open", "A title that goes on and on", "one,two,three", "7")
	t.add("ISS-000002", "closed", "検索の結果を一覧で表示する", "", "1200")
	return t
}

func drawn(t *testing.T, table *table, s screen) []string {
	t.Helper()
	var out bytes.Buffer
	if err := table.write(&out, s, nil); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func TestTable(t *testing.T) {
	t.Run("a pipe gets every cell whole, and no trailing blanks", func(t *testing.T) {
		want := []string{
			"ID          STATUS  TITLE                        LABELS            N",
			"ISS-000001  open    A title that goes on and on  one,two,three     7",
			"ISS-000002  closed  検索の結果を一覧で表示する                  1200",
		}
		for i, line := range drawn(t, sampleTable(), screen{}) {
			if line != want[i] {
				t.Errorf("line %d\n got %q\nwant %q", i, line, want[i])
			}
		}
	})

	t.Run("no line is wider than the screen, down to two columns", func(t *testing.T) {
		for width := 14; width <= 80; width++ {
			for _, line := range drawn(t, sampleTable(), screen{width: width}) {
				if w := uniseg.StringWidth(line); w > width {
					t.Fatalf("%d columns on a screen of %d: %q", w, width, line)
				}
			}
		}
	})

	t.Run("optional columns go before anything is cut below its least width", func(t *testing.T) {
		lines := drawn(t, sampleTable(), screen{width: 30})
		if strings.Contains(lines[0], "LABELS") || !strings.Contains(lines[1], "…") {
			t.Errorf("%q", lines)
		}
	})

	t.Run("an id is whole on the narrowest screen that has room for it", func(t *testing.T) {
		for _, width := range []int{20, 24, 30} {
			for _, line := range drawn(t, (&program{}).rowsTable([]index.Row{{ID: "ISS-000001", Status: "in_progress", Title: "A title that goes on"}}, rowOutput{}), screen{width: width})[1:] {
				if !strings.HasPrefix(line, "ISS-000001 ") || uniseg.StringWidth(line) > width {
					t.Errorf("on a screen of %d: %q", width, line)
				}
			}
		}
	})

	t.Run("optional columns are narrowed before others", func(t *testing.T) {
		lines := drawn(t, sampleTable(), screen{width: 66})
		if !strings.Contains(lines[1], "A title that goes on and on") || strings.Contains(lines[1], "one,two,three") {
			t.Errorf("%q", lines)
		}
	})

	t.Run("colours do not count as width", func(t *testing.T) {
		plainLines := drawn(t, sampleTable(), screen{width: 40})
		for i, line := range drawn(t, sampleTable(), screen{width: 40, colour: true}) {
			if i > 0 && !strings.Contains(line, "\x1b[") {
				t.Errorf("no colour in %q", line)
			}
			for _, code := range []string{bold, green, dim} {
				line = strings.ReplaceAll(line, "\x1b["+code+"m", "")
			}
			if line = strings.ReplaceAll(line, "\x1b[0m", ""); line != plainLines[i] {
				t.Errorf("coloured %q, plain %q", line, plainLines[i])
			}
		}
	})

	t.Run("a title cannot drive the terminal or start a line", func(t *testing.T) {
		table := &table{columns: []column{{title: "TITLE"}}}
		table.add("a\x1b[31mred\nnext\u202eback\u0085")
		lines := drawn(t, table, screen{})
		if len(lines) != 2 || lines[1] != "a [31mred next back" {
			t.Errorf("%q", lines)
		}
	})
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
	for _, s := range []screen{{width: 80, colour: true}, {width: 140, colour: true}, {width: 40}} {
		t.Run(fmt.Sprint(s.width), func(t *testing.T) {
			var out bytes.Buffer
			if err := (&program{}).rowsTable(rows, rowOutput{}).write(&out, s, snippet); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(out.String()) {
				if w := uniseg.StringWidth(sgr.ReplaceAllString(strings.TrimSuffix(line, "\n"), "")); w > s.width {
					t.Errorf("%d columns: %q", w, line)
				}
			}
			keepGolden(t, filepath.Join("testdata", "screens", fmt.Sprintf("list-%d.golden", s.width)), strings.ReplaceAll(out.String(), "\x1b", "␛"))
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
		got := screen{colour: true}.marked(c.text, queryMarks(c.query))
		got = regexp.MustCompile("\x1b\\[2m(.*?)\x1b\\[0m").ReplaceAllString(got, "($1)")
		got = regexp.MustCompile("\x1b\\[1m(.*?)\x1b\\[0m").ReplaceAllString(got, "<$1>")
		if got != c.want {
			t.Errorf("%q in %q: %s, want %s", c.query, c.text, got, c.want)
		}
	}
}

func TestTableFitsAnyScreen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.StringOfN(rapid.SampledFrom([]rune("ab -,漢字🎉é\u0301\u200d\t\x1b")), 0, 40, -1)
		table := &table{}
		columns := rapid.IntRange(1, 6).Draw(t, "columns")
		for range columns {
			table.columns = append(table.columns, column{
				title: "C", least: rapid.IntRange(0, 20).Draw(t, "least"), optional: rapid.Bool().Draw(t, "optional"), right: rapid.Bool().Draw(t, "right"),
			})
		}
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			table.add(rapid.SliceOfN(cell, columns, columns).Draw(t, "row")...)
		}
		width := rapid.IntRange(4*columns, 140).Draw(t, "width")
		var out bytes.Buffer
		if err := table.write(&out, screen{width: width}, nil); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if w := uniseg.StringWidth(strings.TrimSuffix(line, "\n")); w > width {
				t.Fatalf("%d columns on a screen of %d: %q", w, width, line)
			}
		}
	})
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"short", 5, "short"},
		{"longer", 5, "long…"},
		{"検索結果", 5, "検索…"},
		{"検索結果", 4, "検…"},
		{"e\u0301te\u0301s", 3, "e\u0301t…"},
		{"x", 0, ""},
	} {
		if got := cut(c.text, c.width); got != c.want {
			t.Errorf("cut(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
