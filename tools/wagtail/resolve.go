package wagtail

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"golang.org/x/sync/errgroup"

	"issues-index/tools"
	"issues-index/tools/wagtail/content"
)

const (
	// maxTargets bounds the links of one page that are looked up.
	maxTargets = 40
	// atOnce bounds the requests of one call that are under way together.
	atOnce = 4
	// linkTime is how long a page waits for what its links lead to.
	linkTime = 5 * time.Second
	// fresh is how long what a link leads to is taken from memory: reading a long
	// page in chunks asks for it again with each. maxKnown bounds that memory.
	fresh    = 5 * time.Minute
	maxKnown = 2000
)

// A link is a reference of a page of a site, "" being the configured one.
type link struct {
	site string
	ref  content.Ref
}

// A known is what a reference was found to lead to.
type known struct {
	target content.Target
	state  linkState
	until  time.Time
}

// A linkState says how the look-up of a reference ended.
type linkState int

const (
	linkFailed linkState = iota // it says nothing of what the link leads to
	linkFound
	linkAbsent // the API says that it shows no such object
)

// links are the references of one page, looked up.
type links struct {
	known  map[content.Ref]known
	most   int // how many are looked up
	unread int // how many were not looked up: there are too many
	// shown are those that the text asked for; false for those that it only guesses.
	shown map[content.Ref]bool
}

// resolve looks up what the references of a page lead to, the first so many. Failed look-ups are tried
// again with the next call that begins to read a page. The calls that go on reading
// it take them as they were, because the text must stay the same over its chunks.
func (s *Site) resolve(ctx context.Context, site string, refs []content.Ref, most int, begins bool) links {
	refs = distinct(refs)
	l := links{most: most, known: make(map[content.Ref]known, len(refs)), shown: make(map[content.Ref]bool)}
	// Those behind the first are never looked up, though others be known already:
	// the text of a page has to be the same with each of its chunks.
	if l.unread = max(0, len(refs)-most); l.unread > 0 {
		refs = refs[:most]
	}
	var ask []content.Ref
	now := time.Now()
	s.mu.Lock()
	for _, ref := range refs {
		k, ok := s.targets[link{site, ref}]
		if ok && now.Before(k.until) && (k.state != linkFailed || !begins) {
			l.known[ref] = k
		} else {
			ask = append(ask, ref)
		}
	}
	s.mu.Unlock()
	answers := s.lookUp(ctx, site, ask)
	if ctx.Err() != nil { // the call was cancelled, which says nothing of the links
		return l
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.targets)+len(ask) > maxKnown {
		clear(s.targets)
	}
	for n, ref := range ask {
		answers[n].until = now.Add(fresh)
		l.known[ref], s.targets[link{site, ref}] = answers[n], answers[n]
	}
	return l
}

// lookUp asks what references lead to, a few at once.
func (s *Site) lookUp(ctx context.Context, site string, refs []content.Ref) []known {
	ctx, cancel := context.WithTimeout(ctx, linkTime)
	defer cancel()
	answers := make([]known, len(refs))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for n, ref := range refs {
		group.Go(func() error {
			answers[n] = s.target(ctx, site, ref)
			if answers[n].state == linkAbsent && site != "" && ref.Kind == content.KindPage {
				answers[n] = s.target(ctx, "", ref)
			}
			return nil
		})
	}
	_ = group.Wait() // none of them fails
	return answers
}

// resolver tells the text what its references lead to. One that was not found stays
// as it is.
func (l links) resolver() content.Resolver {
	return func(ref content.Ref) (content.Target, bool) {
		guess := ref.Guess
		ref.Guess = false
		l.shown[ref] = l.shown[ref] || !guess
		k := l.known[ref]
		return k.target, k.state == linkFound
	}
}

// note says which links of the text do not show where they lead, and why.
func (l links) note(args *tools.Args) {
	counts := map[linkState]int{}
	for ref, certain := range l.shown {
		if k, asked := l.known[ref]; asked && certain { // a guess that fails is no dead link
			counts[k.state]++
		}
	}
	if counts[linkAbsent] > 0 {
		args.Note("a link such as wagtail:page/4 leads to what the API does not show: it is deleted, a draft, private or of another site")
	}
	if n := counts[linkFailed]; n > 0 {
		args.Note(fmt.Sprintf("%d %s could not be looked up and may work: %s as wagtail:page/ID and the like; call again to try again", n, plural(n, "link"), plural(n, "it stands", "they stand")))
	}
	if l.unread > 0 {
		args.Note(fmt.Sprintf("%d links more than %d stand as wagtail:page/ID and the like", l.unread, l.most))
	}
}

// plural is a word in the number of n, its plural by rule unless given.
func plural(n int, word string, several ...string) string {
	switch {
	case n == 1:
		return word
	case len(several) > 0:
		return several[0]
	}
	return word + "s"
}

// distinct are references in order, each once, whether it is a guess or not.
func distinct(refs []content.Ref) []content.Ref {
	seen := make(map[content.Ref]bool, len(refs))
	var once []content.Ref
	for _, ref := range refs {
		ref.Guess = false
		if !seen[ref] {
			seen[ref] = true
			once = append(once, ref)
		}
	}
	return once
}

// target asks what one reference leads to.
func (s *Site) target(ctx context.Context, site string, ref content.Ref) known {
	for kind, name := range one {
		if name != ref.Kind || ref.ID < 1 || ref.ID > maxID {
			continue
		}
		address, fields := "download_url", "_,id,title,download_url"
		if kind == kindPages {
			address, fields = "html_url", "_,id,title,html_url"
		}
		query := url.Values{"fields": {fields}}
		if kind == kindPages {
			set(query, "site", site)
		}
		var i item
		err := s.get(ctx, fmt.Sprintf("%s/%d/", kind, ref.ID), query, &i)
		switch {
		case absent(err):
			return known{state: linkAbsent}
		case err != nil || i.ID != ref.ID:
			return known{state: linkFailed}
		}
		k := known{target: content.Target{Title: cut(i.text("title"), 120)}, state: linkFound}
		if u := i.url(address, s.base); u != nil {
			k.target.URL = u.String()
		}
		return k
	}
	return known{state: linkAbsent}
}
