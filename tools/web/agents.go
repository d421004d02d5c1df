package web

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"issues-index/index"
	"issues-index/store/session"
	"issues-index/tools"
	"issues-index/tools/dashboard"
	"issues-index/tools/telemetry"
)

// agentRows is how many rows each table of the page of agents shows.
const agentRows = 50

// An agentsPage is what the page of agents shows.
type agentsPage struct {
	AtWork, Idle     int   // holders of claims, and clients that have called and have none
	Tokens           int64 // of today's answers
	Now              []agentRow
	MoreClaims       int // that Now does not show
	Lapsed, Finished []documentRow
	Lapses, Ends     int // how many lapsed and finished documents there are
	Sessions         []session.Session
	Wrong            *shownError             // why claims and finished documents are not shown
	Figures          *dashboard.ShownFigures // nil in an export
}

// An agentRow is a document that someone works on, or a client that works on none.
type agentRow struct {
	Who      *person
	Document *documentRow           // nil for none
	Calls    *dashboard.ClientCalls // nil where none are known
	Shared   int                    // how many rows below each other have the same Calls; 0 where a row above shows them
}

// agents shows who works on what, what they have called, and what has come of it.
func agents(r *pageRequest) (content pageContent, err error) {
	ctx, ws := r.Context(), r.ix.Workspace()
	page := &agentsPage{}
	content = pageContent{Template: "agents", Title: "Agents", Here: "/agents", Data: page}
	var clients []telemetry.ClientActivity
	if r.figures != nil {
		// The shortest range first: figures cost more the more calls they are of.
		name := cmp.Or(r.URL.Query().Get("range"), dashboard.Ranges[0])
		if !slices.Contains(dashboard.Ranges, name) {
			return content, &pageError{http.StatusBadRequest, "Not found",
				shownError{Message: dashboard.NoSuchRange, Hint: "Choose one of them below the tables of /agents."}}
		}
		page.Figures, clients = dashboard.NewShownFigures(r.figures.Figures(ctx, name)), r.figures.Clients(ctx)
	}
	if page.Sessions, err = session.In(ws).Newest(ctx, agentRows); err != nil {
		return content, err
	}
	claimed, err := r.ix.Claimed(ctx)
	var finished []index.Page
	if err == nil {
		today := r.filter("closed >= today sort closed desc")
		finished, err = r.ix.FindEach(ctx, []index.Query{{Filter: today, Limit: agentRows}})
	}
	switch {
	case ctx.Err() != nil:
		return content, ctx.Err()
	case err != nil:
		r.log.Warn("read claims for the page of agents", "error", err)
		page.Wrong = failureOf(err)
		return content, nil
	}
	page.Finished, page.Ends = rowsOf(ws.Layout, finished[0].Rows), finished[0].Total
	slices.SortFunc(claimed, func(a, b index.Row) int {
		return cmp.Or(strings.Compare(a.Claim.Holder, b.Claim.Holder), b.Claim.Since.Compare(a.Claim.Since))
	})
	stale := slices.DeleteFunc(slices.Clone(claimed), func(row index.Row) bool { return !row.Claim.Stale })
	live := slices.DeleteFunc(claimed, func(row index.Row) bool { return row.Claim.Stale })
	page.Lapses, page.Lapsed = len(stale), rowsOf(ws.Layout, stale[:min(len(stale), agentRows)])
	page.MoreClaims = max(0, len(live)-agentRows)
	page.join(rowsOf(ws.Layout, live), clients)
	return content, nil
}

// join puts the documents that are worked on beside the calls of the clients that work on them.
// The record of calls knows programs and subjects, and no sessions: the rows of one program share
// its calls.
func (page *agentsPage) join(live []documentRow, clients []telemetry.ClientActivity) {
	byName := map[string]*dashboard.ClientCalls{}
	holders := map[string]bool{}
	for _, row := range live {
		holders[row.Claim.Holder], byName[programOf(row)] = true, nil
	}
	page.AtWork = len(holders)
	var idle []*dashboard.ClientCalls
	for _, client := range clients {
		page.Tokens += client.Tokens
		whole, program := tools.HolderNames(client.Client)
		name := program
		if _, works := byName[whole]; works {
			name = whole
		}
		known, works := byName[name]
		switch calls := (&dashboard.ClientCalls{ClientActivity: client}); {
		case known != nil:
			known.Add(client)
		case works:
			byName[name] = calls
		case calls.Hour() > 0:
			idle = append(idle, calls)
		}
	}
	page.Idle = len(idle)
	first := 0 // of the rows that share calls
	for i := range live[:min(len(live), agentRows)] {
		row := agentRow{Who: live[i].Who, Document: &live[i], Shared: 1}
		if row.Calls = byName[programOf(live[i])]; row.Calls != nil {
			row.Who.Agent = true
		}
		if i > 0 && row.Calls != nil && row.Calls == page.Now[first].Calls {
			page.Now[first].Shared++
			row.Shared = 0
		} else {
			first = i
		}
		page.Now = append(page.Now, row)
	}
	for _, calls := range idle[:min(len(idle), agentRows)] {
		who := newPerson(cmp.Or(calls.Client, "a client without a name"))
		who.Agent = true
		page.Now = append(page.Now, agentRow{Who: who, Calls: calls, Shared: 1})
	}
}

// programOf is the program of the agent that holds a claimed document, or the holder that is no agent.
func programOf(claimed documentRow) string {
	program, _, _ := strings.Cut(claimed.Claim.Holder, "/")
	return program
}

// Unused reports whether nothing tells of an agent.
func (page *agentsPage) Unused() bool {
	return len(page.Now)+len(page.Lapsed)+len(page.Sessions) == 0 && page.Wrong == nil &&
		(page.Figures == nil || page.Figures.Total.Calls == 0)
}
