package wagtail

import (
	"context"
	"fmt"
	"slices"
	"time"

	"issues-index/store/words"
	"issues-index/tools/wagtail/content"
)

const (
	// maxTargets is the most links of one page that are looked up.
	maxTargets = 40
	// linkTime is how long a page waits for its links to be looked up.
	linkTime = 5 * time.Second
	// fresh is how long the target of a link is remembered: reading a long page in
	// chunks needs it again for each. maxKnown is how many are remembered.
	fresh    = 5 * time.Minute
	maxKnown = 2000
)

// A siteRef is a reference in a page of a site, "" being the configured one.
type siteRef struct {
	site string
	ref  content.Ref
}

// A linkTarget is the result of looking up a reference.
type linkTarget struct {
	target content.Target
	state  linkState
	until  time.Time
}

// A linkState says how the look-up of a link ended.
type linkState int

const (
	linkFailed linkState = iota // the link may work
	linkFound
	linkAbsent // the API shows no such object
)

// links are the links of one page after they were looked up.
type links struct {
	known  map[content.Ref]linkTarget
	unread int // how many more there are
}

// resolve looks up the first links of a page of a site, at most so many. A failed look-up is not
// remembered.
func (s *Site) resolve(ctx context.Context, site string, refs []content.Ref, most int) links {
	l := links{known: map[content.Ref]linkTarget{}}
	var ask []content.Ref
	s.mu.Lock()
	for _, ref := range refs {
		k, fresh := s.targets[siteRef{site, ref}]
		fresh = fresh && time.Now().Before(k.until)
		switch _, again := l.known[ref]; {
		case again:
			continue
		case len(l.known) == most:
			l.unread++
			continue
		case !fresh:
			ask = append(ask, ref)
		}
		l.known[ref] = k
	}
	s.mu.Unlock()
	limited, cancel := context.WithTimeout(ctx, linkTime)
	defer cancel()
	answers := s.lookUp(limited, site, ask)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.targets)+len(ask) > maxKnown {
		clear(s.targets)
	}
	for n, ref := range ask {
		answers[n].until = time.Now().Add(fresh)
		if l.known[ref] = answers[n]; answers[n].state != linkFailed {
			s.targets[siteRef{site, ref}] = answers[n]
		}
	}
	return l
}

// lookUp reads what references lead to.
func (s *Site) lookUp(ctx context.Context, site string, refs []content.Ref) []linkTarget {
	answers := make([]linkTarget, len(refs))
	_ = each(len(refs), func(n int) error {
		answers[n] = s.target(ctx, site, refs[n])
		return nil
	})
	return answers
}

// target reads what one reference leads to.
func (s *Site) target(ctx context.Context, site string, ref content.Ref) linkTarget {
	if ref.ID > maxID {
		return linkTarget{state: linkAbsent}
	}
	i, err := s.referred(ctx, site, ref)
	switch {
	case notFound(err):
		return linkTarget{state: linkAbsent}
	case err != nil:
		return linkTarget{state: linkFailed}
	}
	k := linkTarget{target: content.Target{Title: words.Cut(i.text("title"), 120)}, state: linkFound}
	if u := i.address(s.base); u != nil {
		k.target.URL = u.String()
	}
	return k
}

// referred reads the object of a reference. A page of another site may refer to a page of
// the configured one.
func (s *Site) referred(ctx context.Context, site string, ref content.Ref) (apiObject, error) {
	kind := ref.Kind + "s"
	if kind != kindPages {
		site = ""
	}
	i, err := s.object(ctx, kind, ref.ID, siteQuery(site, "fields", identityOf(kind)))
	if notFound(err) && site != "" {
		i, err = s.object(ctx, kind, ref.ID, siteQuery("", "fields", identityOf(kind)))
	}
	return i, err
}

// identityOf selects the name and address of an object, and nothing more.
func identityOf(kind string) string {
	if kind == kindPages {
		return "_," + pageIdentity
	}
	return "_," + fileIdentity
}

// target returns where a link leads, false when that is not known.
func (l links) target(ref content.Ref) (content.Target, bool) {
	k := l.known[ref]
	return k.target, k.state == linkFound
}

// note tells the reader which links of the text do not show where they lead, and why.
func (l links) note(say func(string)) {
	states := map[linkState][]string{}
	for ref, k := range l.known {
		states[k.state] = append(states[k.state], refAddress(ref))
	}
	if absent := states[linkAbsent]; len(absent) > 0 {
		say("a link such as " + slices.Min(absent) + " leads to what the API does not show: it is deleted, a draft, " +
			"private or of another site")
	}
	if n := len(states[linkFailed]); n > 0 {
		say(words.Count(n, "link") + " could not be looked up and may work: shown as wagtail:page/ID and the like; " +
			"call again to try again")
	}
	if l.unread > 0 {
		say(fmt.Sprintf("only the first %d links were looked up; %s shown as wagtail:page/ID and the like",
			len(l.known), words.Count(l.unread, "more is", "more are")))
	}
}
