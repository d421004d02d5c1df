package web

import (
	"html"
	"net/http"
	"strings"
	"testing"
)

// In the forms, too, a sign before each label adds and takes away, and no label is lost.
func TestLabelsWithSigns(t *testing.T) {
	for _, c := range []struct{ field, typed, want, wrong string }{
		{"labels", "+x", "a, b, x", ""},
		{"labels", "-a", "b", ""},
		{"labels", "+x, -a", "b, x", ""},
		{"labels", "+a", "a, b", ""},
		{"labels", "-x", "a, b", ""},
		{"labels", "a, x", "a, x", ""},
		{"labels", "a, b, +x", "a, b", "write +a,+b,+x to change the list, a,b,x to replace it"},
		{"dependsOn", "+2", "ISS-000003, ISS-000002", ""},
		{"dependsOn", "-3", "", ""},
		{"dependsOn", "3, +2", "ISS-000003", "write +3,+2 to change the list, 3,2 to replace it"},
	} {
		t.Run(c.field+" "+c.typed, func(t *testing.T) {
			s := editable(t, files{
				".wrangler/issues/ISS-000001.md": "---\nid: ISS-000001\ntitle: One\nlabels: [a, b]\ndependsOn: [ISS-000003]\n---\n",
				".wrangler/issues/ISS-000002.md": "---\nid: ISS-000002\ntitle: Two\n---\n",
				".wrangler/issues/ISS-000003.md": "---\nid: ISS-000003\ntitle: Three\n---\n",
			})
			form := formOf(t, s.page(t, "/d/ISS-000001/edit"))
			form.Set(c.field, c.typed)
			answer := s.post(t, "/save", form)
			text := html.UnescapeString(answer.Body.String())
			if c.wrong == "" && answer.Code != http.StatusSeeOther || !strings.Contains(text, c.wrong) {
				t.Errorf("status %d: %s", answer.Code, text)
			}
			if got := formOf(t, s.page(t, "/d/ISS-000001/edit")).Get(c.field); got != c.want {
				t.Errorf("it has %q, want %q", got, c.want)
			}
		})
	}
}

// The form for a new document begins with the labels of the template, and signs change these.
func TestNewLabelsWithSigns(t *testing.T) {
	for typed, want := range map[string]string{"+x": "t, u, x", "-t": "u", "x": "x", "": "", "t, u": "t, u"} {
		t.Run(typed, func(t *testing.T) {
			s := editable(t, files{".wrangler/templates/issue.md": "---\nlabels: [t, u]\n---\n"})
			form := formOf(t, s.page(t, "/new"))
			form.Set("title", "One")
			form.Set("labels", typed)
			if answer := s.post(t, "/new", form); answer.Code != http.StatusSeeOther {
				t.Fatalf("status %d: %s", answer.Code, answer.Body)
			}
			if got := formOf(t, s.page(t, "/d/ISS-000001/edit")).Get("labels"); got != want {
				t.Errorf("it has %q, want %q", got, want)
			}
		})
	}
}
