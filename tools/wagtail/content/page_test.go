package content

import (
	"net/url"
	"strings"
	"testing"
)

func TestMainPartOfAPage(t *testing.T) {
	base, err := url.Parse("https://site.example/a/b/?q=1")
	if err != nil {
		t.Fatal(err)
	}
	const frame = `<header>Name of the site</header><nav>Menu</nav><aside>Aside</aside><div role="navigation">Crumbs</div>`
	for name, of := range map[string]struct{ html, title, markdown string }{
		"main": {`<title>T</title><body>` + frame + `<main><h1> One  line </h1><p>a</p></main>`, "One line", "# One line\n\na"},
		"the role of main": {
			`<title> T | Site </title><body>` + frame + `<div role="Main"><p>a</p></div><footer>f</footer>`, "T | Site", "a",
		},
		"the only article":       {`<title>T</title>` + frame + `<article><h2>b</h2></article>`, "T", "## b"},
		"several articles":       {`<title>T</title>` + frame + `<article>a</article><article>b</article>`, "T", "a\n\nb"},
		"an empty main":          {`<title>T</title><main> </main><article>a</article>`, "T", "a"},
		"the body":               {`<title>T</title><body>` + frame + `<p>a</p><form>f<input></form><footer>f</footer>`, "T", "a"},
		"no element at all":      {`just text`, "", "just text"},
		"nothing":                {``, "", ""},
		"no head's end":          {`<html><head><title>T</title><meta charset=utf-8><p>a`, "T", "a"},
		"a script with a main":   {`<script>"<main>x</main>"</script><main>a</main>`, "", "a"},
		"forms of the main part": {`<main><form><label>Your name</label><input value=x><select><option>o</select><button>Send</button></form></main>`, "", "Your name\n\nSend"},
		"links and pictures": {
			`<main><a href="../c/">c</a> <a href="#d">d</a> <a href="//cdn.example/e">e</a> <img src="f.png" alt="f"> <a href="g:h">g</a></main>`, "",
			"[c](https://site.example/a/c/) [d](https://site.example/a/b/?q=1#d) [e](https://cdn.example/e) ![f](https://site.example/a/b/f.png) g",
		},
		"what is hidden":         {`<main>a<p hidden>b</p><ul><li hidden>c<li>d</ul><table><tr hidden><td>e<td>e<tr><td>f<td>g</table></main>`, "", "a\n\n- d\n\n|  |  |\n|---|---|\n| f | g |"},
		"not quite UTF-8":        {"<main>caf\xe9</main>", "", "caf�"},
		"a page nested too deep": {strings.Repeat("<div>", 600) + "<script>a</script>b", "", "b"},
		"a title in the SVG":     {`<title>T</title><main><svg><title>Icon</title></svg>a</main>`, "T", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			a := Page([]byte(of.html), base)
			if a.Title != of.title || a.Markdown != of.markdown || a.PasswordRequired {
				t.Errorf("%q %q %v", a.Title, a.Markdown, a.PasswordRequired)
			}
		})
	}
}

func TestPasswordFormsAreDetected(t *testing.T) {
	long := strings.Repeat("What the page says. ", 50)
	for name, of := range map[string]struct {
		html  string
		wants bool
	}{
		"Wagtail's own": {`<title>Password required</title><body><h1>Password required</h1><p>You need a password to access this page.</p>
			<form action="/_util/authenticate_with_password/1/2/" method="post"><input type="password" name="password" id="id_password" required><input type="hidden" name="return_url" value="/x/"></form>`, true},
		"a project's own":                  {`<title>Members</title><main><p>Bitte Passwort eingeben</p><form><input type=PASSWORD name=p></form></main>`, true},
		"with much around it":              {`<title>T</title><main><form><input type=password><input type=hidden name=return_url></form>` + long + `</main>`, true},
		"a login page":                     {`<title>Log in</title><body><form><input name=username><input type=password><input type=hidden name=next></form>`, true},
		"a page with a form to join":       {`<main><h1>Join us</h1>` + long + `<form><input name=mail><input type=password></form></main>`, false},
		"a page with a login in its frame": {`<header><form><input type=password></form></header><main>a</main>`, false},
		"a search":                         {`<main>a<form><input type=search></form></main>`, false},
	} {
		t.Run(name, func(t *testing.T) {
			if a := Page([]byte(of.html), nil); a.PasswordRequired != of.wants {
				t.Error(a.PasswordRequired)
			}
		})
	}
}

func TestPagesOfEveryEncoding(t *testing.T) {
	ascii := "<title>" + strings.Repeat("a", 2000) + "</title>"
	for name, c := range map[string]struct{ page, contentType, want string }{
		"UTF-8, and said so":            {"<p>Café 日本</p>", "text/html; charset=utf-8", "<p>Café 日本</p>"},
		"UTF-8, and not said":           {ascii + "<p>Café 日本</p>", "text/html", ascii + "<p>Café 日本</p>"},
		"the header's":                  {"<p>Caf\xe9</p>", "text/html; charset=ISO-8859-1", "<p>Café</p>"},
		"one that is not read":          {"<meta charset=\"shift_jis\"><p>\x93\xfa a</p>", "text/html", "<meta charset=\"shift_jis\"><p>\uFFFD a</p>"},
		"none that is said":             {"<p>Caf\xe9</p>", "text/html", "<p>Café</p>"},
		"another than is said":          {"<meta charset=\"iso-8859-1\"><p>Café</p>", "text/html", "<meta charset=\"iso-8859-1\"><p>Café</p>"},
		"one that nobody knows":         {"<p>Caf\xe9</p>", "text/html; charset=x-klingon", "<p>Caf\uFFFD</p>"},
		"the quotes of Windows":         {"<p>\x93a\x94</p>", "text/html; charset=latin1", "<p>“a”</p>"},
		"UTF-8 with bytes that are not": {"<p>Caf\xe9</p>", "text/html; charset=utf-8", "<p>Caf\uFFFD</p>"},
	} {
		if got := Decode([]byte(c.page), c.contentType); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
