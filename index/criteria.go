package index

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"sync"
	"time"

	"issues-index/index/db"
	"issues-index/index/search"
	"issues-index/index/where"
	"issues-index/store"
	"issues-index/store/layout"
	spelling "issues-index/store/words"

	"modernc.org/sqlite"
)

// AskedCriteria are a text in the language of package where, and what it does not say itself.
type AskedCriteria struct {
	Text string `json:"text,omitempty"`
	Me   string `json:"me,omitempty"` // who @me is, "" when that is not known

	// Now and Zone say from when times are counted, for as long as one pages: from the first
	// page where they are not set. Where hours do not count, Now is the beginning of the day.
	Now  time.Time `json:"now,omitzero"`
	Zone string    `json:"zone,omitempty"`
}

// CheckCriteria reports what is wrong with criteria in this workspace: fields, values,
// predicates and documents that it does not have. Who asks need not be known. Errors:
// *where.SyntaxError, *where.TermError.
func (ix *Index) CheckCriteria(ctx context.Context, c *where.Criteria) error {
	return ix.CheckManyCriteria(ctx, func(check func(*where.Criteria) error) error { return check(c) })
}

// CheckManyCriteria lets use check one after the other with one look at the files. It may call use
// again from the start.
func (ix *Index) CheckManyCriteria(ctx context.Context, use func(check func(*where.Criteria) error) error) error {
	return ix.view(ctx, func(tx *db.Snapshot) error {
		return use(func(c *where.Criteria) error {
			f := &Filter{Where: AskedCriteria{Me: "@me"}}
			f.Where.fixNow(ix.engine.now(), c)
			env, err := ix.engine.criteriaEnv(ctx, tx, f)
			if err != nil {
				return err
			}
			always := func(string) (where.Condition, error) { return where.Condition{SQL: "true"}, nil }
			env.Predicates["is:stale"], env.Search = always, always // which tell nothing, and take time
			if _, err = where.Compile(c, env); err == nil {
				_, err = where.OrderBy(c, env)
			}
			return err
		})
	})
}

// fixNow sets the time and the zone from which times are counted, once. A time that is the same
// all day lets the counts of equal filters be remembered.
func (c *AskedCriteria) fixNow(now time.Time, parsed *where.Criteria) {
	if !c.Now.IsZero() {
		return
	}
	c.Now, c.Zone = now, now.Location().String()
	if !parsed.CountsClock() {
		y, m, d := now.Date()
		c.Now = time.Date(y, m, d, 0, 0, 0, 0, now.Location())
	}
}

// now is the time from which times are counted, in its zone if that is still known.
func (c *AskedCriteria) now() time.Time {
	if zone, err := time.LoadLocation(c.Zone); err == nil {
		return c.Now.In(zone)
	}
	return c.Now
}

// resolveFilter turns what a filter says in words, and needs other documents for, into conditions.
// It returns the order that its criteria ask for. Errors: *where.SyntaxError, *TermsError,
// *claims.UnusableError, and Get's for an id in the filter.
func (e *engine) resolveFilter(ctx context.Context, tx *db.Snapshot, f *Filter) (sort []where.SortField, err error) {
	f.bound, f.parents, f.order, f.leased, f.costly = nil, nil, where.Condition{}, "", f.Ready || f.Blocked
	if f.Ready || f.Blocked {
		if f.use, err = e.linkUse(ctx, tx); err != nil {
			return nil, err
		}
	}
	if f.Parent != "" {
		if f.parents, err = e.parentFolds(ctx, tx, f.Parent); err != nil {
			return nil, err
		}
	}
	bind := func(c where.Condition, err error) error {
		f.bound = append(f.bound, c)
		return err
	}
	if f.Under != "" {
		err = bind(e.linkedWith(ctx, tx, f.Under, below))
	}
	if err == nil && f.ClaimedBy != "" {
		err = bind(e.claimedBy(ctx, tx, f))
	}
	if err == nil && f.Stale {
		err = bind(e.stale(ctx, tx, f))
	}
	if err != nil {
		return nil, err
	}
	if f.Where.Text == "" {
		return nil, e.selectLines(ctx, tx, f, false)
	}
	criteria, err := where.Parse(f.Where.Text)
	if err != nil {
		return nil, err
	}
	if err := e.selectLines(ctx, tx, f, criteria.Asks("line")); err != nil {
		return nil, err
	}
	f.Where.fixNow(e.now(), criteria)
	env, err := e.criteriaEnv(ctx, tx, f)
	if err != nil {
		return nil, err
	}
	if criteria.Where != nil {
		if err := bind(where.Compile(criteria, env)); err != nil {
			return nil, err
		}
	}
	if f.order, err = where.OrderBy(criteria, env); f.order.SQL != "" {
		f.order.SQL += ", path"
	}
	return criteria.Sort, err
}

// criteriaEnv is what criteria need besides themselves.
func (e *engine) criteriaEnv(ctx context.Context, tx *db.Snapshot, f *Filter) (*where.Env, error) {
	env := &where.Env{Now: f.Where.now(), Me: f.Where.Me, Mirror: e.ws.Mirror(), Choices: map[string]where.Choices{}}
	env.FoldID = func(id string) string { return e.foldOf(ctx, tx, id) }
	var err error
	if env.Fields, err = fieldKeys(ctx, tx); err != nil {
		return nil, err
	}
	for field, values := range map[string]spelling.ValueSet{
		"status": e.ws.Layout.StatusValues(), "priority": e.ws.Layout.PriorityValues(), "type": spelling.Only(store.Types...),
	} {
		used, err := readRows[string](ctx, tx, "values in use", `SELECT DISTINCT `+field+` FROM facet_tally`)
		if err != nil {
			return nil, err
		}
		env.Choices[field] = where.Choices{Values: values.Allowed, Resolve: func(text string) (string, bool) {
			if value, ok := spelling.Respell(text, slices.Concat(values.Allowed, used)); ok {
				return value, true
			}
			value := values.Understood(text)
			return value, value != ""
		}}
	}
	judged := func(condition func(Filter) string, args ...any) func(string) (where.Condition, error) {
		return func(string) (where.Condition, error) {
			f.costly = true
			use, err := e.linkUse(ctx, tx)
			return where.Condition{SQL: "(" + condition(Filter{use: use}) + ")", Args: args}, err
		}
	}
	is := func(costly bool, sql string) func(string) (where.Condition, error) {
		return func(string) (where.Condition, error) {
			f.costly = f.costly || costly
			return where.Condition{SQL: "(" + sql + ")"}, nil
		}
	}
	env.Predicates = map[string]func(string) (where.Condition, error){
		"is:ready":    judged(e.readyWhere, e.now().UnixMilli()),
		"is:blocked":  judged(e.blockedWhere),
		"is:closable": is(true, closableWhere),
		"is:open":     is(false, e.statuses(layout.Open)), "is:active": is(false, e.statuses(layout.Active)),
		"is:done": is(false, e.statuses(layout.Done)), "is:cancelled": is(false, e.statuses(layout.Cancelled)),
		"is:stale": func(string) (where.Condition, error) { return e.stale(ctx, tx, f) },
		"under":    ofTerm(func(id string) (where.Condition, error) { return e.linkedWith(ctx, tx, id, below) }),
		"blocks":   ofTerm(func(id string) (where.Condition, error) { return e.linkedWith(ctx, tx, id, blockers) }),
		"mentions": ofTerm(func(id string) (where.Condition, error) { return e.mentioning(ctx, tx, id) }),
	}
	env.Children = ofTerm(func(id string) (where.Condition, error) {
		folds, err := e.parentFolds(ctx, tx, id)
		return childrenOf(folds), err
	})
	env.Kind = func(key string) (where.ValueKind, error) { return valueKind(ctx, tx, key) }
	env.Search = func(text string) (where.Condition, error) {
		parsed := search.Parse(text, nil)
		if n := parsed.Terms(); n > maxTerms {
			return where.Condition{}, &TermsError{Terms: n, Most: maxTerms}
		}
		if parsed.MatchesAll() {
			return where.Condition{SQL: "true"}, nil
		}
		vocabulary, err := e.words(ctx, tx)
		if err != nil {
			return where.Condition{}, err
		}
		docs, err := e.matches(ctx, tx, Filter{}, parsed, candidates(parsed, vocabulary))
		return oneOf(docs), err
	}
	return env, nil
}

// registerFold makes search.Fold known, as where.FoldFunction, to the connections
// that are opened from then on.
var registerFold = sync.OnceValue(func() error {
	return sqlite.RegisterFunction(where.FoldFunction, &sqlite.FunctionImpl{
		NArgs:         1,
		Deterministic: true,
		Scalar: func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
			text, ok := args[0].(string)
			if !ok {
				return nil, fmt.Errorf("%s takes a text, not %T", where.FoldFunction, args[0])
			}
			return search.Fold(text), nil
		},
	})
})
