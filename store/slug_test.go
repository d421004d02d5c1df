package store

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"issues-index/store/storetest"
)

func TestSlug(t *testing.T) {
	for title, want := range map[string]string{
		"Fix the parser":                    "fix-the-parser",
		"  Spaces,  tabs\tand\u00a0others ": "spaces-tabs-and-others",
		"snake_case and kebab-case":         "snake-case-and-kebab-case",
		"--- a -_- b ---":                   "a-b",
		"v1.2: fix `foo()` & <bar>":         "v12-fix-foo-bar",
		"Huskyother/hook":                   "huskyotherhook",
		"Ünïcode Grüße":                     "ncode-gre",
		"移行計画":                              "issue",
		"🚀":                                 "issue",
		"":                                  "issue",
		"../../etc/passwd":                  "etcpasswd",
		"CON":                               "con",
		strings.Repeat("a", 60):             strings.Repeat("a", 50),
		strings.Repeat("a", 49) + " bc":     strings.Repeat("a", 49) + "-",
		strings.Repeat("ab ", 40):           strings.Repeat("ab-", 16) + "ab",
		"K is the Kelvin sign":              "k-is-the-kelvin-sign",
	} {
		if got := Slug(title); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
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
