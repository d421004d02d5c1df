package repair

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/pattern"
)

const duplicateID store.ProblemCode = "duplicate-id"

// A bearer is a document whose id other documents have, too.
type bearer struct {
	finding *Finding
	doc     *store.Document
	line    int // of the id in the file, from 1; 0 when the id comes from the file's name
}

// adviseIDs advises about documents that share an id: which line of which file to change,
// and to which free id. The oldest document keeps the id, since other documents most
// likely mean that one.
func (p *changePlanner) adviseIDs(ctx context.Context, findings []Finding) error {
	groups := map[string][]bearer{}
	var ids []string // in the order of the problems
	for i := range findings {
		finding := &findings[i]
		if finding.Problem.Code != duplicateID {
			continue
		}
		d := &fileDraft{path: finding.Path}
		doc := p.read(d)
		if doc == nil {
			continue // its frontmatter has to be repaired first
		}
		id := index.AlikeID(finding.ID)
		if groups[id] == nil {
			ids = append(ids, id)
		}
		groups[id] = append(groups[id], bearer{finding, doc, idLineOf(d.data, doc)})
	}
	highest := map[string]int{}
	for _, id := range ids {
		group := groups[id]
		slices.SortStableFunc(group, func(a, b bearer) int {
			return cmp.Or(a.doc.Created.Compare(b.doc.Created), strings.Compare(a.doc.Path, b.doc.Path))
		})
		for i, b := range group {
			if i == 0 {
				b.finding.Advice = "the oldest: keep its id"
				continue
			}
			typ := b.doc.Collection
			if highest[typ] == 0 {
				known, err := p.ix.CreateConstraints(ctx, typ, typ, "")
				if err != nil {
					return err
				}
				highest[typ] = known.Highest
			}
			highest[typ]++
			b.finding.Advice = b.advice(p.ws, p.ws.NewID(typ, highest[typ]))
		}
	}
	return nil
}

// advice says how to give the document a new id.
func (b bearer) advice(ws *store.Workspace, id string) string {
	name := path.Base(b.doc.Path)
	if b.line == 0 {
		return fmt.Sprintf("add the line id: %s to its frontmatter, and rename the file to %s-%s", id, ws.FileID(id), name)
	}
	text := fmt.Sprintf("change line %d to id: %s", b.line, id)
	if old := b.doc.ID; len(name) > len(old) && strings.EqualFold(name[:len(old)], old) {
		text += ", and rename the file to " + ws.FileID(id) + name[len(old):]
	}
	return text
}

var idLine = pattern.Lazy(`^["']?id["']?[ \t]*:`)

// idLineOf returns the line of a document's id in its file, 0 when there is none.
func idLineOf(data []byte, doc *store.Document) int {
	for i, line := range bytes.Split(data, []byte("\n")) {
		if i+1 >= doc.BodyLine {
			break
		}
		if idLine().Match(line) {
			return i + 1
		}
	}
	return 0
}
