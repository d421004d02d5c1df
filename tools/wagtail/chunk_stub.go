package wagtail

import "issues-index/tools"

const placeSchema = `"nextCursor":` + anyText + `,"note":` + anyText

type field struct{ Name, Markdown string }

type passage struct{}

type place struct {
	NextCursor string `json:"nextCursor,omitempty"`
	Note       string `json:"note,omitempty"`
}

type part struct {
	place
	Text, head string
}

type body struct{ tool, name, text, seal string }

func readPassage(*tools.Args) passage { return passage{} }

func (b body) answer(_ *tools.Args, _ passage, show func(part, int) tools.Result) (tools.Result, error) {
	return show(part{Text: b.text}, 0), nil
}

func joinFields(fields []field) string {
	text := ""
	for _, f := range fields {
		text += "# " + f.Name + "\n\n" + f.Markdown + "\n\n"
	}
	return text
}
