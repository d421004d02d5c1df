package issues

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/orderedjson"
	"issues-index/store/words"
)

// A linksView says how a document is linked with others, and whether it can be begun.
type linksView struct {
	WaitsFor []string `json:"waitsFor,omitempty"` // each an id and how far that is
	Blocks   []string `json:"blocks,omitempty"`   // what waits for it
	Parent   string   `json:"parent,omitempty"`
	Children []string `json:"children,omitempty"`
	Progress string   `json:"progress,omitempty"` // finished children and all, as 2/5
	Ready    bool     `json:"ready,omitempty"`
	NotReady []string `json:"notReady,omitempty"` // the reasons, of unfinished work
}

// mostLinks is how many documents of one kind an answer names.
const mostLinks = 20

func viewLinks(l *index.DocumentLinks) linksView {
	v := linksView{
		WaitsFor: linkedDocuments(l.WaitsFor, len(l.WaitsFor)),
		Blocks:   linkedDocuments(l.Blocks, l.Waiting),
		Children: linkedDocuments(l.Children, l.AllChildren),
		Ready:    l.Ready(),
	}
	if len(l.Parents) > 0 {
		v.Parent = strings.Join(linkedDocuments(l.Parents, len(l.Parents)), ", ")
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
	return "not ready: " + strings.Join(shown, ", ") + andMore(len(reasons)-len(shown))
}

// linkedDocuments names documents, as far as there is room for all of them.
func linkedDocuments(all []index.LinkedDocument, count int) []string {
	var names []string
	for _, to := range all[:min(len(all), mostLinks)] {
		names = append(names, linkedDocument(to))
	}
	if left := count - len(names); left > 0 {
		names = append(names, fmt.Sprintf("and %d more", left))
	}
	return names
}

func linkedDocument(to index.LinkedDocument) string {
	id := name(words.Cut(to.ID, titleLength))
	if to.Row.Path == "" { // it leads to none or to several
		return string(to.State) + " " + id
	}
	return name(shortID(handle(to.Row), to.Row.Path)) + " " + words.OneLine(to.Row.Status)
}

// reason words why a document cannot be begun.
func reason(r index.NotReady) string {
	switch r := r.(type) {
	case index.Waits:
		return "waits for " + linkedDocument(r.For)
	case index.AncestorWaits:
		return fmt.Sprintf("%s above it waits for %s", name(r.Ancestor), listed(r.For, shownWaits))
	case index.HasOpenChildren:
		return "has " + words.Count(r.Open, "unfinished child document")
	case index.Deferred:
		return "deferred until " + stamp(r.Until.UTC().Truncate(time.Second))
	case index.InCycle:
		return "waits for itself: " + words.Cut(strings.Join(r.Path, " → "), titleLength)
	case index.NotOpen:
		return "is " + words.OneLine(r.Status)
	}
	return ""
}

// lines are the lines of the text.
func (v linksView) lines() (lines []string) {
	add := func(key, value string) {
		if value != "" {
			lines = append(lines, key+": "+words.OneLine(value))
		}
	}
	add("waits for", strings.Join(v.WaitsFor, ", "))
	add("blocks", strings.Join(v.Blocks, ", "))
	add("parent", v.Parent)
	add("children", strings.TrimSpace(v.Progress+" "+strings.Join(v.Children, ", ")))
	if v.Ready {
		add("ready", "yes")
	}
	add("not ready", strings.Join(v.NotReady, "; "))
	return lines
}

// linked shows a document with its links, and these not once more among its other keys.
func (d documentView) linked(l *index.DocumentLinks) documentView {
	d.linksView = viewLinks(l)
	keys, err := orderedjson.Parse(d.Frontmatter)
	if err != nil { // there are none
		return d
	}
	keys = slices.DeleteFunc(keys, func(m orderedjson.Member) bool {
		kind := store.LinkKindOf(m.Name)
		return kind == store.WaitsFor || kind == store.Parent
	})
	d.Frontmatter = nil
	if len(keys) > 0 {
		d.Frontmatter = marshalled(keys)
	}
	return d
}
