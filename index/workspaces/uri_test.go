package workspaces

import "testing"

func TestPathOf(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///home/anna/web":           "/home/anna/web",
		"file://localhost/home/anna/web/": "/home/anna/web",
		"FILE:///a%20b/c%23%3F":           "/a b/c#?",
		"file:///Zo%C3%AB":                "/Zoë",
		"file:///Zoë":                     "/Zoë",
		"file:///100%25":                  "/100%",
		"file:/home":                      "/home",
		"file:///a/../b":                  "/b",
		"file:///":                        "/",
		"file://":                         "",
		"file:":                           "",
		"file:relative":                   "",
		"file://host/share":               "",
		"file://anna@localhost/x":         "",
		"file:///a?b":                     "",
		"file:///a#b":                     "",
		"file:///a%":                      "",
		"file:///a%zz":                    "",
		"file:///a%00b":                   "",
		"https://example.org/x":           "",
		"vscode-remote://wsl/home":        "",
		"/home":                           "",
		"":                                "",
	} {
		got, err := PathOf(uri)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q, %v, want %q", uri, got, err, want)
		}
	}
}
