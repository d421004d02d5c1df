package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// Values of the fields, the most frequent first.
var (
	labels = strings.Fields(`bug feature docs tests api index search cli security performance frontend backend refactor infra hooks
		skills templates workflow session types ci release migration ux storage access phase-1 phase-2 phase-3 debt triage starter blocked`)
	projects  = []string{"Core", "SPEC-000003", "Search Index", "Docs Site", "CLI: next", "移行計画", "modernization", "Wire Format"}
	assignees = []string{"claude", "ada", "agent-1", "agent-2", "reviewer", "李雷", "maintainer@example.com"}
	labelZipf = newZipf(len(labels), 1.5, 1)
)

const isoTime = "2006-01-02T15:04:05.000Z"

// makeDocument makes the i-th document: its path below .wrangler, its text and
// its status. Each draws from a source of its own, so that any order will do.
func makeDocument(all plan, i int) (path, text, status string) {
	p := all.documents[i]
	r := rand.New(rand.NewPCG(uint64(len(all.documents)), uint64(i)+1)) //nolint:gosec // the same corpus every time
	status = weighted(r, map[int]string{52: "closed", 60: "cancelled", 68: "in_progress", 100: "open"})
	title := makeTitle(r)
	var b strings.Builder
	fmt.Fprintf(&b, "---\nid: %s\ntitle: %s\ntype: %s\nstatus: %s\npriority: %s\n", p.id, quoted(title), p.kind, status,
		weighted(r, map[int]string{20: "low", 65: "medium", 93: "high", 100: "critical"}))
	b.WriteString(labelList(r))
	updated := p.created
	if r.IntN(10) < 7 {
		updated = updated.Add(time.Duration(r.ExpFloat64() * float64(4*24*time.Hour)))
	}
	fmt.Fprintf(&b, "createdAt: '%s'\nupdatedAt: '%s'\n", p.created.Format(isoTime), updated.Format(isoTime))
	if r.IntN(10) < 3 {
		fmt.Fprintf(&b, "assignee: %s\n", quoted(pick(r, assignees)))
	}
	if r.IntN(2) == 0 {
		fmt.Fprintf(&b, "project: %s\n", quoted(pick(r, projects)))
	}
	if r.IntN(10) < 4 {
		b.WriteString("wranglerContext:\n")
		if p.kind == "issue" && r.IntN(2) == 0 {
			fmt.Fprintf(&b, "  parentTaskId: %s\n", pick(r, all.specifications))
		} else {
			fmt.Fprintf(&b, "  agentId: agent-%d\n", 1+r.IntN(9))
		}
	}
	blocks := body(r, bodySize(r, p.kind))
	for _, extra := range p.extra {
		at := r.IntN(len(blocks))
		blocks[at] += "\n\n" + extra
	}
	b.WriteString("---\n" + strings.Join(blocks, "\n\n") + "\n")
	folder := folders[p.kind] + "/"
	if status == "closed" || status == "cancelled" {
		folder += "archived/"
	}
	return folder + p.id + "-" + slug(title) + ".md", b.String(), status
}

// weighted picks by percentages: each key is the sum of its own and of those before.
func weighted(r *rand.Rand, byPercent map[int]string) string {
	n := r.IntN(100)
	for percent := n + 1; ; percent++ {
		if value, ok := byPercent[percent]; ok {
			return value
		}
	}
}

func makeTitle(r *rand.Rand) string {
	title := capital(phraseOf(r, 4+r.IntN(6)))
	switch n := r.IntN(50); {
	case n < 6:
		return fmt.Sprintf("Phase %d: %s", 1+r.IntN(5), title)
	case n == 6:
		return strings.TrimRight(pick(r, cjk), "。.") + " " + title
	case n == 7:
		return title + " 🚀"
	}
	return title
}

func labelList(r *rand.Rand) string {
	var b strings.Builder
	given := map[string]bool{}
	for range pick(r, []int{0, 1, 2, 2, 3, 3, 4, 5}) {
		if label := labels[labelZipf.pick(r)]; !given[label] {
			given[label] = true
			b.WriteString("  - " + label + "\n")
		}
	}
	if r.IntN(500) == 0 {
		b.WriteString("  - rare-label-" + strconv.Itoa(1+r.IntN(9)) + "\n")
	}
	if b.Len() == 0 {
		return "labels: []\n"
	}
	return "labels:\n" + b.String()
}

// quoted is a text as YAML, in quotes where it needs them.
func quoted(text string) string {
	if strings.ContainsAny(text, ":#'@`") {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	return text
}
