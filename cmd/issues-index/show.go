package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/store"
	"issues-index/store/history"
	"issues-index/store/markdown"
	"issues-index/store/orderedjson"
)

func newShowCommand(p *program) *cobra.Command {
	var noPager bool
	cmd := &cobra.Command{
		Use:     "show ID...",
		Aliases: []string{"view", "cat"},
		Short:   "Show documents, by id or path",
		Long: `Show prints the fields and the text of documents. ID is an id, in any letter case and with
or without leading zeros (iss-42); a path or a file name; a number that belongs to only one
document; or - for one of these a line on standard input.

In a git repository it names the newest commits whose messages name the document.

On a terminal the text is laid out for reading. A long text goes through a pager:
ISSUES_INDEX_PAGER, else PAGER, else less. Elsewhere show prints the Markdown of the file.`,
		Example: `  issues-index show ISS-000041
  issues-index show iss-41 --no-pager
  issues-index show .wrangler/ideas/figma.md --json`,
		Args:              manyDocuments(),
		ValidArgsFunction: p.completeDocuments(anyStatus),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := p.documentIDs(args)
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			return p.withIndex(ctx, func(ix *index.Index) error {
				var text strings.Builder
				messages := p.messagesOf(ctx, ix.Workspace())
				results := make([]documentResult, len(ids))
				for i, id := range ids {
					results[i].id = id
					shown, err := p.load(ctx, ix, id)
					if results[i].err = err; err != nil {
						continue
					}
					shown.claim = p.claimOf(ctx, ix, shown.doc)
					shown.commits = messages.Naming(shown.doc.ID, p.atMost(usualNamingCommits))
					results[i].answer = p.newDocumentJSON(shown)
					if text.Len() > 0 {
						text.WriteString("\n")
					}
					text.WriteString(p.documentText(shown))
				}
				err := p.printResults(results)
				if p.json || text.Len() == 0 {
					return err
				}
				return cmp.Or(p.printLong(ctx, text.String(), !noPager), err)
			})
		},
	}
	cmd.Flags().BoolVar(&noPager, "no-pager", false, "print everything at once")
	return cmd
}

// A shownDocument is what the index and the file have of a document.
type shownDocument struct {
	row   index.Row
	doc   *store.Document
	links documents.LinksView
	claim *index.RowClaim // nil when nobody has claimed it
	// commits are the newest ones whose messages name it.
	commits []history.NamingCommit
}

// usualNamingCommits is how many commits that name a document a person is shown with it.
const usualNamingCommits = 5

func (p *program) load(ctx context.Context, ix *index.Index, id string) (shown shownDocument, err error) {
	links, doc, err := ix.LoadLinked(ctx, p.documentNamed(ix.Workspace(), id), !p.forPerson)
	if err != nil {
		return shown, err
	}
	return shownDocument{row: links.Row, doc: doc, links: documents.ViewLinks(&links, p.atMost(documents.MostLinks))}, nil
}

// A documentJSON is a whole document for scripts.
type documentJSON struct {
	rowJSON
	Links       documents.LinksView    `json:"links"`
	Commits     []history.NamingCommit `json:"commits,omitempty"`     // that name it, the newest first
	Frontmatter orderedjson.Object     `json:"frontmatter,omitempty"` // the keys that no other field shows
}

func (p *program) newDocumentJSON(d shownDocument) documentJSON {
	d.row.Claim = d.claim
	v := documentJSON{
		rowJSON: p.newRowJSON(d.row), Links: d.links, Commits: d.commits, Frontmatter: documents.OwnKeys(d.doc),
	}
	v.Description, v.Boxes = &d.doc.Body, markdown.CountBoxes(d.doc.Body).String()
	v.Problem, v.Version = "", d.doc.Version
	for _, problem := range d.doc.Problems {
		v.Problems = append(v.Problems, problemJSON{Code: string(problem.Code), Message: problem.Message, Line: problem.Line})
	}
	return v
}

// messagesOf reads what commits say of documents: nothing where there is no history, of which
// the command history tells more.
func (p *program) messagesOf(ctx context.Context, ws *store.Workspace) history.Messages {
	messages, err := history.ReadMessages(ctx, ws, false)
	if err != nil && !errors.As(err, new(*history.UnreadableError)) {
		p.note("the commits that name documents cannot be read (%v)", err)
	}
	return messages
}

// claimOf says who has claimed a document, nil when nobody has.
func (p *program) claimOf(ctx context.Context, ix *index.Index, doc *store.Document) *index.RowClaim {
	claim, err := ix.ClaimOn(ctx, doc)
	if err != nil {
		p.note("who works on it cannot be told (%v)", err)
	}
	return claim
}

// documentText returns the fields, the links and the text of a document, and who has claimed
// it. On a terminal the Markdown is laid out.
func (p *program) documentText(d shownDocument) string {
	row, doc := d.row, d.doc
	s := p.screen()
	page := &terminal.Page{Screen: s, Names: 9}
	title := row.Title
	if s.Width > 0 {
		title = terminal.Cut(terminal.OneLine(title), s.Width)
	}
	page.Line("%s", page.Bold(title))
	l := p.workspaceLayout()
	page.Fields("id", row.ID, "path", row.Path, "type", row.Type)
	page.Field("status", row.Status, statusColour(l, row.Status))
	page.Field("priority", row.Priority, priorityColour(l, row.Priority))
	page.Fields(
		"labels", strings.Join(row.Labels, ", "), "boxes", markdown.CountBoxes(doc.Body).String(), "assignee", row.Assignee,
	)
	if d.claim != nil {
		page.Field("claim", p.claimText(*d.claim))
	}
	page.Fields("project", row.Project, "created", p.timeText(row.Created), "updated", p.timeText(row.Updated),
		"closed", p.timeText(row.Closed))
	for name, says := range d.links.Facts() {
		page.Field(name, says)
	}
	for _, c := range d.commits {
		says := fmt.Sprintf("%s %s %s: %s", history.ShortCommit(c.Commit), p.timeText(c.Time), c.Author, c.Subject)
		if c.Closes {
			says += " (closes it)"
		}
		page.Field("commit", says)
	}
	if context := string(row.Context); context != "{}" {
		page.Field("context", context)
	}
	for _, key := range documents.OwnKeys(doc) {
		page.Field(terminal.OneLine(key.Name), jsonText(key.Value))
	}
	page.Field("version", doc.Version)
	for _, problem := range doc.Problems {
		page.Field("problem", problemText(problem), terminal.Red)
	}
	page.Line("")
	if terminal.Is(p.out) {
		return page.String() + terminal.Markdown(doc.Body, s)
	}
	return page.String() + doc.Body
}

// jsonText returns a value for people: a string without its quotes.
func jsonText(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// problemText returns a problem's line and message.
func problemText(problem store.Problem) string {
	if problem.Line == 0 {
		return problem.Message
	}
	return "line " + strconv.Itoa(problem.Line) + ": " + problem.Message
}
