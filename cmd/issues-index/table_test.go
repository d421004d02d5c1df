package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
)

func sampleTable() *table {
	t := &table{columns: []column{
		{title: "ID", least: 4},
		{title: "STATUS", colour: statusColour},
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
