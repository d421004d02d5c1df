package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A corpus is a generated workspace and the ids that calls need.
type corpus struct {
	root      string
	documents int
	bytes     int64

	firstIssue, middleIssue, lastIssue string
	issues                             []string // 50 of them, far apart
	openIssue                          string   // its status is changed
	openPath, middlePath               string   // of openIssue and middleIssue, relative to root
}

const (
	// restingTime is how long files must be unchanged before an index trusts their times.
	restingTime = 3 * time.Second

	// Texts that are in a known number of documents.
	rareWordOf1 = "zyxomatic"
	phraseOf5   = "gravestone reconciler"
	apartOf20   = "The gravestone ledger comes before the reconciler."

	// leastDocuments leaves room for the documents with these texts.
	leastDocuments = 50
)

// A plannedDocument is what one document cannot decide by itself.
type plannedDocument struct {
	kind, id string
	created  time.Time
	extra    string   // a block that makes a search findable, "" for none
	waitsFor []string // ids of earlier documents
}

var (
	folders    = map[string]string{"issue": "issues", "specification": "specifications", "idea": "ideas"}
	idPrefixes = map[string]string{"issue": "ISS", "specification": "SPEC", "idea": "IDEA"}
	epoch      = time.Date(2025, 1, 6, 8, 0, 0, 0, time.UTC)

	// Values of the fields, the most frequent label first.
	labels = strings.Fields(`bug feature docs tests api index search cli security performance frontend
		backend refactor infra hooks
		skills templates workflow session types ci release migration ux storage access phase-1 phase-2
		phase-3 debt triage starter blocked`)
	projects       = []string{"Core", "SPEC-000003", "Search Index", "Docs Site", "移行計画", "modernization", "Wire Format"}
	assignees      = []string{"claude", "ada", "agent-1", "agent-2", "reviewer", "李雷", "maintainer"}
	labelFrequency = newZipf(len(labels), 1.5, 1)
)

// generate makes a workspace at root, and waits until an index trusts the times of its files. The
// same size makes the same bytes on every machine. Where linked is false, no document waits for another.
func generate(root string, documents int, linked bool) (*corpus, error) {
	for _, folder := range folders {
		if err := os.MkdirAll(filepath.Join(root, ".wrangler", folder, "archived"), 0o700); err != nil {
			return nil, err
		}
	}
	c := &corpus{root: root, documents: documents}
	var issues, paths []string // of the issues
	for i, p := range planDocuments(documents) {
		if !linked {
			p.waitsFor = nil
		}
		path, text, status := makeDocument(p, documents, i)
		if err := os.WriteFile(filepath.Join(root, path), []byte(text), 0o600); err != nil {
			return nil, err
		}
		c.bytes += int64(len(text))
		if p.kind != "issue" {
			continue
		}
		issues, paths = append(issues, p.id), append(paths, path)
		if c.openIssue == "" && status == "open" {
			c.openIssue, c.openPath = p.id, path
		}
	}
	middle := len(issues) / 2
	c.firstIssue, c.middleIssue, c.lastIssue = issues[0], issues[middle], issues[len(issues)-1]
	c.middlePath = paths[middle]
	for i := range 50 {
		c.issues = append(c.issues, issues[i*len(issues)/50])
	}
	time.Sleep(restingTime)
	return c, nil
}

// planDocuments decides types, ids, times and which documents have the known texts.
func planDocuments(documents int) []plannedDocument {
	r := rand.New(rand.NewPCG(3, uint64(documents))) //nolint:gosec // the same corpus every time
	plans := make([]plannedDocument, documents)
	numbers := map[string]int{}
	at, step := epoch, 500*24*time.Hour/time.Duration(documents)
	for i := range plans {
		kind := "issue"
		switch n := r.IntN(20); {
		case n == 0:
			kind = "idea"
		case n <= 2:
			kind = "specification"
		}
		numbers[kind]++
		if r.IntN(4) > 0 { // a quarter have the time of the document before
			at = at.Add(time.Duration(r.ExpFloat64() * float64(step) * 4 / 3)).Truncate(time.Millisecond)
		}
		plans[i] = plannedDocument{kind: kind, id: fmt.Sprintf("%s-%06d", idPrefixes[kind], numbers[kind]), created: at}
	}
	links := rand.New(rand.NewPCG(4, uint64(documents))) //nolint:gosec // the same corpus every time
	for i := range plans {
		for range pick(links, []int{0, 0, 1, 1, 2, 3}) { // with the parents, 1.4 links a document
			if before := links.IntN(max(1, i)); before < i && !slices.Contains(plans[i].waitsFor, plans[before].id) {
				plans[i].waitsFor = append(plans[i].waitsFor, plans[before].id)
			}
		}
	}
	for n, i := range r.Perm(documents)[:26] {
		switch {
		case n == 0:
			plans[i].extra = "See the " + rareWordOf1 + " note."
		case n <= 5:
			plans[i].extra = "The " + phraseOf5 + " does it."
		default:
			plans[i].extra = apartOf20
		}
	}
	return plans
}

// makeDocument makes the i-th document: its path, text and status. Each document has its
// own random source, so that they can be made in any order.
func makeDocument(p plannedDocument, documents, i int) (path, text, status string) {
	r := rand.New(rand.NewPCG(uint64(documents), uint64(i)+1)) //nolint:gosec // the same corpus every time
	status = weighted(r, []int{52, 8, 8, 32}, "closed", "cancelled", "in_progress", "open")
	title := capital(strings.Join(randomWords(r, 4+r.IntN(6)), " "))
	if r.IntN(50) == 0 {
		title = strings.TrimRight(pick(r, cjkSentences), "。.") + " " + title
	}
	var b strings.Builder
	fmt.Fprintf(&b, "---\nid: %s\ntitle: %s\ntype: %s\nstatus: %s\npriority: %s\nlabels: [%s]\n", p.id, title, p.kind,
		status,
		weighted(r, []int{20, 45, 28, 7}, "low", "medium", "high", "critical"), strings.Join(randomLabels(r), ", "))
	updated := p.created
	if r.IntN(10) < 7 {
		updated = updated.Add(time.Duration(r.ExpFloat64() * float64(4*24*time.Hour)))
	}
	const iso = "2006-01-02T15:04:05.000Z"
	fmt.Fprintf(&b, "createdAt: '%s'\nupdatedAt: '%s'\n", p.created.Format(iso), updated.Format(iso))
	if r.IntN(10) < 3 {
		fmt.Fprintf(&b, "assignee: %s\n", pick(r, assignees))
	}
	if r.IntN(2) == 0 {
		fmt.Fprintf(&b, "project: %s\n", pick(r, projects))
	}
	if r.IntN(5) == 0 {
		b.WriteString("wranglerContext:\n  parentTaskId: SPEC-000001\n")
	}
	if len(p.waitsFor) > 0 {
		fmt.Fprintf(&b, "dependsOn: [%s]\n", strings.Join(p.waitsFor, ", "))
	}
	blocks := markdownBody(r, bodySize(r, p.kind))
	if p.extra != "" {
		blocks[r.IntN(len(blocks))] += "\n\n" + p.extra
	}
	b.WriteString("---\n" + strings.Join(blocks, "\n\n") + "\n")
	folder := folders[p.kind]
	if status == "closed" || status == "cancelled" {
		folder += "/archived"
	}
	slug := strings.Trim(strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, strings.ToLower(title)), "-")
	return filepath.Join(".wrangler", folder, p.id+"-"+slug[:min(50, len(slug))]+".md"), b.String(), status
}

// weighted picks a value by percentages.
func weighted(r *rand.Rand, percent []int, values ...string) string {
	n := r.IntN(100)
	for i, value := range values {
		if n -= percent[i]; n < 0 {
			return value
		}
	}
	return values[len(values)-1]
}

func randomLabels(r *rand.Rand) (list []string) {
	given := map[string]bool{}
	for range pick(r, []int{0, 1, 2, 2, 3, 3, 4, 5}) {
		if label := labels[labelFrequency.pick(r)]; !given[label] {
			given[label] = true
			list = append(list, label)
		}
	}
	return list
}

// bodySize returns the size of a text in bytes. The median of all files is 3.1 KB, the
// mean 5.5 KB.
func bodySize(r *rand.Rand, kind string) int {
	lognormal := func(median, sigma float64) float64 { return median * math.Exp(sigma*r.NormFloat64()) }
	switch kind {
	case "specification":
		return int(8192 * math.Pow(5, r.Float64()))
	case "idea":
		return int(min(24_000, lognormal(1800, 0.9)))
	default:
		return int(min(60_000, lognormal(2300, 0.85)))
	}
}
