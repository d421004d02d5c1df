package web

import (
	"cmp"
	"path"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/markdown"
	"issues-index/store/words"
)

// mostReferences is how many of the documents that a text names become links.
const mostReferences = 500

// maxField is the longest value of a field on the page of a document, in characters.
const maxField = 2000

// A documentPage is what the page of a document shows.
type documentPage struct {
	documentRow
	Claim    *index.RowClaim
	Problems []store.Problem
	PartOf   []linkedRow  // its parent
	Set      []setField   // what can be changed in place
	Ends     []choice     // the statuses that close it
	Fields   []extraField // other keys of the frontmatter
	Deletes  bool         // the person may delete it
	Links    []linkGroup
	NotReady []string
	Ready    bool
	Text     renderedText
}

type extraField struct{ Name, Value string }

// A setField is a field that is changed where it is shown.
type setField struct {
	formField
	Mark  string   // the symbol of the value
	Known []string // values that other documents have
}

// A linkGroup is the documents that a document is linked with in one way.
type linkGroup struct {
	Name  string
	To    []linkedRow
	Count int // of all, also those that are not shown
}

// A linkedRow is a linked document, or what a link names in vain.
type linkedRow struct {
	index.LinkedDocument
	Mark string
}

// document shows one document.
func document(r *pageRequest) (pageContent, error) {
	ctx, ws := r.Context(), r.ix.Workspace()
	links, doc, err := r.ix.LoadLinked(ctx, cmp.Or(r.PathValue("id"), r.URL.Query().Get("path")), false)
	if err != nil {
		return pageContent{}, err
	}
	page := documentPage{
		documentRow: newRow(ws.Layout, links.Row),
		Problems:    doc.Problems, Ready: links.Ready(), NotReady: documents.NotReady(links.StatusAside()),
		Links: linkGroups(r.ix, &links),
	}
	page.Deletes = r.mayDelete()
	if page.Version != doc.Version { // the file has changed meanwhile, and its text is shown
		page.Version, page.Boxes = doc.Version, markdown.CountBoxes(doc.Body)
	}
	if page.Claim, err = r.ix.ClaimOn(ctx, doc); err != nil {
		return pageContent{}, err
	}
	page.Who = personOf(index.Row{Claim: page.Claim, Assignee: links.Row.Assignee})
	for _, group := range page.Links {
		if group.Name == partOf {
			page.PartOf = group.To
		}
	}
	if err := page.addFields(r, doc); err != nil {
		return pageContent{}, err
	}
	for _, key := range documents.OwnKeys(doc) {
		page.Fields = append(page.Fields, extraField{words.Cut(key.Name, maxCell), words.Cut(string(key.Value), maxField)})
	}
	page.Text, err = r.text(doc)
	return pageContent{Template: "document", Title: words.Cut(links.Row.ID+" "+links.Row.Title, maxCell), Data: page}, err
}

// addFields adds what can be changed in place: the fields of a form, but for those with a place of
// their own on the page.
func (p *documentPage) addFields(r *pageRequest, doc *store.Document) error {
	l := r.ix.Workspace().Layout
	for _, name := range []string{"status", "priority", "assignee", "type", "project"} {
		f := setField{formField: newField(l, name, fieldOf(doc, name))}
		switch name {
		case "status":
			f.Mark = p.Mark
		case "priority":
			f.Mark = p.Urgency
		case "assignee", "project":
			if !r.edit {
				break
			}
			known, err := r.valuesOf(name)
			if err != nil {
				return err
			}
			for _, k := range known[:min(len(known), mostChoices)] {
				f.Known = append(f.Known, k.Value)
			}
		}
		if f.Value != "" || r.edit {
			p.Set = append(p.Set, f)
		}
	}
	for _, status := range l.Of(layout.Done, layout.Cancelled) {
		p.Ends = append(p.Ends, choice{Value: status, Label: spoken(status), Mark: statusMark(l, status, false)})
	}
	return nil
}

// text is the text of a document, rendered if that does not take too long.
func (r *pageRequest) text(doc *store.Document) (renderedText, error) {
	select {
	case r.rendering <- struct{}{}:
		defer func() { <-r.rendering }()
	case <-r.Context().Done():
		return renderedText{}, r.Context().Err()
	}
	if reason := markdown.CostlyToRender(doc.Body); reason != "" {
		raw := words.CutBytes(doc.Body, maxRawText)
		return renderedText{Raw: raw, Reason: reason, Cut: len(raw) < len(doc.Body)}, nil
	}
	references := markdown.References(doc.Body, r.ix.Workspace().Layout.Mentions)
	addresses, err := r.addresses(doc, references)
	if err != nil {
		return renderedText{}, err
	}
	text, err := render(r.Context(), doc.Body, references,
		func(m markdown.Reference) string { return addresses[m.Target] }, r.edit)
	return renderedText{HTML: text, Ticking: r.edit}, err
}

// addresses are the pages of the documents that a text names, by how it names them.
func (r *pageRequest) addresses(doc *store.Document, references []markdown.Reference) (map[string]string, error) {
	var written, asked []string
	known := map[string]bool{}
	for _, m := range references {
		if known[m.Target] || len(asked) == mostReferences {
			continue
		}
		known[m.Target] = true
		name := m.Target
		if m.Kind == markdown.FileLink {
			name = path.Join(path.Dir(doc.Path), m.Target)
		}
		written, asked = append(written, m.Target), append(asked, name)
	}
	addresses := map[string]string{}
	if len(asked) == 0 {
		return addresses, nil
	}
	found, err := r.ix.GetBatch(r.Context(), asked)
	for i, one := range found {
		if one.Err == nil {
			addresses[written[i]] = documentLink(one.Row)
		}
	}
	return addresses, err
}

// partOf names the group of a document's parents.
const partOf = "Part of"

// linkGroups are the links of a document, both ways.
func linkGroups(ix *index.Index, l *index.DocumentLinks) (groups []linkGroup) {
	for _, g := range []struct {
		name  string
		to    []index.LinkedDocument
		count int
	}{
		{partOf, l.Parents, 0}, {"Waits for", l.WaitsFor, 0}, {"Holds up", l.Blocks, l.Waiting},
		{"Children", l.Children, l.AllChildren}, {"Related", l.Related, 0}, {"Mentioned in", l.MentionedBy, l.Mentions},
	} {
		if len(g.to) == 0 {
			continue
		}
		const most = 100
		group := linkGroup{Name: g.name, Count: max(g.count, len(g.to))}
		for _, to := range g.to[:min(len(g.to), most)] {
			to.ID, to.Row.Title = words.Cut(to.ID, maxCell), words.Cut(to.Row.Title, maxCell)
			group.To = append(group.To, linkedRow{to, statusMark(ix.Workspace().Layout, to.Row.Status, false)})
		}
		groups = append(groups, group)
	}
	return groups
}
