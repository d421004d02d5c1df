package wagtail

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"golang.org/x/sync/errgroup"

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

// A known is what a reference was found to lead to.
type known struct {
	target content.Target
	found  bool
	until  time.Time
}

// resolver looks up what the references lead to, and returns what was found. One
// that cannot be found, or not now, stays as it is; unread is how many were not
// looked up at all.
func (s *Site) resolver(ctx context.Context, refs []content.Ref) (resolve content.Resolver, unread int) {
	found := make(map[content.Ref]known)
	var ask []content.Ref
	now := time.Now()
	refs = distinct(refs)
	// Those behind the first are never looked up, though others be known already:
	// the text of a page has to be the same with each of its chunks.
	if unread = max(0, len(refs)-maxTargets); unread > 0 {
		refs = refs[:maxTargets]
	}
	s.mu.Lock()
	for _, ref := range refs {
		if k, ok := s.targets[targetKey(ref)]; ok && now.Before(k.until) {
			found[ref] = k
		} else {
			ask = append(ask, ref)
		}
	}
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, linkTime)
	defer cancel()
	answers := make([]known, len(ask))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for n, ref := range ask {
		group.Go(func() error {
			answers[n] = s.target(ctx, ref)
			return nil
		})
	}
	_ = group.Wait() // none of them fails
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.targets)+len(ask) > maxKnown {
		clear(s.targets)
	}
	for n, ref := range ask {
		answers[n].until = now.Add(fresh)
		found[ref] = answers[n]
		if ctx.Err() == nil {
			s.targets[targetKey(ref)] = answers[n]
		}
	}
	return func(ref content.Ref) (content.Target, bool) {
		k := found[ref]
		return k.target, k.found
	}, unread
}

// distinct are references in order, each once.
func distinct(refs []content.Ref) []content.Ref {
	seen := make(map[content.Ref]bool, len(refs))
	var once []content.Ref
	for _, ref := range refs {
		if !seen[ref] {
			seen[ref] = true
			once = append(once, ref)
		}
	}
	return once
}

func targetKey(ref content.Ref) string { return fmt.Sprint(ref.Kind, " ", ref.ID) }

// target asks what one reference leads to.
func (s *Site) target(ctx context.Context, ref content.Ref) known {
	for kind, name := range one {
		if name != ref.Kind || ref.ID < 1 || ref.ID > maxID {
			continue
		}
		address, fields := "download_url", "_,id,title,download_url"
		if kind == kindPages {
			address, fields = "html_url", "_,id,title,html_url"
		}
		var i item
		if s.get(ctx, fmt.Sprintf("%s/%d/", kind, ref.ID), url.Values{"fields": {fields}}, &i) != nil || i.ID != ref.ID {
			return known{}
		}
		k := known{target: content.Target{Title: cut(i.text("title"), 120)}, found: true}
		if u := i.url(address, s.base); u != nil {
			k.target.URL = u.String()
		}
		return k
	}
	return known{}
}
