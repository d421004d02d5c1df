package upstream_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issues-index/tools/upstream"
)

// covered is what is left of a text behind a veil.
func covered(secret, text string) string {
	r := &upstream.Response{Body: []byte(text), Header: http.Header{"X-Said": {text}}}
	upstream.NewVeil(secret).Cover(r)
	if header := r.Header.Get("X-Said"); header != string(r.Body) {
		return "the header differs: " + header
	}
	return string(r.Body)
}

// encodings are what a service may do to what it repeats.
var encodings = map[string]func(string) string{
	"nothing":              func(s string) string { return s },
	"JSON":                 inJSON,
	"JSON in JSON":         func(s string) string { return inJSON(inJSON(s)) },
	"a query":              url.QueryEscape,
	"a path":               url.PathEscape,
	"a path, slashes kept": func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "%2F", "/") },
	"lower case escapes":   func(s string) string { return lowerEscapes(url.QueryEscape(s)) },
	"a query in a query":   func(s string) string { return url.QueryEscape(url.QueryEscape(s)) },
	"JSON, all escaped":    func(s string) string { return escaped(`\u00%02x`, s) },
	"a path, all escaped":  func(s string) string { return escaped("%%%02X", s) },
	"HTML":                 html.EscapeString,
	"HTML in JSON":         func(s string) string { return inJSON(html.EscapeString(s)) },
}

func inJSON(s string) string {
	encoded, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(encoded[1 : len(encoded)-1])
}

func escaped(format, s string) string {
	var out strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&out, format, c)
	}
	return out.String()
}

func lowerEscapes(s string) string {
	for _, c := range "ABCDEF" {
		for _, d := range "0123456789ABCDEF" {
			s = strings.ReplaceAll(s, "%"+string(d)+string(c), strings.ToLower("%"+string(d)+string(c)))
		}
	}
	return s
}

func TestASecretIsTakenOutInEveryForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[!-~]{6,40}`).Draw(t, "secret")
		for name, encode := range encodings {
			if got := covered(secret, "before "+encode(secret)+" after"); got != "before (secret) after" {
				t.Fatalf("encoded as %s: %s", name, got)
			}
		}
	})
}

func TestASecretInBase64IsTakenOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[!-~]{6,40}`).Draw(t, "secret")
		around := rapid.StringMatching(`[!-~]{0,5}`)
		text := []byte(around.Draw(t, "before") + secret + around.Draw(t, "after"))
		for _, alphabet := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
			got := covered(secret, alphabet.EncodeToString(text))
			// A character at either end is of the secret's neighbour, too.
			if rest := strings.Replace(got, "(secret)", "", 1); got == rest || len(rest) > alphabet.EncodedLen(len(text)-len(secret))+4 {
				t.Fatalf("left is %s", got)
			}
		}
	})
}

func TestWhatIsNoSecretStays(t *testing.T) {
	for secret, text := range map[string]string{
		"":            "every word of it",
		"short":       "a shorter text",
		"s3cret.key=": "s3cretXkey= and s3cret.key",
	} {
		if got := covered(secret, text); got != text {
			t.Errorf("of %q, the secret %q leaves %q", text, secret, got)
		}
	}
}
