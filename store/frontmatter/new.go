package frontmatter

import "issues-index/store/layout"

// New is the text of a new document: the fields in their order, also those whose value says
// nothing, then the keys of the context, and the body. A value that a document cannot have is a
// *ValueError.
func New(fields, context []Assignment, body string) ([]byte, error) {
	var changes []change
	for _, f := range fields {
		c, err := f.change(false)
		if err != nil {
			return nil, err
		}
		changes = append(changes, c)
	}
	below, err := changesOf(context, nil, true)
	if err != nil {
		return nil, err
	}
	if below != nil {
		changes = append(changes, change{key: ContextKey, below: below})
	}
	p := Parse(nil, "", layout.Default())
	text, field := Edit{Body: &body}.body("", "\n")
	return p.write(changes, text, field)
}
