package store

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Parse makes a document of a file's bytes, or of the error that reading it
// gave. It never fails: what cannot be read becomes a problem.
func (w *Workspace) Parse(f File, data []byte, readErr error) *Document {
	name := path.Base(f.Path)
	stem := oneLine(strings.TrimSuffix(name, path.Ext(name)))
	if stem == "" { // a name of blanks
		stem = oneLine(name)
	}
	mtime := time.Unix(0, f.Stat.Mtime).UTC().Truncate(time.Millisecond)
	p := &draft{stem: stem, doc: &Document{
		Path: f.Path, Collection: f.Collection.Type, Size: f.Stat.Size,
		ID: stem, Type: f.Collection.Type, Created: mtime, Updated: mtime, BodyLine: 1,
	}}
	switch {
	case errors.Is(readErr, ErrTooLarge):
		p.problem(ProblemFileSize, 0, "the file is %d bytes long, over the limit of %d: it is not read", f.Stat.Size, MaxFileSize)
	case readErr != nil:
		p.problem(ProblemUnreadable, 0, "the file cannot be read: %v", cause(readErr))
	default:
		p.parse(data)
	}
	if p.doc.Title == "" {
		p.doc.Title = firstHeading(p.doc.Body)
	}
	if p.doc.Title == "" {
		p.doc.Title = stem
	}
	p.checkFolder(f.Collection)
	return p.doc
}

// A draft is a document that is being filled in.
type draft struct {
	doc  *Document
	stem string
	fm   frontmatter

	parent *yaml.Node // wranglerContext.parentTaskId
	times  map[string]pair
	extra  []pair
}

// problem adds a problem; line is the YAML's, 0 for none.
func (p *draft) problem(code ProblemCode, line int, format string, args ...any) {
	if line > 0 {
		line = p.fm.fileLine(line)
	}
	p.doc.Problems = append(p.doc.Problems, Problem{Code: code, Message: fmt.Sprintf(format, args...), Line: line})
}

// parse reads the whole file. Bytes that are no text spoil the frontmatter only
// when they are in it.
func (p *draft) parse(data []byte) {
	text := string(data)
	p.doc.Body = text
	notText := textProblem(data)
	if notText != nil {
		p.doc.Problems = append(p.doc.Problems, *notText)
	}
	fm, found, problem := splitFrontmatter(text)
	if !found {
		return
	}
	if notText != nil && (problem != nil || notText.Line < fm.line) {
		return
	}
	var list []pair
	if problem == nil {
		list, problem = parseYAML(fm)
	}
	if problem != nil {
		p.doc.Problems = append(p.doc.Problems, *problem)
		return
	}
	p.fm = fm
	p.doc.Body, p.doc.BodyLine = text[fm.body:], fm.line
	p.fields(list)
}

// archiveFolders are the directories that hold finished documents: ours and the
// two of older layouts.
var archiveFolders = []string{"archived", "completed", "complete"}

// checkFolder reports a status that the folder contradicts.
func (p *draft) checkFolder(c Collection) {
	rel, _ := below(c.Dir, path.Dir(p.doc.Path))
	archived := false
	for part := range strings.SplitSeq(rel, "/") {
		archived = archived || slices.Contains(archiveFolders, part)
	}
	switch p.doc.Status {
	case "":
		if archived && !slices.ContainsFunc(p.doc.Problems, Problem.Frozen) {
			p.problem(ProblemStatusFolder, 0, "the document has no status and counts as open, but the file lies in %s", path.Dir(p.doc.Path))
		}
	case "open", "in_progress":
		if archived {
			p.problem(ProblemStatusFolder, 0, "the status is %s, but the file lies in %s", p.doc.Status, path.Dir(p.doc.Path))
		}
	case "closed", "cancelled":
		if !archived {
			p.problem(ProblemStatusFolder, 0, "the status is %s, but the file does not lie in %s", p.doc.Status, path.Join(c.Dir, "archived"))
		}
	}
}
