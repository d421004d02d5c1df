package wagtail

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"issues-index/store/pattern"
	"issues-index/store/words"
	"issues-index/tools"
)

// The kinds of objects that the API lists, by the names of their endpoints.
const (
	kindPages     = "pages"
	kindImages    = "images"
	kindDocuments = "documents"
)

// singular names a single object of a kind.
var singular = map[string]string{kindPages: "page", kindImages: "image", kindDocuments: "document"}

// defaultMaxLimit is the API's maximum page size unless the site's project changes it.
const defaultMaxLimit = 20

// An objectBatch is a part of a list of the API.
type objectBatch struct {
	total  int
	offset int
	limit  int // how many were asked for
	items  []apiObject
	// holes says that some of the counted items may be missing: a search index lags
	// behind its pages.
	holes bool
	// most is the API's maximum when more was asked for, else 0.
	most int
	// broken is the error that ended the reading early, nil for none.
	broken error
}

// next returns the offset behind the first n items, and whether there are more items.
func (b objectBatch) next(n int) (offset int, more bool) {
	if offset = b.offset + n; b.holes && n == len(b.items) {
		offset = b.offset + max(n, b.limit)
	}
	return offset, offset > b.offset && offset < b.total
}

var tooMany = pattern.Lazy(`^limit cannot be higher than (\d+)`)

// list asks for at most limit objects of a kind. The API states its maximum only when
// it refuses more, so list learns it once.
func (s *Site) list(ctx context.Context, kind string, query url.Values, limit, offset int) (objectBatch, error) {
	asked := limit
	if most := int(s.most.Load()); most > 0 {
		limit = min(limit, most)
	}
	b, err := s.once(ctx, kind, query, limit, offset)
	if r, ok := errors.AsType[*siteError](err); ok {
		if found := tooMany().FindStringSubmatch(r.message); found != nil {
			most, badNumber := strconv.Atoi(found[1])
			if badNumber == nil && most >= 0 && most < limit {
				s.most.Store(int64(max(most, 1)))
				limit = most
				b, err = s.once(ctx, kind, query, limit, offset)
			}
		}
	}
	if err != nil {
		return objectBatch{}, err
	}
	if limit < asked {
		b.most = limit
	}
	return b, nil
}

// mostRequests is the most requests that fill one page of a list.
const mostRequests = 5

// fill asks for at most limit objects of a kind, in several requests when the API
// returns fewer at a time. It ends early when a later request fails: the items read so
// far are the answer.
func (s *Site) fill(ctx context.Context, kind string, query url.Values, limit, offset int) (objectBatch, error) {
	all, err := s.list(ctx, kind, query, limit, offset)
	for n := 1; n < mostRequests && err == nil && all.most > 0 && query.Get("order") != "random"; n++ {
		at, more := all.next(len(all.items))
		if !more {
			all.most = 0 // the maximum is not why the answer is short
			break
		}
		b, failure := s.list(ctx, kind, query, min(all.most, limit-all.limit), at)
		if failure != nil {
			all.broken = failure
			break
		}
		all.items, all.limit = append(all.items, b.items...), all.limit+b.limit
		if all.limit >= limit {
			all.most = 0
		}
	}
	return all, cmp.Or(err, ctx.Err())
}

// once sends one request for a list.
func (s *Site) once(ctx context.Context, kind string, query url.Values, limit, offset int) (objectBatch, error) {
	query = maps.Clone(query)
	stored := kind == kindPages && query.Has("fields") && query.Has("type") && !s.oneFormat.Load()
	if stored {
		query.Set(storedText, storedForm)
	}
	query.Set("limit", strconv.Itoa(limit))
	if offset > 0 {
		query.Set("offset", strconv.Itoa(offset))
	}
	var answer struct {
		Meta *struct {
			Total int `json:"total_count"`
		} `json:"meta"`
		Items []apiObject `json:"items"`
	}
	err := s.get(ctx, kind+"/", query, &answer)
	if stored && refusedParameter(err, storedText) {
		s.oneFormat.Store(true) // Wagtail before 8.0, which has no other form
		query.Del(storedText)
		err = s.get(ctx, kind+"/", query, &answer)
	}
	if err != nil {
		return objectBatch{}, unknownSite(err, query)
	}
	if answer.Meta == nil || answer.Items == nil || slices.ContainsFunc(answer.Items,
		func(i apiObject) bool { return i.ID < 1 }) {
		return objectBatch{}, s.unread(kind+"/", true)
	}
	items := answer.Items
	if len(items) > limit { // the site ignores the limit
		items = items[:limit]
	}
	total := min(max(answer.Meta.Total, 0), maxID)
	if len(items) > 0 {
		total = max(total, offset+len(items))
	}
	return objectBatch{total: total, offset: offset, limit: limit, items: items, holes: query.Has("search")}, nil
}

// sizeNote says why there are fewer items than asked for, "" when there are not.
func (b objectBatch) sizeNote(kind string) string {
	switch {
	case b.broken != nil:
		return fmt.Sprintf("Only %d were read: %s", len(b.items), words.Cut(tools.ErrorOf(b.broken).Message, 200))
	case b.most == 0:
		return ""
	case b.limit > b.most: // it was asked several times
		return fmt.Sprintf("The site's API gives at most %d %s at a time, and a call asks it %d times at most.", b.most,
			kind, mostRequests)
	}
	return fmt.Sprintf("The site's API gives at most %d %s at a time.", b.most, kind)
}

// storedText is the parameter for the form of rich text, and storedForm the form that
// package content reads: the one that Wagtail stores. Since version 8.0 a project can set
// its API to Markdown or to the site's own HTML. Older versions refuse the parameter in
// lists and ignore it in details.
const (
	storedText = "rich_text_format"
	storedForm = "db_html"
)

// object reads one object of a kind.
func (s *Site) object(ctx context.Context, kind string, id int, query url.Values) (i apiObject, err error) {
	if kind == kindPages {
		query.Set(storedText, storedForm)
	}
	err = unknownSite(s.get(ctx, kind+"/"+strconv.Itoa(id)+"/", query, &i), query)
	if err == nil && i.ID != id {
		err = s.unread(kind+"/", true)
	}
	return i, err
}

// atOnce is how many requests of one call are under way together.
const atOnce = 4

// each calls do for the numbers below n, some of them together. It returns the first
// error.
func each(n int, do func(int) error) error {
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i := range n {
		group.Go(func() error { return do(i) })
	}
	return group.Wait()
}

// walkTime is how long a call that goes through many pages begins further requests.
const walkTime = 20 * time.Second

// A requestBudget limits what one call asks of a site when it goes through many pages.
type requestBudget struct {
	left  int // requests
	until time.Time
}

func (s *Site) walk() *requestBudget {
	return &requestBudget{left: s.walkRequests, until: time.Now().Add(walkTime)}
}

// over reports whether no time is left for further requests.
func (w *requestBudget) over() bool { return time.Now().After(w.until) }

// take reports whether that many further requests may be made, and counts them.
func (w *requestBudget) take(requests int) bool {
	if w.left < requests || w.over() {
		return false
	}
	w.left -= requests
	return true
}
