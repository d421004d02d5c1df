package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// payloads are texts that run a script where a page takes them for HTML, for an attribute or
// for an address.
var payloads = []string{
	`<script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `"><svg onload=alert(1)>`, `' onmouseover='alert(1)`,
	`<a href="javascript:alert(1)">x</a>`, `[x](javascript:alert(1))`, `[x](<java	script:alert(1)>)`, `[x](JaVaScRiPt:alert(1))`,
	`[x](data:text/html;base64,PHNjcmlwdD4=)`, `[x](vbscript:x)`, `![x](javascript:alert(1))`, `![x](https://evil.example/track.png)`,
	`<javascript:alert(1)>`, `[x]: javascript:alert(1)` + "\n\n[x]", `[x](&#106;avascript:alert(1))`, `[x](\u006aavascript:alert(1))`,
	`<iframe src="https://evil.example"></iframe>`, `<object data="x"></object>`, `<embed src="x">`, `<base href="https://evil.example/">`,
	`<meta http-equiv="refresh" content="0;url=https://evil.example">`, `<link rel="stylesheet" href="https://evil.example/x.css">`,
	`<style>body{display:none}</style>`, `<div style="position:fixed;inset:0">x</div>`, `<form action="https://evil.example"><input name=a><button>x</button></form>`,
	`<input type="password" name="p">`, `<input type="checkbox" onclick="alert(1)" autofocus>`, `<button formaction="javascript:alert(1)">x</button>`,
	`<svg><script>alert(1)</script></svg>`, `<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>`, `<noscript><p title="</noscript><img src=x onerror=alert(1)>">`,
	`<h1 id="main" class="wrong" data-live>x</h1>`, `<p id="main">x</p>`, `<details ontoggle=alert(1) open>x</details>`, `<video><source onerror=alert(1)></video>`,
	`<template><script>alert(1)</script></template>`, `</title><script>alert(1)</script>`, `</textarea><script>alert(1)</script>`, `<!--><script>alert(1)</script>-->`,
	"```\n</code></pre><script>alert(1)</script>\n```", "`</code><script>alert(1)</script>`", `{{.Name}}{{template "x"}}`, "<a\nhref=javascript:alert(1)>x", `<xmp><img src=x onerror=alert(1)></xmp>`,
	`<a href="//evil.example/x">x</a>`, `<a href="/x" target="_blank" ping="https://evil.example">x</a>`, "\x00<script>alert(1)</script>", `<ScRiPt/x>alert(1)</sCrIpT>`, `<body onload=alert(1)>`,
}

// mayLoad are the elements that may name a file, and which.
var mayLoad = map[string]string{"script": "/app.js", "link": "/style.css /icon.svg"}

// harmful says what in a page could run or load something that is not the page's own.
func harmful(t *testing.T, page string) (found []string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	check(t, err)
	complain := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "iframe", "object", "embed", "base", "style", "img", "video", "audio", "source", "template", "math", "noscript", "xmp", "button":
			if n.Data != "button" {
				complain("an element %s", n.Data)
			}
		case "script":
			if n.FirstChild != nil {
				complain("an inline script")
			}
		}
		for _, a := range n.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "srcdoc", a.Key == "formaction", a.Key == "ping", a.Key == "target", a.Key == "http-equiv":
				complain("an attribute %s", a.Key)
			case a.Key == "src", n.Data == "link" && a.Key == "href":
				if !strings.Contains(" "+mayLoad[n.Data]+" ", " "+a.Val+" ") {
					complain("%s loads %s", n.Data, a.Val)
				}
			case a.Key == "action":
				if !strings.HasPrefix(a.Val, "/") || strings.HasPrefix(a.Val, "//") {
					complain("a form is sent to %s", a.Val)
				}
			case a.Key == "href":
				u, err := url.Parse(a.Val)
				if err != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" {
					complain("a link to %q", a.Val)
				}
			case a.Key == "id":
				if a.Val == "main" && n.Data != "main" {
					complain("an id of the page in a document")
				}
			}
		}
		if inText(n) && n.Data == "input" {
			for _, a := range n.Attr {
				if a.Key == "type" && a.Val != "checkbox" || a.Key == "name" || a.Key == "autofocus" {
					complain("an input %s=%s", a.Key, a.Val)
				}
			}
		}
	}
	return found
}

// inText reports whether an element is in the text of a document.
func inText(n *html.Node) bool {
	for up := n.Parent; up != nil; up = up.Parent {
		for _, a := range up.Attr {
			if a.Key == "class" && a.Val == "text" {
				return true
			}
		}
	}
	return false
}

func TestHostileTextsAreInert(t *testing.T) {
	f, targets := files{}, []string{}
	for i, p := range payloads {
		n := i + 1
		quotedYAML := strings.ReplaceAll(fmt.Sprintf("%q", p), `\x00`, `\0`)
		name, text := issue(n, quotedYAML, "# "+p+"\n\n"+p+"\n\n- [ ] "+p+"\n\n| "+p+" |\n|---|\n| "+p+" |\n",
			"status: "+quotedYAML, "priority: "+quotedYAML, "assignee: "+quotedYAML, "project: "+quotedYAML, "labels: ["+quotedYAML+"]",
			"parent: "+quotedYAML, "dependsOn: ["+quotedYAML+", ISS-000001]", quotedYAML+": "+quotedYAML)
		f[name] = text
		f[fmt.Sprintf(".wrangler/issues/h%d.md", n)] = "---\nid: " + quotedYAML + "\ntitle: x\ndependsOn: [" + quotedYAML + "]\n---\n"
		targets = append(targets, fmt.Sprintf("/d?path=.wrangler/issues/h%d.md", n))
		f[fmt.Sprintf(".wrangler/sessions/s%d/context.json", n)] = fmt.Sprintf(`{"id":"s%d","status":%s,"specFile":%s,"prUrl":%s,"tasksPending":[%s]}`, n, jsonOf(p), jsonOf(p), jsonOf(p), jsonOf(p))
	}
	f[".wrangler/views.yaml"] = "\"<script>alert(1)</script>\":\n  where: status = open\nboards:\n  \"<img src=x onerror=alert(1)>\":\n    columns:\n      - {name: \"<script>alert(1)</script>\", where: status = open}\n"
	s := serve(t, f)
	targets = append(targets, "/", "/list", "/board", "/graph", "/agents", "/problems", "/go?q=x", "/choose?field=labels", "/choose?field=status&from=/board", "/list?where=status+%21%3D+closed", "/board?board="+url.QueryEscape("<img src=x onerror=alert(1)>"))
	for i, p := range payloads {
		targets = append(targets, fmt.Sprintf("/d/ISS-%06d", i+1), fmt.Sprintf("/sessions/s%d", i+1))
		q := url.QueryEscape(p)
		targets = append(targets, "/search?q="+q, "/list?where="+q, "/list?view="+q, "/list?cursor="+q, "/graph?under="+q, "/graph?at="+q, "/graph?zoom="+q, "/agents?range="+q, "/problems?code="+q, "/board?board="+q, "/board?where="+q, "/list?sort="+q, "/go?from=/&q="+q, "/choose?field=labels&doc="+q, "/choose?field=status&from="+q, "/d?path="+q, "/d/"+url.PathEscape(p), "/sessions/"+url.PathEscape(p), "/"+url.PathEscape(p))
	}
	for _, target := range targets {
		w := s.get(t, target)
		if w.Code >= 500 {
			t.Errorf("%s: %d", target, w.Code)
		}
		for _, what := range harmful(t, w.Body.String()) {
			t.Errorf("%s has %s", target, what)
		}
	}
}

func jsonOf(text string) string {
	return strings.NewReplacer(`\x00`, `\u0000`).Replace(fmt.Sprintf("%q", text))
}

// A text cannot reach into the page behind it: what the text opens ends with the text.
func TestTextsEndWhatTheyOpen(t *testing.T) {
	for _, text := range append(payloads, "<table>", "<b><i>x", "<ul><li>x<li>y</ul></p>", "<table><tr><td><b></table></i>", "<details><summary>") {
		s := editable(t, sample())
		s.write(t, 2, "x", text+"\n", "status: open")
		root, err := html.Parse(strings.NewReader(s.page(t, "/d/ISS-000002")))
		check(t, err)
		for n := range root.Descendants() {
			if n.Data != "aside" {
				continue
			}
			var around []string
			for up := range n.Ancestors() {
				around = append(around, up.Data)
			}
			if got := strings.Join(around, " "); strings.TrimSpace(got) != "div main body html" {
				t.Errorf("%q puts the fields into %q", text, got)
			}
		}
	}
}

func TestHarmfulPagesAreSeen(t *testing.T) {
	for _, p := range []string{
		`<script>alert(1)</script>`, `<img src=x>`, `<p onclick=x>`, `<a href="javascript:x">`, `<p style="x">`, `<form action="https://x">`, `<div class="text"><input type="text"></div>`, `<p id="main">`,
	} {
		if len(harmful(t, p)) == 0 {
			t.Errorf("%s is taken for harmless", p)
		}
	}
}

func TestForeignRequestsAreRefused(t *testing.T) {
	s := serve(t, sample())
	for _, c := range []struct {
		why          string
		method       string
		host, origin string
		want         int
	}{
		{"a name that was made to lead here", http.MethodGet, "evil.example:8080", "", http.StatusForbidden},
		{"a page of another origin", http.MethodGet, "localhost:8080", "http://evil.example", http.StatusForbidden},
		{"a form of another page", http.MethodPost, "localhost:8080", "http://evil.example", http.StatusForbidden},
		{"a write", http.MethodPost, "localhost:8080", "http://localhost:8080", http.StatusMethodNotAllowed},
		{"a deletion", http.MethodDelete, "localhost:8080", "", http.StatusMethodNotAllowed},
	} {
		for _, target := range []string{"/", "/list", "/d/ISS-000001", "/d?path=.wrangler/issues/ISS-000001-x.md"} {
			r := httptest.NewRequest(c.method, target, http.NoBody)
			r.Host = c.host
			if c.origin != "" {
				r.Header.Set("Origin", c.origin)
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if w.Code != c.want || strings.Contains(w.Body.String(), "parser") {
				t.Errorf("%s, %s: %d", c.why, target, w.Code)
			}
		}
	}
}

func TestNoPageCanBeFramedOrRunAnInlineScript(t *testing.T) {
	s := serve(t, sample())
	for _, target := range []string{"/", "/d/ISS-000001", "/nothing", "/list?where=%3D", "/style.css", "/list?where=%0d%0aX-Injected:+1", "/d/%0d%0aX-Injected:%201"} {
		h := s.get(t, target).Header()
		policy := h.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: the policy does not have %s", target, want)
			}
		}
		if strings.Contains(policy, "unsafe") || h.Get("X-Injected") != "" || h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %v", target, h)
		}
	}
}

func TestPathsLeadToNoOtherFiles(t *testing.T) {
	f := sample()
	f["secret.txt"] = "the secret"
	f[".wrangler/config/issues-index.yaml"] = "name: the secret\n"
	s := serve(t, f)
	for _, target := range []string{
		"/d?path=secret.txt", "/d?path=../../secret.txt", "/d?path=.wrangler/issues/../../secret.txt", "/d?path=.wrangler/config/issues-index.yaml", "/d/..%2f..%2fsecret.txt",
		"/%2e%2e/secret.txt", "/secret.txt", "/assets/app.js", "/templates/list.html", "/sessions/..%2f..%2fissues", "/sessions/%2e%2e", "/d?path=%00secret.txt", "/d?path=" + url.QueryEscape(s.root+"/secret.txt"),
	} {
		if w := s.get(t, target); w.Code == http.StatusOK || strings.Contains(w.Body.String(), "the secret") {
			t.Errorf("%s: %d\n%s", target, w.Code, w.Body)
		}
	}
}
