package repair

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"issues-index/store"
	"issues-index/store/merge"
)

// resolve drafts the merge of the two sides of the conflicts in a document's frontmatter, and
// the move to the archive of one that is finished then.
func (p *changePlanner) resolve(d *fileDraft, problem *Finding) {
	data, _, err := p.ws.Read(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var merged merge.Merged
	if err == nil {
		merged, err = merge.Resolve(p.ws.Layout, data)
	}
	if err == nil && !(utf8.Valid(data) && utf8.Valid(merged.Data)) {
		err = errors.New("the file is not text")
	}
	if err != nil {
		problem.Why = err.Error()
		return
	}
	d.fix = store.NewFix(d.path, d.path, data, merged.Data)
	c, _ := p.ws.CollectionOf(d.path)
	doc := p.ws.Parse(store.File{Path: d.path, Collection: c}, merged.Data, nil)
	if folder, ok := p.archive(d, doc); ok {
		d.fix.To = path.Join(folder, path.Base(d.path))
	}
	problem.Fix = "merge both sides, key by key"
	if len(merged.Notes) > 0 {
		problem.Fix += ": " + strings.Join(merged.Notes, " ")
	}
	p.drafts = append(p.drafts, d)
}
