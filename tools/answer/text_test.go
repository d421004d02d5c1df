package answer

import (
	"errors"
	"issues-index/store/markdown"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const body = "intro\n\n# One\n\na\n\n## Two\n\nb\n\n# Three\n\nc"

func TestLocate(t *testing.T) {
	for want, p := range map[string]Passage{
		body:                            {},
		"# One\n\na\n\n## Two\n\nb\n\n": {Section: "one"},
		"## Two\n\nb\n\n":               {Section: "Two"},
		"# One\n\na\n":                  {Start: 3, End: 5},
		"# Three\n\nc":                  {Start: 11},
		"intro\n":                       {End: 1},
		"c":                             {Start: 13, End: 99},
	} {
		x, err := p.Locate(body)
		if err != nil || body[x.From:x.To] != want || markdown.Lines(body, x.Start, x.End) != want || x.Total != 13 {
			t.Errorf("%+v: %+v %v", p, x, err)
		}
		if p.Given() != (p != Passage{}) {
			t.Errorf("%+v: given is %v", p, p.Given())
		}
	}
}

func TestLocateFindsNoPart(t *testing.T) {
	_, err := Passage{Start: 14}.Locate(body)
	if line := (*LineError)(nil); !errors.As(err, &line) || line.Start != 14 || line.Total != 13 {
		t.Errorf("%v", err)
	}
	for section, ambiguous := range map[string]bool{"Nowhere": false, "t": false} {
		_, err := Passage{Section: section}.Locate(body)
		if missing := (*markdown.SectionError)(nil); !errors.As(err, &missing) || missing.Ambiguous != ambiguous {
			t.Errorf("%s: %v", section, err)
		}
	}
}

func TestChunksJoinToWhatWasAskedFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"# A", "## B", "", "", "- item", "A sentence. Another one.", "```", "| a | b |", "é——"}), 1, 60).Draw(t, "lines")
		text := LongText{Tool: "read", Name: "it", Seal: "seal", Body: strings.Join(lines, "\n")}
		total := markdown.LineCount(text.Body)
		start := rapid.IntRange(1, max(total, 1)).Draw(t, "start")
		p := Passage{Start: start, End: rapid.IntRange(start, total+3).Draw(t, "end")}
		if total == 0 {
			p = Passage{}
		}
		x, err := p.Locate(text.Body)
		if err != nil {
			t.Fatal(err)
		}
		limits := ChunkLimits{Tokens: rapid.IntRange(5, 60).Draw(t, "tokens"), Lines: rapid.IntRange(1, 20).Draw(t, "rows")}
		got, at, count := "", text.Start(x), 0
		for {
			c := text.Cut(x, at, limits)
			if c.Index != count || c.Start != 1+strings.Count(text.Body[:x.From]+got, "\n") {
				t.Fatalf("%+v after %d chunks", c, count)
			}
			got += c.Text
			count++
			if c.Next == "" {
				if c.Chunks != count {
					t.Fatalf("%d chunks of %d", count, c.Chunks)
				}
				break
			}
			again, next, err := text.Resume(c.Next, p)
			if err != nil || again.To != x.To || next.At != x.From+len(got) {
				t.Fatalf("%q: %+v %+v %v", c.Next, again, next, err)
			}
			at = next
		}
		if got != text.Body[x.From:x.To] {
			t.Fatalf("%q is not %q", got, text.Body[x.From:x.To])
		}
	})
}

func TestCursors(t *testing.T) {
	text := LongText{Tool: "read", Name: "page 4", Seal: "a", Body: strings.Repeat(body+"\n\n", 9)}
	x, err := Passage{}.Locate(text.Body)
	if err != nil {
		t.Fatal(err)
	}
	cursor := text.Cut(x, text.Start(x), ChunkLimits{Tokens: 20, Lines: 20}).Next
	other, changed := text, text
	other.Seal = "b"
	changed.Body += "more"
	for name, of := range map[string]struct {
		text   LongText
		cursor string
		asked  Passage
		want   ChunkCursorReason
	}{
		"of another text":   {other, cursor, Passage{}, CursorForeign},
		"altered":           {text, cursor[:len(cursor)-1] + "!", Passage{}, CursorForeign},
		"cut":               {text, cursor[1:], Passage{}, CursorForeign},
		"empty but for a 0": {text, "0", Passage{}, CursorForeign},
		"far too long":      {text, strings.Repeat("z", 1000), Passage{}, CursorForeign},
		"of a text before":  {changed, cursor, Passage{}, CursorOutdated},
		"with other lines":  {text, cursor, Passage{Start: 1, End: 2}, CursorMismatch},
		"with no section":   {text, cursor, Passage{Section: "Nowhere"}, CursorMismatch},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := of.text.Resume(of.cursor, of.asked)
			if wrong := (*ChunkCursorError)(nil); !errors.As(err, &wrong) || wrong.Reason != of.want || wrong.Name != "page 4" {
				t.Errorf("%v", err)
			}
		})
	}
	if _, _, err := text.Resume(cursor, Passage{}); err != nil {
		t.Error(err)
	}
}

func FuzzResume(f *testing.F) {
	text := LongText{Tool: "read", Name: "it", Seal: "seal", Body: strings.Repeat(body, 20)}
	f.Add(ChunkStart{At: 7, Line: 3, Index: 1}.Cursor(text.Body, text.Seal))
	f.Add("0")
	f.Fuzz(func(t *testing.T, cursor string) {
		x, p, err := text.Resume(cursor, Passage{})
		if err == nil && (p.At < 0 || p.At > len(text.Body) || x.To > len(text.Body)) {
			t.Fatalf("%+v %+v", x, p)
		}
	})
}

func TestOutline(t *testing.T) {
	headings := markdown.Outline("# One\n\n## Two  words\n\n### Three\n\n# " + strings.Repeat("long ", 40) + "\n")
	for name, of := range map[string]struct {
		size, lines int
		want        string
	}{
		"all":             {1000, 10, "1-6 # One|3-6 ## Two words|5-6 ### Three|7-7 # " + strings.TrimSpace(strings.Repeat("long ", 16)[:79]) + "…"},
		"without a level": {136, 10, "1-6 # One|3-6 ## Two words|7-7 # " + strings.TrimSpace(strings.Repeat("long ", 16)[:79]) + "…|and 1 more heading"},
		"few lines":       {1000, 1, "1-6 # One|and 3 more headings"},
		"no room":         {5, 10, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(Outline(headings, of.size, of.lines), "|"); got != of.want {
				t.Errorf("%q", got)
			}
		})
	}
	if got := Within(headings, 3, 6); len(got) != 2 || got[0].Text != "Two  words" && got[0].Text != "Two words" {
		t.Errorf("%+v", got)
	}
}
