package documents

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/orderedjson"
	"issues-index/store/words"
)

// A LinksView says how a document is linked with others, and whether it can be begun.
type LinksView struct {
	WaitsFor []string `json:"waitsFor,omitempty"` // each an id and how far that is
	Blocks   []string `json:"blocks,omitempty"`   // what waits for it
	Parent   string   `json:"parent,omitempty"`
	Children []string `json:"children,omitempty"`
	Progress string   `json:"progress,omitempty"` // finished children and all, as 2/5
	// MentionedBy are the documents whose texts name it that changed last.
	MentionedBy []string `json:"mentionedBy,omitempty"`
	Ready       bool     `json:"ready,omitempty"`
	NotReady    []string `json:"notReady,omitempty"` // the reasons, of unfinished work
}

// MostLinks is how many documents of one kind an answer names.
const MostLinks = 20

// ViewLinks words the links of a document, at most so many of one kind.
func ViewLinks(l *index.DocumentLinks, most int) LinksView {
	v := LinksView{
		WaitsFor: linkedDocuments(l.WaitsFor, len(l.WaitsFor), most),
		Blocks:   linkedDocuments(l.Blocks, l.Waiting, most),
		Children: linkedDocuments(l.Children, l.AllChildren, most),
		Ready:    l.Ready(),

		MentionedBy: linkedDocuments(l.MentionedBy, l.Mentions, most),
	}
	if len(l.Parents) > 0 {
		v.Parent = strings.Join(linkedDocuments(l.Parents, len(l.Parents), most), ", ")
	}
	if l.AllChildren > 0 {
		v.Progress = fmt.Sprintf("%d/%d", l.FinishedChildren, l.AllChildren)
	}
	v.NotReady = NotReady(l.StatusAside()) // which the status line says
	return v
}

// NotReady words why a document is not ready.
func NotReady(reasons []index.NotReady) []string {
	said := make([]string, len(reasons))
	for i, r := range reasons {
		said[i] = reason(r)
	}
	return said
}

// NotReadyNote says of a document that was claimed why it is not ready, "" when it is.
func NotReadyNote(reasons []index.NotReady) string {
	const most = 5
	if len(reasons) == 0 {
		return ""
	}
	shown := NotReady(reasons[:min(len(reasons), most)])
	return "not ready: " + strings.Join(shown, ", ") + words.AndMore(len(reasons)-len(shown))
}

// linkedDocuments names the first documents of so many.
func linkedDocuments(all []index.LinkedDocument, count, most int) []string {
	var names []string
	for _, to := range all[:min(len(all), most)] {
		names = append(names, linkedDocument(to))
	}
	if left := count - len(names); left > 0 {
		names = append(names, fmt.Sprintf("and %d more", left))
	}
	return names
}

func linkedDocument(to index.LinkedDocument) string {
	id := Name(words.Cut(to.ID, TitleLength))
	if to.Row.Path == "" { // it leads to none or to several
		return string(to.State) + " " + id
	}
	return Name(ShortID(to.Row.Handle(), to.Row.Path)) + " " + words.OneLine(to.Row.Status)
}

// reason words why a document cannot be begun.
func reason(r index.NotReady) string {
	switch r := r.(type) {
	case index.Waits:
		return "waits for " + linkedDocument(r.For)
	case index.AncestorWaits:
		return fmt.Sprintf("%s above it waits for %s", Name(r.Ancestor), Listed(r.For, ShownWaits))
	case index.HasOpenChildren:
		return "has " + words.Count(r.Open, "unfinished child document")
	case index.Deferred:
		return "deferred until " + Stamp(r.Until.UTC().Truncate(time.Second))
	case index.InCycle:
		return "waits for itself: " + words.Cut(strings.Join(r.Path, " → "), TitleLength)
	case index.NotOpen:
		return "is " + words.OneLine(r.Status)
	}
	return ""
}

// Facts yields the names of the links that there are, and what they say on one line.
func (v LinksView) Facts() iter.Seq2[string, string] {
	ready := ""
	if v.Ready {
		ready = "yes"
	}
	return func(yield func(name, says string) bool) {
		for _, fact := range [][2]string{
			{"waits for", strings.Join(v.WaitsFor, ", ")},
			{"blocks", strings.Join(v.Blocks, ", ")},
			{"parent", v.Parent},
			{"children", strings.TrimSpace(v.Progress + " " + strings.Join(v.Children, ", "))},
			{"mentioned by", strings.Join(v.MentionedBy, ", ")},
			{"ready", ready},
			{"not ready", strings.Join(v.NotReady, "; ")},
		} {
			if fact[1] != "" && !yield(fact[0], words.OneLine(fact[1])) {
				return
			}
		}
	}
}

// OwnKeys are the keys of a document's frontmatter that neither its fields nor its links show.
func OwnKeys(doc *store.Document) orderedjson.Object {
	keys, err := orderedjson.Parse(doc.Extra)
	if err != nil { // there are none
		return nil
	}
	return slices.DeleteFunc(keys, func(m orderedjson.Member) bool {
		kind := store.LinkKindOf(m.Name)
		return kind == store.WaitsFor || kind == store.Parent
	})
}
