package wagtail

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"

	"issues-index/store/pattern"
	"issues-index/tools"
)

// The kinds of objects that the API lists, by the names of their endpoints.
const (
	kindPages     = "pages"
	kindImages    = "images"
	kindDocuments = "documents"
)

// one names a single object of a kind.
var one = map[string]string{kindPages: "page", kindImages: "image", kindDocuments: "document"}

// usualMost is the API's maximum page size unless the site's project changes it.
const usualMost = 20

// A batch is what the API gave of a list.
type batch struct {
	total  int
	offset int
	limit  int // how many were asked for
	items  []item
	// holes says that items may be missing among those counted: a search index is
	// behind the pages that it is of.
	holes bool
	// most is the API's maximum where more was asked for, else 0.
	most int
}

// next is the offset behind the first n items, and whether there are any there.
func (b batch) next(n int) (offset int, more bool) {
	if offset = b.offset + n; b.holes && n == len(b.items) {
		offset = b.offset + max(n, b.limit)
	}
	return offset, offset > b.offset && offset < b.total
}

var tooMany = pattern.Lazy(`^limit cannot be higher than (\d+)`)

// list asks for at most limit objects of a kind. The API tells its maximum only by
// refusing more: that is learned once.
func (s *Site) list(ctx context.Context, kind string, query url.Values, limit, offset int) (batch, error) {
	asked := limit
	if most := int(s.most.Load()); most > 0 {
		limit = min(limit, most)
	}
	b, err := s.once(ctx, kind, query, limit, offset)
	var r *refusal
	if errors.As(err, &r) {
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
		return batch{}, err
	}
	if limit < asked {
		b.most = limit
	}
	if kind == kindPages {
		s.sawTypes(b.items)
	}
	return b, nil
}

// once asks once.
func (s *Site) once(ctx context.Context, kind string, query url.Values, limit, offset int) (batch, error) {
	query = maps.Clone(query)
	query.Set("limit", strconv.Itoa(limit))
	if offset > 0 {
		query.Set("offset", strconv.Itoa(offset))
	}
	var answer struct {
		Meta *struct {
			Total int `json:"total_count"`
		} `json:"meta"`
		Items []item `json:"items"`
	}
	if err := s.get(ctx, kind+"/", query, &answer); err != nil {
		if worded := siteError(err, query); worded != err { //nolint:errorlint // the same error, not one like it
			return batch{}, worded
		}
		return batch{}, localeOf(err, query)
	}
	if answer.Meta == nil || answer.Items == nil || slices.ContainsFunc(answer.Items, func(i item) bool { return i.ID < 1 }) {
		return batch{}, s.notWagtail(kind + "/")
	}
	items := answer.Items
	if len(items) > limit { // of a site that takes no notice of it
		items = items[:limit]
	}
	total := min(max(answer.Meta.Total, 0), maxID)
	if len(items) > 0 {
		total = max(total, offset+len(items))
	}
	return batch{total: total, offset: offset, limit: limit, items: items, holes: query.Has("search")}, nil
}

// localeOf words the 404 of a list, which an unknown language is.
func localeOf(err error, query url.Values) error {
	if absent(err) && query.Has("locale") {
		return tools.Errorf(tools.CodeValidation, "The site has no locale %s.", tools.Quote(query.Get("locale"))).On("locale").
			Try("Pass the code of one of its languages in the exact case, or leave locale out.")
	}
	return err
}

// typeNames returns the page types that answers have had so far.
func (s *Site) typeNames() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.types))
}

// sizeNote says that the API gave less than was asked for, "" when it did not.
func (b batch) sizeNote(kind string) string {
	if b.most == 0 {
		return ""
	}
	return fmt.Sprintf("The site's API gives at most %d %s at a time.", b.most, kind)
}
