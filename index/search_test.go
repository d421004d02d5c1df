package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"issues-index/index/db"
	"issues-index/index/search"
	"issues-index/store/storetest"
)

// A text is a document as a plain scan sees it.
type text struct {
	path, title, body string
	doc               int64 // number of its row
	labels            []string
	fields            []string // in lower case, each label one
}

// corporaKit is a workspace of real documents, and of generated ones in scripts
// that the real ones lack, with their texts.
func corporaKit(t *testing.T) (*kit, []*text) {
	t.Helper()
	corpora := filepath.Join("..", "..", "shared", "corpora")
	if _, err := os.Stat(corpora); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("needs the real documents in %s, which are not part of the repository", corpora)
	}
	root := t.TempDir()
	for from, to := range map[string]string{
		"samjhecht-wrangler": "wrangler", "backlogmd-own": "backlog", "crlf-sample": "samples/crlf", "eips-sample": "samples/eips",
	} {
		if err := os.CopyFS(filepath.Join(root, to), os.DirFS(filepath.Join(corpora, from))); err != nil {
			t.Fatal(err)
		}
	}
	k := kitAt(t, root, map[string]string{
		"WRANGLER_ISSUES_DIRECTORY": "wrangler/.wrangler", "WRANGLER_SPECIFICATIONS_DIRECTORY": "backlog", "WRANGLER_IDEAS_DIRECTORY": "samples",
	})
	r := rand.New(rand.NewPCG(3, 3))
	for n := range 60 {
		k.put(fmt.Sprintf("samples/cjk/%d.md", n), unspacedDocument(r))
	}
	for n := range 5 {
		k.put(fmt.Sprintf("samples/long/%d.md", n), strings.Repeat("filler words, line after line\n", 4000)+fmt.Sprintf("tail-end_%d(of) It", n))
	}
	listing, err := k.ws.List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var texts []*text
	for _, f := range listing.Files {
		doc, _, err := k.ws.Load(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		one := &text{path: f.Path, title: doc.Title, body: doc.Body, labels: doc.Labels}
		for _, field := range append([]string{doc.Title, doc.Body}, doc.Labels...) {
			one.fields = append(one.fields, strings.ToLower(field))
		}
		texts = append(texts, one)
	}
	if len(texts) < 900 {
		t.Fatalf("only %d documents", len(texts))
	}
	return k, texts
}

// unspacedDocument is text without spaces between words, among words with.
func unspacedDocument(r *rand.Rand) string {
	scripts := []string{
		"检索功能支持中文全文搜索并且返回结果的摘要与标题以及标签", "検索機能は日本語の全文検索に対応していますサーバーのキャッシュを更新する",
		"검색기능은한국어전문검색을지원합니다캐시갱신", "ระบบค้นหารองรับภาษาไทย", "ﾊﾟｿｺﾝ𠮷野家葛󠄀城市",
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", string([]rune(pick(r, scripts))[:4+r.IntN(8)]))
	for range 30 {
		runes := []rune(pick(r, scripts))
		from := r.IntN(len(runes) - 2)
		b.WriteString(string(runes[from : from+2+r.IntN(len(runes)-from-1)]))
		b.WriteString(pick(r, []string{"", "", "。", "、", " ", "\n", "API", " cache ", "v2", "（注）"}))
	}
	return b.String()
}

// A draw takes something to search for out of the texts.
type draw func(r *rand.Rand, texts []*text) string

var needles = map[string]draw{
	"parts of titles": func(r *rand.Rand, texts []*text) string { return piece(r, pick(r, texts).title, 12) },
	"whole titles":    func(r *rand.Rand, texts []*text) string { return pick(r, texts).title },
	"parts of labels": func(r *rand.Rand, texts []*text) string {
		return piece(r, strings.Join(pick(r, texts).labels, " "), 9)
	},
	"parts of bodies":  func(r *rand.Rand, texts []*text) string { return piece(r, pick(r, texts).body, 30) },
	"short parts":      func(r *rand.Rand, texts []*text) string { return piece(r, pick(r, texts).body, 3) },
	"parts of words":   like(`\S{4,}`, 2, 10),
	"code identifiers": like(`[A-Za-z]+([_.]\w+|[A-Z]\w+|\(\))+`, 5, 40),
	"kebab-case":       like(`\w+(-\w+)+`, 5, 40),
	"paths":            like(`[\w.~-]*(/[\w.-]+)+`, 5, 60),
	"punctuation":      like(`\S*[^\w\s.,]+\S*`, 2, 12),
	"text beyond the first 6 KB": func(r *rand.Rand, texts []*text) string {
		body := pick(r, texts).body
		return piece(r, strings.ToValidUTF8(body[min(len(body), 6<<10):], ""), 20)
	},
	"characters of scripts without spaces": like(`[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{M}ーｰﾟ]{2,}`, 2, 5),
	"such characters beside others":        like(`\S*[\p{Han}\p{Hangul}\p{Thai}]\S*`, 2, 6),
}

// like draws least to most runes of a place that the pattern describes.
func like(pattern string, least, most int) draw {
	re := regexp.MustCompile(pattern)
	return func(r *rand.Rand, texts []*text) string {
		body := pick(r, texts).body
		from := r.IntN(len(body) + 1)
		found := re.FindString(strings.ToValidUTF8(body[from:min(len(body), from+4000)], ""))
		runes := []rune(found)
		from = r.IntN(max(1, len(runes)-least))
		return string(runes[from:min(len(runes), from+least+r.IntN(most-least+1))])
	}
}

// piece cuts up to most runes out of a text.
func piece(r *rand.Rand, s string, most int) string {
	runes := []rune(s)
	if len(runes) < 2 {
		return s
	}
	from := r.IntN(len(runes) - 1)
	return string(runes[from:min(len(runes), from+1+r.IntN(most))])
}

var fieldPrefix = regexp.MustCompile(`^(title|labels?|description):`)

// operated reports whether the query language has a meaning for some of it.
func operated(needle string) bool {
	return slices.ContainsFunc(strings.Fields(needle), func(word string) bool {
		rest, minus := strings.CutPrefix(word, "-")
		next, _ := utf8.DecodeRuneInString(rest)
		return word == "OR" || strings.HasPrefix(word, `"`) || fieldPrefix.MatchString(word) ||
			minus && (next == '"' || unicode.In(next, unicode.L, unicode.N, unicode.M))
	})
}

// has is the plain scan: every word is in the title, a label or the body.
func (t *text) has(words []string) bool {
	for _, word := range words {
		if !slices.ContainsFunc(t.fields, func(field string) bool { return strings.Contains(field, word) }) {
			return false
		}
	}
	return true
}

// found is every document that a search finds, as numbers of rows: reading
// thousands of rows is not what is tested.
func (k *kit) found(ix *Index, query string) map[int64]bool {
	k.Helper()
	found := map[int64]bool{}
	err := ix.view(context.Background(), func(tx *db.Snapshot) error {
		docs, err := ix.engine.rank(context.Background(), tx, Query{Search: true, Text: query}, search.Parse(query, nil))
		for _, doc := range docs {
			found[doc] = true
		}
		return err
	})
	if err != nil {
		k.Fatalf("search for %q: %v", query, err)
	}
	return found
}

func TestSearchFindsWhatAPlainScanFinds(t *testing.T) {
	k, texts := corporaKit(t)
	ix := k.open(Options{Mode: ModePoll, CacheTTL: time.Hour}) // nothing changes
	k.find(ix, Query{})
	known, err := indexedWhere(context.Background(), ix.db.Read, "true")
	if err != nil || len(known) != len(texts) {
		t.Fatalf("%d documents in the index: %v", len(known), err)
	}
	for _, row := range known {
		texts[slices.IndexFunc(texts, func(one *text) bool { return one.path == row.path })].doc = row.doc
	}
	each := 15
	if storetest.Long() {
		each = 130
	}
	for kind, draw := range needles {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			k, r := k.within(t), rand.New(rand.NewPCG(4, 4))
			for done := 0; done < each; {
				needle := draw(r, texts)
				if r.IntN(3) == 0 {
					needle = strings.ToUpper(needle)
				}
				if operated(needle) || strings.TrimSpace(needle) == "" {
					continue
				}
				done++
				found, words := k.found(ix, needle), strings.Fields(strings.ToLower(needle))
				for _, text := range texts {
					if has := text.has(words); has != found[text.doc] {
						t.Errorf("%q is in %s: %t; was found: %t", needle, text.path, has, found[text.doc])
					}
				}
			}
		})
	}
}
