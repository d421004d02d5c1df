package passage

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issues-index/store"
	"issues-index/tools"
	"issues-index/tools/answer"
)

// asked are the arguments section, startLine and endLine as a call has them.
func asked(t *testing.T, arguments string) (Passage, error) {
	t.Helper()
	args := tools.NewArgs(tools.Tool{
		Name: "read", ReadOnly: true,
		Input: json.RawMessage(`{"type":"object","properties":{"section":{"type":"string"},"startLine":{"type":"integer"},"endLine":{"type":"integer"}}}`),
	}, json.RawMessage(arguments))
	return Read(args), args.Err()
}

const body = "intro\n\n# One\n\na\n\n## Two\n\nb\n\n# Three\n\nc"

func TestLocate(t *testing.T) {
	for arguments, want := range map[string]string{
		`{}`:                            body,
		`{"section":"one"}`:             "# One\n\na\n\n## Two\n\nb\n\n",
		`{"section":"Two"}`:             "## Two\n\nb\n\n",
		`{"startLine":3,"endLine":5}`:   "# One\n\na\n",
		`{"startLine":11}`:              "# Three\n\nc",
		`{"endLine":1}`:                 "intro\n",
		`{"startLine":13,"endLine":99}`: "c",
	} {
		p, err := asked(t, arguments)
		if err != nil {
			t.Fatal(err)
		}
		x, err := p.Locate(body)
		if err != nil || body[x.From:x.To] != want || store.Lines(body, x.Start, x.End) != want || x.Total != 13 {
			t.Errorf("%s: %+v %v", arguments, x, err)
		}
		if p.Given() != (arguments != `{}`) {
			t.Errorf("%s: given is %v", arguments, p.Given())
		}
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	for arguments, say := range map[string]string{
		`{"section":"One","startLine":1}`: "section and startLine or endLine were both given",
		`{"startLine":5,"endLine":4}`:     "Invalid endLine 4",
		`{"startLine":14}`:                "the text has 13 lines",
		`{"section":"Nowhere"}`:           "No section 'Nowhere'",
		`{"section":"t"}`:                 "2 sections fit 't'",
	} {
		p, err := asked(t, arguments)
		if err == nil {
			_, err = p.Locate(body)
		}
		var worded *tools.Error
		if !errors.As(err, &worded) || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: %v", arguments, err)
		}
	}
	p, err := asked(t, `{"section":"x"}`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = p.Locate("no heading"); err == nil || !strings.Contains(err.Error(), "has no headings") {
		t.Errorf("%v", err)
	}
}

func TestChunksJoinToWhatWasAskedFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"# A", "## B", "", "", "- item", "A sentence. Another one.", "```", "| a | b |", "é——"}), 1, 60).Draw(t, "lines")
		text := Text{Tool: "read", Name: "it", Seal: "seal", Body: strings.Join(lines, "\n")}
		total := store.LineCount(text.Body)
		start := rapid.IntRange(1, max(total, 1)).Draw(t, "start")
		p := Passage{Start: start, End: rapid.IntRange(start, total+3).Draw(t, "end")}
		if total == 0 {
			p = Passage{}
		}
		x, err := p.Locate(text.Body)
		if err != nil {
			t.Fatal(err)
		}
		limits := answer.Limits{Tokens: rapid.IntRange(5, 60).Draw(t, "tokens"), Lines: rapid.IntRange(1, 20).Draw(t, "rows")}
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
	text := Text{Tool: "read", Name: "page 4", Seal: "a", Body: strings.Repeat(body+"\n\n", 9)}
	x, err := Passage{}.Locate(text.Body)
	if err != nil {
		t.Fatal(err)
	}
	cursor := text.Cut(x, text.Start(x), answer.Limits{Tokens: 20, Lines: 20}).Next
	other, changed := text, text
	other.Seal = "b"
	changed.Body += "more"
	for name, of := range map[string]struct {
		text   Text
		cursor string
		asked  Passage
		say    string
	}{
		"of another text":   {other, cursor, Passage{}, "is none of page 4"},
		"altered":           {text, cursor[:len(cursor)-1] + "!", Passage{}, "is none of page 4"},
		"cut":               {text, cursor[1:], Passage{}, "is none of page 4"},
		"empty but for a 0": {text, "0", Passage{}, "is none of page 4"},
		"far too long":      {text, strings.Repeat("z", 1000), Passage{}, "is none of page 4"},
		"of a text before":  {changed, cursor, Passage{}, "changed since"},
		"with other lines":  {text, cursor, Passage{Start: 1, End: 2}, "with another section or other lines"},
		"with no section":   {text, cursor, Passage{Section: "Nowhere"}, "with another section or other lines"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := of.text.Resume(of.cursor, of.asked); err == nil || !strings.Contains(err.Error(), of.say) {
				t.Errorf("%v", err)
			}
		})
	}
	if _, _, err := text.Resume(cursor, Passage{}); err != nil {
		t.Error(err)
	}
}

func FuzzResume(f *testing.F) {
	text := Text{Tool: "read", Name: "it", Seal: "seal", Body: strings.Repeat(body, 20)}
	f.Add(Place{At: 7, Line: 3, Index: 1}.Cursor(text.Body, text.Seal))
	f.Add("0")
	f.Fuzz(func(t *testing.T, cursor string) {
		x, p, err := text.Resume(cursor, Passage{})
		if err == nil && (p.At < 0 || p.At > len(text.Body) || x.To > len(text.Body)) {
			t.Fatalf("%+v %+v", x, p)
		}
	})
}

func TestOutline(t *testing.T) {
	headings := store.Outline("# One\n\n## Two  words\n\n### Three\n\n# " + strings.Repeat("long ", 40) + "\n")
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
