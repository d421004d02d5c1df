package issues

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/index/edit"
	"issues-index/store/words"
	"issues-index/tools"
)

// searchArgs are the arguments of a search, under their names.
type searchArgs struct {
	Query              string       `json:"query"`
	Fields             []string     `json:"fields,omitempty"`
	Filters            searchFilter `json:"filters"`
	SortBy             string       `json:"sortBy"`
	SortOrder          string       `json:"sortOrder,omitempty"`
	IncludeDescription bool         `json:"includeDescription"`
}

// A searchFilter is what narrows a search: a list's filter and more.
type searchFilter struct {
	issueFilter
	IDs           []string  `json:"ids,omitempty"`
	CreatedAfter  time.Time `json:"createdAfter,omitzero"`
	CreatedBefore time.Time `json:"createdBefore,omitzero"`
	UpdatedAfter  time.Time `json:"updatedAfter,omitzero"`
	UpdatedBefore time.Time `json:"updatedBefore,omitzero"`
	ClosedAfter   time.Time `json:"closedAfter,omitzero"`
	ClosedBefore  time.Time `json:"closedBefore,omitzero"`
	Ready         bool      `json:"ready,omitempty"`
	Blocked       bool      `json:"blocked,omitempty"`
	Under         string    `json:"under,omitempty"` // the id of an ancestor, at any distance
	Where         string    `json:"where,omitempty"`
	View          string    `json:"view,omitempty"`
}

const searchName = "issues_search"

// maxUnknown bounds the ids of a filter that a search says are nobody's.
const maxUnknown = 5

func search(ix *index.Index) tools.Tool {
	return tools.Tool{
		Name: searchName,
		Description: "Search issues by words in title, labels and text, best match first. Read-only. " +
			`All words must occur, parts of words count; "a phrase", OR, -word, title:word and label:word work. ` +
			"includeDescription adds a snippet.",
		ReadOnly:   true,
		Idempotent: true,
		Input: tools.ObjectSchema(`"query":`+anyText+`,"fields":{"type":"array","items":`+searchEnum+`},`+
			`"filters":{"type":"object","properties":{`+filterProperties(layoutOf(ix))+`,"where":`+anyText+`,"ids":`+anyTexts+
			`,"createdAfter":`+anyText+`,"createdBefore":`+anyText+`}},`+
			`"sortBy":{"type":"string","enum":["relevance","created","updated","priority","status"]},`+
			`"sortOrder":{"type":"string","enum":["asc","desc"]},`+pageProperties+
			`,"includeDescription":{"type":"boolean"}`, "query"),
		TakesIn: map[string][]string{
			"filters": {
				"type", "ready", "blocked", "under", "view", "updatedAfter", "updatedBefore", "closedAfter", "closedBefore",
			},
		},
		Output: tools.ObjectSchema(listingProperties, "issues", "totalCount"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			asked := readSearch(ctx, ix, args)
			ids, err := anyForm(ctx, ix, args, asked.Filters.IDs)
			if err != nil {
				return tools.Result{}, err
			}
			filter, err := asked.Filters.query(ctx, ix, args, ids)
			if err != nil {
				return tools.Result{}, err
			}
			q := index.Query{
				Search:   true,
				Lines:    true,
				Waits:    true,
				Claims:   true,
				Text:     asked.Query,
				Fields:   asked.Fields,
				Snippets: asked.IncludeDescription,
				Filter:   filter,
				Sort:     sorted(asked.SortBy, asked.SortOrder),
				Scope:    searchName,
			}
			return page(ctx, ix, args, asked, q, args.Settings().PageSize, func(
				asked searchArgs, p index.Page,
			) (*listRows, error) {
				if len(p.Rows) == 0 {
					noteNothing(ctx, ix, args, asked.Filters.byMeaning())
					return lineRows(layoutOf(ix), args, p, false, nothingFound(ctx, ix, asked)), nil
				}
				return lineRows(layoutOf(ix), args, p, false, ""), nil
			})
		},
	}
}

func readSearch(ctx context.Context, ix *index.Index, args *tools.Args) searchArgs {
	s := searchArgs{
		Fields:             args.Enums("fields", "title", "description", "labels"),
		Filters:            readSearchFilter(ctx, ix, args.Object("filters")),
		SortBy:             args.Enum("sortBy", "relevance", "created", "updated", "priority", "status"),
		SortOrder:          args.Enum("sortOrder", "asc", "desc"),
		IncludeDescription: args.Bool("includeDescription"),
	}
	if cursor(args) == "" {
		s.Query = args.Required("query")
		refuseEverything(args, s.Query)
	} else {
		s.Query = args.String("query")
	}
	if s.SortBy == "" {
		s.SortBy = string(index.SortRelevance)
	}
	return s
}

// timeFilters are the filters by time.
var timeFilters = []string{
	"createdAfter", "createdBefore", "updatedAfter", "updatedBefore", "closedAfter", "closedBefore",
}

func readSearchFilter(ctx context.Context, ix *index.Index, args *tools.Args) searchFilter {
	f := searchFilter{
		issueFilter:   readFilter(ctx, ix, args),
		IDs:           args.IDs("ids"),
		CreatedAfter:  args.Time("createdAfter"),
		CreatedBefore: args.Time("createdBefore"),
		UpdatedAfter:  args.Time("updatedAfter"),
		UpdatedBefore: args.Time("updatedBefore"),
		ClosedAfter:   args.Time("closedAfter"),
		ClosedBefore:  args.Time("closedBefore"),
		Ready:         args.Bool("ready"),
		Blocked:       args.Bool("blocked"),
		Under:         args.String("under"),
		Where:         args.String("where"),
		View:          args.String("view"),
	}
	return f
}

// query is the filter as the index takes it. Errors: those of [documents.Narrow].
func (f searchFilter) query(
	ctx context.Context, ix *index.Index, args *tools.Args, ids []string,
) (index.Filter, error) {
	q := f.issueFilter.query()
	q.IDs = ids
	q.CreatedAfter, q.CreatedBefore = f.CreatedAfter, f.CreatedBefore
	q.UpdatedAfter, q.UpdatedBefore = f.UpdatedAfter, f.UpdatedBefore
	q.ClosedAfter, q.ClosedBefore = f.ClosedAfter, f.ClosedBefore
	q.Ready, q.Blocked = f.Ready, f.Blocked
	q.Under = f.Under
	q.Where = index.AskedCriteria{Text: f.Where, Me: args.Holder()}
	_, err := documents.Narrow(ctx, ix, &q, f.View)
	return q, err
}

// byMeaning reports whether the filter may ask what statuses mean.
func (f searchFilter) byMeaning() bool {
	return f.Ready || f.Blocked || f.Where != "" || f.View != ""
}

// noteUnknownStatuses says how many documents nothing is known of, where nothing was found.
func noteUnknownStatuses(ctx context.Context, ix *index.Index, args *tools.Args) {
	unknown, err := edit.FindUnknownStatuses(ctx, ix)
	if says := unknown.Says(); err == nil && says != "" {
		args.Note(says + "; ask the user to " + unknown.Advice())
	}
}

// anyForm puts the paths of documents in place of ids in whatever form. An id
// that names nothing stays, and finds nothing.
func anyForm(ctx context.Context, ix *index.Index, args *tools.Args, ids []string) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	lookups, err := ix.GetBatch(ctx, ids)
	if err != nil {
		return nil, err
	}
	var exact, unknown []string
	for _, l := range lookups {
		var several *index.AmbiguousError
		switch {
		case l.Err == nil:
			exact = append(exact, l.Row.Path)
		case errors.As(l.Err, &several):
			exact = append(exact, paths(several.Candidates)...)
		default:
			exact = append(exact, l.ID)
			unknown = append(unknown, tools.Plain(l.ID))
		}
	}
	if shown := unknown[:min(len(unknown), maxUnknown)]; len(unknown) > 1 {
		args.Note("no document has any of these ids: " + strings.Join(shown, ", ") + words.AndMore(len(unknown)-len(shown)))
	} else if len(unknown) == 1 {
		args.Note("no document has the id " + unknown[0])
	}
	return exact, nil
}

// sorted is the order asked for. Without a sortOrder the best, newest and most
// urgent come first, and statuses in the order of a document's life.
func sorted(by, order string) index.Sort {
	key := index.SortKey(by)
	desc := key != index.SortStatus
	if order != "" {
		desc = order == "desc"
	}
	return index.Sort{Key: key, Desc: desc}
}

// refuseEverything refuses a query that other programs take for all there is: here it
// would find the few documents that have such a character.
func refuseEverything(args *tools.Args, query string) {
	if query != "" && strings.Trim(query, "*%?. ") == "" {
		args.Fail(tools.Errorf(tools.CodeValidation, "Query %s has no word to search for.", tools.Quote(query)).On("query").
			Try("issues_list lists all documents, issues_stats counts them."))
	}
}

// nothingFound says what to try when a search finds nothing.
func nothingFound(ctx context.Context, ix *index.Index, s searchArgs) string {
	hint := "Try fewer or shorter words, or OR between them" + alternatives(s.Query) + "."
	if len(s.Fields) > 0 || !reflect.ValueOf(s.Filters).IsZero() {
		hint = "Try fewer or shorter words, OR between them" + alternatives(s.Query) + ", or drop fields and filters."
	}
	meant := documents.MissedQualifier(s.Query, func(q documents.Qualifier) string {
		filter := fmt.Sprintf("{%s: %s}", cmp.Or(argumentOf[q.Filter], q.Filter), tools.Quote(q.Value))
		switch {
		case q.Filter == "":
			return "pass only the words, and filters, sortBy or sortOrder beside them"
		case q.Rest == "":
			return "pass issues_list " + filter + ", which lists without words"
		}
		return "pass filters: " + filter + " and query: " + tools.Quote(q.Rest)
	})
	if meant != "" {
		hint = strings.TrimSuffix(meant, "?") + "."
	} else if near, err := documents.Misspelt(ctx, ix, s.Query); err == nil && near != "" {
		hint = near + " " + hint
	}
	return fmt.Sprintf("No issues match %s. %s", tools.Quote(s.Query), hint)
}

// alternatives is a query for any of the longest words of one that found nothing, ""
// for one of a single word.
func alternatives(query string) string {
	const most, shortest = 3, 4
	words := strings.FieldsFunc(
		query, func(r rune) bool { return !(r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'A') },
	)
	words = slices.DeleteFunc(words, func(w string) bool { return utf8.RuneCountInString(w) < shortest })
	longest := slices.SortedStableFunc(slices.Values(words), func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	longest = slices.Compact(longest[:min(len(longest), most)])
	if len(longest) < 2 {
		return ""
	}
	return " (" + strings.Join(longest, " OR ") + ")"
}
