package pdpp

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"issues-index/tools/pdpp/pdpptest"
	"issues-index/tools/toolstest"
)

// followed calls a tool, follows the calls for the next page that the texts write out,
// and returns the ids of all pages in their order and the last text.
func followed(t *testing.T, client *toolstest.Client, tool string, args arguments) (ids []string, last string) {
	t.Helper()
	call := next{tool, args}
	for pages := 0; call.tool != ""; pages++ {
		answer := client.Call(t, call.tool, call.args)
		if answer.IsError || pages > 600 {
			t.Fatalf("page %d, %v: %s", pages, call, answer.Text())
		}
		last = answer.Text()
		for _, id := range regexp.MustCompile(`(?m)^(\w+/[\w-]+:\S+)`).FindAllStringSubmatch(last, -1) {
			ids = append(ids, id[1])
		}
		call = nextOf(t, last)
	}
	return ids, last
}

// once fails the test unless there are so many ids, each of them once.
func once(t *testing.T, ids []string, want int) {
	t.Helper()
	if each := slices.Compact(slices.Sorted(slices.Values(ids))); len(ids) != want || len(each) != want {
		t.Errorf("%d ids, %d different ones, want %d", len(ids), len(each), want)
	}
}

func TestAChangesFeedIsPagedToItsEndByItsCursorAlone(t *testing.T) {
	for name, change := range map[string][]func(*fixture){"both": nil, "text": {inText}} {
		t.Run(name, func(t *testing.T) {
			f := open(t, change...)
			f.rs.AddHostile()
			for stream, want := range map[string]int{"issues": 30, "issue_comments": 45, pdpptest.HostileStream: 500} {
				ids, last := followed(t, f.Client, "query_records", arguments{"stream": stream, "changes_since": "beginning"})
				once(t, ids, want)
				if query := f.rs.Last(t, pdpptest.Records).Query; query.Has("changes_since") || !query.Has("cursor") {
					t.Errorf("the last page of %s was asked for with %v", stream, query)
				}
				bookmark := regexp.MustCompile(`next_changes_since=(\S+)`).FindStringSubmatch(last)
				if bookmark == nil {
					t.Fatalf("the last page has no bookmark: %s", last)
				}
				if ids, _ := followed(t, f.Client, "query_records", arguments{"stream": stream, "changes_since": bookmark[1]}); len(ids) != 0 {
					t.Errorf("%d changes after all of them", len(ids))
				}
			}
		})
	}
}

func TestTheBookmarkOfChangesStandsOnTheLastPageAlone(t *testing.T) {
	f := openLetters(t)
	args := arguments{"stream": "messages", "changes_since": "beginning", "limit": 3}
	for page := 1; page <= 3; page++ {
		_, answer := f.must(t, "query_records", args)
		if last := page == 3; strings.Contains(answer.Text(), "next_changes_since=") != last || strings.Contains(noteOf(t, answer), "next_changes_since=") != last {
			t.Errorf("page %d: %s", page, answer.Text())
		}
		args = nextOf(t, answer.Text()).args
	}
}

// An agent that keeps its arguments and adds the cursor is not sent back to the first page.
func TestACursorGoesOnThoughChangesSinceIsGivenBesideIt(t *testing.T) {
	f := openLetters(t)
	data, _ := f.must(t, "query_records", arguments{"stream": "messages", "changes_since": "beginning", "limit": 3})
	data, answer := f.must(t, "query_records", arguments{"stream": "messages", "changes_since": "beginning", "limit": 3, "cursor": data["next_cursor"]})
	if id := data["data"].([]any)[0].(map[string]any)["id"]; id != "msg-4" || !strings.Contains(answer.Text(), "changes_since was left out") {
		t.Errorf("the page begins with %v: %s", id, answer.Text())
	}
}
