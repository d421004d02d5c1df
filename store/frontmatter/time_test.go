package frontmatter

import (
	"testing"
	"time"
)

func TestEditTime(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"milliseconds in single quotes", "updatedAt: '2026-01-21T22:19:45.466Z'", "updatedAt: '2026-02-15T10:11:12.345Z'"},
		{"double quotes", "updatedAt: \"2026-01-21T22:19:45.466Z\" # c", "updatedAt: \"2026-02-15T10:11:12.345Z\" # c"},
		{"bare", "updatedAt: 2026-01-21T22:19:45.466Z", "updatedAt: 2026-02-15T10:11:12.345Z"},
		{"seconds", "updatedAt: '2026-01-21T22:19:45Z'", "updatedAt: '2026-02-15T10:11:12Z'"},
		{"microseconds", "updatedAt: '2026-01-21T22:19:45.466123Z'", "updatedAt: '2026-02-15T10:11:12.345Z'"},
		{"nanoseconds that end in zeros", "updatedAt: '2026-01-21T22:19:45.100000000Z'", "updatedAt: '2026-02-15T10:11:12.345Z'"},
		{"a zone", "updatedAt: '2026-01-21T22:19:45.4+02:00'", "updatedAt: '2026-02-15T12:11:12.345+02:00'"},
		{"a day", "updated_date: 2025-07-03", "updated_date: 2026-02-15"},
		{"a day in quotes", "updated_date: '2025-07-03'", "updated_date: '2026-02-15'"},
		{"minutes", "updated_date: '2025-07-03 10:00'", "updated_date: '2026-02-15 10:11'"},
		{"minutes bare", "updated: 2025-07-03 10:00", "updated: 2026-02-15 10:11"},
		{"seconds with a blank", "updated: 2025-07-03 10:00:01", "updated: 2026-02-15 10:11:12"},
		{"a fraction with a blank", "updated: 2025-07-03 10:00:01.5", "updated: 2026-02-15 10:11:12.345"},
		{"git's", "updated: 2025-07-03 10:00:01 -0330", "updated: 2026-02-15 06:41:12 -0330"},
		{"UTC", "updated: 2025-07-03 10:00:01 UTC", "updated: 2026-02-15 10:11:12 UTC"},
		{"a mail's", "updated: Thu, 03 Jul 2025 10:00:01 +0200", "updated: Sun, 15 Feb 2026 12:11:12 +0200"},
		{"JavaScript's", "updated: Thu Jul 03 2025 10:00:01 GMT+0200 (CEST)", "updated: '2026-02-15T10:11:12.345Z'"},
		{"slashes", "updated: 2025/07/03", "updated: 2026/02/15"},
		{"words", "updated: July 3, 2025", "updated: February 15, 2026"},
		{"a folded one", "updated: >-\n  2025-07-03", "updated: 2026-02-15"},
		{"in no form yet", "updated_date:", "updated_date: '2026-02-15T10:11:12.345Z'"},
		{"the key that the reader takes", "updated: 2025-01-01\nupdatedAt: 2025-01-02\nupdated_date: 2025-01-03", "updated: 2025-01-01\nupdatedAt: 2026-02-15\nupdated_date: 2025-01-03"},
		{"the first that has a time", "updatedAt:\nupdated: 2025-01-01", "updatedAt:\nupdated: 2026-02-15"},
		{"none has: a new one", "updated: by hand\nupdated_date: [x]", "updated: by hand\nupdated_date: [x]\n" + newStamp[:len(newStamp)-1]},
		{"updatedAt is no time", "updatedAt: yesterday", newStamp[:len(newStamp)-1]},
		{"updatedAt is a list", "updatedAt:\n- x", newStamp[:len(newStamp)-1]},
		{"an alias", "createdAt: &t 2026-01-01\nupdatedAt: *t", "createdAt: &t 2026-01-01\nupdatedAt: 2026-02-15"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantEdit(t, set("title", "b"), "---\ntitle: a\n"+c.before+"\n---\n", "---\ntitle: b\n"+c.after+"\n---\n")
		})
	}
	t.Run("the caller's own time counts", func(t *testing.T) {
		e := Edit{Set: []Assignment{{"title", "b"}, {"updated", "2026-01-01"}}}
		wantEdit(t, e, "---\ntitle: a\n---\n", "---\ntitle: b\nupdated: '2026-01-01'\n---\n")
	})
}

func TestEditClosedAt(t *testing.T) {
	const closedAt = "closedAt: '2026-02-15T10:11:12.345Z'\n"
	for _, c := range []struct{ name, before, status, after string }{
		{"closing sets it", "status: open\nid: x\n", "closed", "status: closed\nid: x\n" + closedAt},
		{"cancelling sets it", "status: in_progress\n", "cancelled", "status: cancelled\n" + closedAt},
		{"so does the first status", "id: x\n", "closed", "id: x\nstatus: closed\n" + closedAt},
		{"an old one is renewed in its form", "status: open\nclosedAt: 2025-01-01\n", "closed", "status: closed\nclosedAt: 2026-02-15\n"},
		{"an empty one is filled", "status: open\nclosedAt:\n", "closed", "status: closed\n" + closedAt},
		{"closed to cancelled keeps it", "status: closed\nclosedAt: 2025-01-01\n", "cancelled", "status: cancelled\nclosedAt: 2025-01-01\n"},
		{"closed to cancelled adds none", "status: closed\n", "cancelled", "status: cancelled\n"},
		{"reopening removes it", "status: closed\nclosedAt: 2025-01-01 # c\nid: x\n", "open", "status: open\nid: x\n"},
		{"reopening without it", "status: cancelled\n", "in_progress", "status: in_progress\n"},
		{"an unknown status is not closed", "status: Done\nclosedAt: 2025-01-01\n", "open", "status: open\nclosedAt: 2025-01-01\n"},
	} {
		t.Run(c.name, func(t *testing.T) { wantFields(t, set("status", c.status), c.before, c.after) })
	}
	t.Run("removing the status reopens", func(t *testing.T) {
		wantFields(t, set("status", nil), "status: closed\nclosedAt: 2025-01-01\nid: x\n", "id: x\n")
	})
	t.Run("the last of two counts", func(t *testing.T) {
		e := Edit{Set: []Assignment{{"status", "closed"}, {"status", "in_progress"}}}
		wantFields(t, e, "status: open\n", "status: in_progress\n")
	})
	t.Run("the caller's own counts", func(t *testing.T) {
		e := Edit{Set: []Assignment{{"status", "closed"}, {"closedAt", nil}}}
		wantFields(t, e, "status: open\n", "status: closed\n")
	})
	t.Run("another field leaves it alone", func(t *testing.T) {
		wantFields(t, set("title", "a"), "status: closed\n", "status: closed\ntitle: a\n")
	})
}

func TestParseTime(t *testing.T) {
	for s, want := range map[string]string{
		"2026-02-15":                    "2026-02-15T00:00:00Z",
		"2026-2-5":                      "2026-02-05T00:00:00Z",
		"2026/02/15":                    "2026-02-15T00:00:00Z",
		"2026-02-15 10:00":              "2026-02-15T10:00:00Z",
		"2026-02-15 10:00:01":           "2026-02-15T10:00:01Z",
		"2026-02-15T10:00":              "2026-02-15T10:00:00Z",
		"2026-02-15T10:00:01":           "2026-02-15T10:00:01Z",
		"2026-02-15T10:00:01.5":         "2026-02-15T10:00:01.5Z",
		"2026-02-15T10:00:01Z":          "2026-02-15T10:00:01Z",
		"2026-02-15T10:00:01.123Z":      "2026-02-15T10:00:01.123Z",
		"2026-02-15T10:00:01.123456Z":   "2026-02-15T10:00:01.123Z",
		"2026-02-15T10:00:01+02:00":     "2026-02-15T08:00:01Z",
		"2026-02-15T10:00:01.123+02:00": "2026-02-15T08:00:01.123Z",
		"2026-02-15T10:00Z":             "2026-02-15T10:00:00Z",
		"2026-02-15T10:00:01+0200":      "2026-02-15T08:00:01Z",
		"2026-02-15 10:00:01 +0200":     "2026-02-15T08:00:01Z",
		"2026-02-15 10:00:01+02:00":     "2026-02-15T08:00:01Z",
		"2026-02-15 10:00:01 UTC":       "2026-02-15T10:00:01Z",
		"  2026-02-15\n":                "2026-02-15T00:00:00Z",
		"Feb 15, 2026":                  "2026-02-15T00:00:00Z",
		"15 February 2026":              "2026-02-15T00:00:00Z",
		"Sun Feb 15 2026 10:00:01 GMT+0200 (Central European Time)": "2026-02-15T08:00:01Z",
	} {
		got, ok := ParseTime(s)
		if !ok || got.Format(time.RFC3339Nano) != want || got.Location() != time.UTC {
			t.Errorf("%q: %v, %v, want %s", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "soon", "2026", "2026-13-01", "2026-02-30", "0001-01-01", "0000-00-00", "15.02.2026", "2026-02-15T25:00", "1760000000"} {
		if got, ok := ParseTime(s); ok {
			t.Errorf("%q: %v", s, got)
		}
	}
}
