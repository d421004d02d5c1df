package index

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"issues-index/migrations"
)

// The weights of a ranking are given in the order of the columns.
func TestTheColumnsOfTheFullTextTableAreAsDocumented(t *testing.T) {
	columnsIn := func(pattern, text string) []string {
		t.Helper()
		found := regexp.MustCompile(pattern).FindStringSubmatch(text)
		if found == nil {
			t.Fatalf("nothing is like %s", pattern)
		}
		return regexp.MustCompile(`\w+`).FindAllString(strings.ReplaceAll(found[1], " and ", " "), -1)
	}
	columns := columnsIn(`CREATE VIRTUAL TABLE search USING fts5 \(\s*([\w, ]+),\n`, migrations.Schema())

	doc, err := os.ReadFile("search/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(doc), "\n// ", " ")
	if documented := columnsIn(`has the columns ([\w, ]+), in this order`, text); strings.Join(documented, " ") != strings.Join(columns, " ") {
		t.Errorf("the columns are %v, package search documents %v", columns, documented)
	}
	if weighed := "body title labels"; strings.Join(columns, " ") != weighed {
		t.Errorf("the columns are %v, a ranking weighs the %s", columns, weighed)
	}
}
