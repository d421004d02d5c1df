package terminal

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

func sampleTable() *Table {
	t := &Table{Columns: []Column{
		{Title: "ID", Least: 4},
		{Title: "STATUS", Colour: func(s string) string { return map[string]string{"open": Green, "closed": Dim}[s] }},
		{Title: "TITLE", Least: 10},
		{Title: "LABELS", Least: 6, Optional: true},
		{Title: "N", Right: true, Optional: true},
	}}
	t.Add("ISS-000001", "open", "A title that goes on and on", "one,two,three", "7")
	t.Add("ISS-000002", "closed", "検索の結果を一覧で表示する", "", "1200")
	return t
}

func drawn(t *testing.T, table *Table, s Screen) []string {
	t.Helper()
	var out bytes.Buffer
	if err := table.Write(&out, s, nil); err != nil {
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
		for i, line := range drawn(t, sampleTable(), Screen{}) {
			if line != want[i] {
				t.Errorf("line %d\n got %q\nwant %q", i, line, want[i])
			}
		}
	})

	t.Run("no line is wider than the screen, down to two columns", func(t *testing.T) {
		for width := 14; width <= 80; width++ {
			for _, line := range drawn(t, sampleTable(), Screen{Width: width}) {
				if w := uniseg.StringWidth(line); w > width {
					t.Fatalf("%d columns on a screen of %d: %q", w, width, line)
				}
			}
		}
	})

	t.Run("optional columns go before anything is cut below its least width", func(t *testing.T) {
		lines := drawn(t, sampleTable(), Screen{Width: 30})
		if strings.Contains(lines[0], "LABELS") || !strings.Contains(lines[1], "…") {
			t.Errorf("%q", lines)
		}
	})

	t.Run("optional columns are narrowed before others", func(t *testing.T) {
		lines := drawn(t, sampleTable(), Screen{Width: 66})
		if !strings.Contains(lines[1], "A title that goes on and on") || strings.Contains(lines[1], "one,two,three") {
			t.Errorf("%q", lines)
		}
	})

	t.Run("colours do not count as width", func(t *testing.T) {
		plainLines := drawn(t, sampleTable(), Screen{Width: 40})
		for i, line := range drawn(t, sampleTable(), Screen{Width: 40, Colour: true}) {
			if i > 0 && !strings.Contains(line, "\x1b[") {
				t.Errorf("no colour in %q", line)
			}
			for _, code := range []string{Bold, Green, Dim} {
				line = strings.ReplaceAll(line, "\x1b["+code+"m", "")
			}
			if line = strings.ReplaceAll(line, "\x1b[0m", ""); line != plainLines[i] {
				t.Errorf("coloured %q, plain %q", line, plainLines[i])
			}
		}
	})

	t.Run("a title cannot drive the terminal or start a line", func(t *testing.T) {
		table := &Table{Columns: []Column{{Title: "TITLE"}}}
		table.Add("a\x1b[31mred\nnext\u202eback\u0085")
		lines := drawn(t, table, Screen{})
		if len(lines) != 2 || lines[1] != "a [31mred next back" {
			t.Errorf("%q", lines)
		}
	})
}

func TestTableFitsAnyScreen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.StringOfN(rapid.SampledFrom([]rune("ab -,漢字🎉é\u0301\u200d\t\x1b")), 0, 40, -1)
		table := &Table{}
		columns := rapid.IntRange(1, 6).Draw(t, "columns")
		for range columns {
			table.Columns = append(table.Columns, Column{
				Title: "C", Least: rapid.IntRange(0, 20).Draw(t, "least"), Optional: rapid.Bool().Draw(t, "optional"), Right: rapid.Bool().Draw(t, "right"),
			})
		}
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			table.Add(rapid.SliceOfN(cell, columns, columns).Draw(t, "row")...)
		}
		width := rapid.IntRange(4*columns, 140).Draw(t, "width")
		var out bytes.Buffer
		if err := table.Write(&out, Screen{Width: width}, nil); err != nil {
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
		if got := Cut(c.text, c.width); got != c.want {
			t.Errorf("cut(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
