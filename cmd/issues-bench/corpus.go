package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// corpusVersion is raised when the same size makes other documents.
const corpusVersion = 1

// A corpus is a workspace that was generated, and the answers it was made for.
type corpus struct {
	Version   int   `json:"version"`
	Documents int   `json:"documents"`
	Bytes     int64 `json:"bytes"`

	FirstIssue  string   `json:"firstIssue"`
	MiddleIssue string   `json:"middleIssue"`
	LastIssue   string   `json:"lastIssue"`
	Issues      []string `json:"issues"` // 50 of them, far apart
	OpenIssue   string   `json:"openIssue"`

	root string
}

// restingTime is how long files must have been left alone before an index takes
// their times for proof that they are unchanged. Those of a workspace have been.
const restingTime = 3 * time.Second

// Words that are in a known number of documents.
const (
	rareWordOf1  = "zyxomatic"
	phraseOf5    = "gravestone reconciler"
	apartOf20    = "The gravestone ledger comes before the reconciler."
	kindFraction = 20 // a 20th are ideas, twice as many specifications

	// leastDocuments leaves room for the documents with known words.
	leastDocuments = 50
)

// A plan is what documents cannot decide each by itself.
type plan struct {
	documents      []planned
	specifications []string
}

type planned struct {
	kind, id string
	created  time.Time
	extra    []string // blocks that make a search findable
}

var (
	folders = map[string]string{"issue": "issues", "specification": "specifications", "idea": "ideas"}
	epoch   = time.Date(2025, 1, 6, 8, 0, 0, 0, time.UTC)
)

// ensureCorpus generates a workspace of so many documents at root, unless it is
// there. The same size makes the same bytes on every machine.
func ensureCorpus(root string, documents int) (*corpus, error) {
	known := filepath.Join(root, "corpus.json")
	data, err := os.ReadFile(known)
	if err == nil {
		c := &corpus{root: root}
		if err := json.Unmarshal(data, c); err != nil {
			return nil, fmt.Errorf("read %s: %w", known, err)
		}
		if c.Version != corpusVersion || c.Documents != documents {
			return nil, fmt.Errorf("%s is of another corpus: delete %s", known, root)
		}
		return c, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for a corpus: %w", err)
	}
	if _, err := os.Stat(filepath.Join(root, ".wrangler")); err == nil {
		return nil, fmt.Errorf("%s holds a workspace that is not ours, or half of one: delete it, or choose another --dir", root)
	}
	return generate(root, documents, known)
}

func generate(root string, documents int, known string) (*corpus, error) {
	for _, folder := range folders {
		if err := os.MkdirAll(filepath.Join(root, ".wrangler", folder, "archived"), 0o755); err != nil { //nolint:gosec // a corpus for anyone
			return nil, fmt.Errorf("make a corpus: %w", err)
		}
	}
	plans := planAll(documents)
	c := &corpus{Version: corpusVersion, Documents: documents, root: root}
	var issues []string
	for _, p := range plans.documents {
		if p.kind == "issue" {
			issues = append(issues, p.id)
		}
	}
	c.FirstIssue, c.MiddleIssue, c.LastIssue = issues[0], issues[len(issues)/2], issues[len(issues)-1]
	for i := range 50 {
		c.Issues = append(c.Issues, issues[i*len(issues)/50])
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	sizes, open := make([]int64, documents), make([]bool, documents)
	for i := range plans.documents {
		group.Go(func() error {
			path, text, status := makeDocument(plans, i)
			sizes[i], open[i] = int64(len(text)), status == "open"
			return os.WriteFile(filepath.Join(root, ".wrangler", filepath.FromSlash(path)), []byte(text), 0o644) //nolint:gosec // a corpus for anyone
		})
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("write a corpus: %w", err)
	}
	for i, p := range plans.documents {
		c.Bytes += sizes[i]
		if c.OpenIssue == "" && open[i] && p.kind == "issue" {
			c.OpenIssue = p.id
		}
	}
	data, err := json.MarshalIndent(c, "", "  ")
	if err == nil {
		err = os.WriteFile(known, append(data, '\n'), 0o644) //nolint:gosec // a corpus for anyone
	}
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", known, err)
	}
	time.Sleep(restingTime)
	return c, nil
}

// planAll decides kinds, ids, times and which documents have the known words.
func planAll(documents int) plan {
	r := rand.New(rand.NewPCG(3, uint64(documents))) //nolint:gosec // the same corpus every time
	var specifications []string
	plans := make([]planned, documents)
	numbers := map[string]int{}
	at := epoch
	step := 500 * 24 * time.Hour / time.Duration(documents)
	for i := range plans {
		kind := "issue"
		switch n := r.IntN(kindFraction); {
		case n == 0:
			kind = "idea"
		case n <= 2 || i == 0:
			kind = "specification"
		}
		numbers[kind]++
		if r.IntN(4) > 0 { // the others come in one burst with the one before
			at = at.Add(time.Duration(r.ExpFloat64() * float64(step) * 4 / 3)).Truncate(time.Millisecond)
		}
		prefix := map[string]string{"issue": "ISS", "specification": "SPEC", "idea": "IDEA"}[kind]
		plans[i] = planned{kind: kind, id: fmt.Sprintf("%s-%06d", prefix, numbers[kind]), created: at}
		if kind == "specification" {
			specifications = append(specifications, plans[i].id)
		}
	}
	chosen := r.Perm(documents)[:26]
	for n, i := range chosen {
		switch {
		case n == 0:
			plans[i].extra = append(plans[i].extra, "See the "+rareWordOf1+" note.")
		case n <= 5:
			plans[i].extra = append(plans[i].extra, "The "+phraseOf5+" does it.")
		default:
			plans[i].extra = append(plans[i].extra, apartOf20)
		}
	}
	return plan{plans, specifications}
}

// bodySize: the median of all files is 3.1 KB, and the mean 5.5 KB.
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

// slug is a title as a part of a file's name.
func slug(title string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(title) {
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= 50 {
			break
		}
	}
	return strings.TrimSuffix(b.String(), "-")
}
