package store

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"issues-index/store/storetest"
)

func TestSlug(t *testing.T) {
	for title, want := range map[string]string{
		"Fix the parser":                     "fix-the-parser",
		"  Spaces,  tabs\tand\u00a0others ":  "spaces-tabs-and-others",
		"snake_case and kebab-case":          "snake-case-and-kebab-case",
		"--- a -_- b ---":                    "a-b",
		"v1.2: fix `foo()` & <bar>":          "v12-fix-foo-bar",
		"Huskyother/hook":                    "huskyotherhook",
		"Ünïcode Grüße":                      "ünïcode-grüße",
		"A\u0308nderung fu\u0308r":           "änderung-für",
		"移行 計画":                              "移行-計画",
		"हिन्दी में":                         "हिन्दी-में",
		"\u0301 a mark alone":                "a-mark-alone",
		"in\u200bvis\u3164ible\ufe0f \u202e": "invisible",
		strings.Repeat("検", 20):              strings.Repeat("検", 16),
		strings.Repeat("a", 48) + "q\u0307":  strings.Repeat("a", 48),
		"🚀":                                  "issue",
		"":                                   "issue",
		"../../etc/passwd":                   "etcpasswd",
		"CON":                                "con",
		strings.Repeat("a", 60):              strings.Repeat("a", 50),
		strings.Repeat("a", 49) + " bc":      strings.Repeat("a", 49) + "-",
		strings.Repeat("ab ", 40):            strings.Repeat("ab-", 16) + "ab",
		"K is the Kelvin sign":               "k-is-the-kelvin-sign",
	} {
		if got := Slug(title); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
}

func TestASlugIsAFileNameOnEverySystem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		title := rapid.String().Draw(t, "title")
		slug := Slug(title)
		if slug == "" || len(slug) > slugLength || !utf8.ValidString(slug) || !norm.NFC.IsNormalString(slug) {
			t.Fatalf("%q: %q", title, slug)
		}
		if i := strings.IndexFunc(slug, func(r rune) bool {
			return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
		}); i >= 0 {
			t.Fatalf("%q: %q has %q", title, slug, slug[i:])
		}
		if r, _ := utf8.DecodeRuneInString(slug); unicode.IsMark(r) || r == '-' {
			t.Fatalf("%q: %q begins with %q", title, slug, r)
		}
	})
}

func TestSlugNamesFilesAsTheProgramDidThatWroteTheCorpus(t *testing.T) {
	id := regexp.MustCompile(`^(ISS|SPEC|IDEA)-\d{6}-`)
	same := 0
	var others []string
	storetest.CorpusFiles(t, "samjhecht-wrangler", func(name, text string) {
		prefix := id.FindString(name)
		switch {
		case prefix == "":
		case prefix+Slug(parseFile(name, text).Title)+".md" == name:
			same++
		default:
			others = append(others, name)
		}
	})
	slices.Sort(others)
	named := []string{ // by hand, shorter than their titles
		"SPEC-000004-add-idea-artifact-type-support.md",
		"SPEC-000005-validate-session-adherence-command.md",
		"SPEC-000006-mcp-workflow-orchestration-tools.md",
		"SPEC-000007-figma-design-workflow-integration.md",
		"SPEC-000039-tool-search-deferred-loading.md",
	}
	if same != 25 || !slices.Equal(others, named) {
		t.Errorf("%d names fit; these do not: %v", same, others)
	}
}
