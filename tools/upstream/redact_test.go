package upstream_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issues-index/tools/upstream"
)

// redacted returns a text without a secret.
func redacted(secret, text string) string {
	r := &upstream.Response{Body: []byte(text), Header: http.Header{"X-Said": {text}}}
	upstream.NewRedactor(secret).Redact(r)
	if header := r.Header.Get("X-Said"); header != string(r.Body) {
		return "the header differs: " + header
	}
	return string(r.Body)
}

// encodings are what a service may do to what it repeats.
var encodings = map[string]func(string) string{
	"nothing":              func(s string) string { return s },
	"capitals":             strings.ToUpper,
	"JSON":                 inJSON,
	"JSON, slashes too":    func(s string) string { return strings.ReplaceAll(inJSON(s), "/", `\/`) },
	"JSON, all escaped":    func(s string) string { return escaped(`\u00%02X`, s) },
	"a query":              url.QueryEscape,
	"a path":               url.PathEscape,
	"a path, slashes kept": func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "%2F", "/") },
	"lower case escapes":   func(s string) string { return lowerEscapes(url.QueryEscape(s)) },
	"a path, all escaped":  func(s string) string { return escaped("%%%02X", s) },

	"hidden characters between":          func(s string) string { return strings.Join(strings.Split(s, ""), "\u200b\x01") },
	"hidden characters between, in JSON": func(s string) string { return strings.Join(strings.Split(s, ""), `\u200B\udb40\udc41`) },
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

func TestSecretIsRemovedInEveryForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[!-~]{6,40}`).Draw(t, "secret")
		for name, encode := range encodings {
			if got := redacted(secret, "before "+encode(secret)+" after"); got != "before (secret) after" {
				t.Fatalf("encoded as %s: %s", name, got)
			}
		}
	})
}

func TestEscapedLastCharacterIsRemovedWhole(t *testing.T) {
	if got := redacted(`s3cret\`, `{"token":"s3cret\\"}`); got != `{"token":"(secret)"}` {
		t.Error(got)
	}
}

func TestSecretInBase64IsRemoved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[!-~]{6,40}`).Draw(t, "secret")
		around := rapid.StringMatching(`[!-~]{0,5}`)
		text := []byte(around.Draw(t, "before") + secret + around.Draw(t, "after"))
		for _, alphabet := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
			got := redacted(secret, alphabet.EncodeToString(text))
			// A character at either end is of the secret's neighbour, too.
			if rest := strings.Replace(got, "(secret)", "", 1); got == rest || len(rest) > alphabet.EncodedLen(len(text)-len(secret))+4 {
				t.Fatalf("left is %s", got)
			}
		}
	})
}

func random(n int) string {
	content := make([]byte, n)
	rand.NewChaCha8([32]byte{}).Read(content)
	return string(content)
}

// An answer without the secret is read once, however long it is.
func BenchmarkRedact(b *testing.B) {
	for name, text := range map[string]string{
		"JSON":    strings.Repeat(`{"id":"r1","text":"Some words.\n\"Quoted\" and \u00e4 100%"},`, 1000),
		"escapes": strings.Repeat(`\u0073\u0033%73&#115;`, 3000),
		"bytes":   random(60_000),
	} {
		b.Run(name, func(b *testing.B) {
			r := upstream.NewRedactor("s3cret-of-some-length-0123456789abcdef")
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.RedactText([]byte(text))
			}
		})
	}
}

func TestOtherTextIsKept(t *testing.T) {
	for secret, text := range map[string]string{
		"":            "every word of it",
		"short":       "a shorter text",
		"s3cret.key=": "s3cretXkey= and s3cret.key",
		"a%2b&amp;c":  "a+&c and a%2b&ampc 10% & more\\",
	} {
		if got := redacted(secret, text); got != text {
			t.Errorf("of %q, the secret %q leaves %q", text, secret, got)
		}
	}
}
