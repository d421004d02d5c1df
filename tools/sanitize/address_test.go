package sanitize

import (
	"regexp"
	"strings"
	"testing"
)

var schemeOf = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)

// browsed returns the scheme that a browser finds in an address of a page, and whether it
// stays with the page's host, as https://url.spec.whatwg.org reads addresses.
func browsed(address string) (scheme string, stays bool) {
	address = strings.TrimFunc(address, func(r rune) bool { return r <= ' ' })
	address = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(address)
	scheme = strings.ToLower(strings.TrimSuffix(schemeOf.FindString(address), ":"))
	return scheme, scheme == "" && !strings.HasPrefix(strings.ReplaceAll(address, `\`, "/"), "//")
}

func checkAddress(t *testing.T, given string) {
	t.Helper()
	written, ok := Address(given)
	if !ok {
		return
	}
	if again, ok := Address(written); !ok || again != written {
		t.Errorf("%q becomes %q and then %q, %v", given, written, again, ok)
	}
	scheme, stays := browsed(written)
	if scheme != "" && scheme != "http" && scheme != "https" && scheme != "mailto" {
		t.Errorf("%q becomes %q, of the scheme %s", given, written, scheme)
	}
	if !stays && scheme != "mailto" && !leadsElsewhere(written) {
		t.Errorf("%q becomes %q, which is taken for an address of the same host", given, written)
	}
}

func TestAddress(t *testing.T) {
	for given, want := range map[string]string{
		"a/b?c#d": "a/b?c#d", " /x ": "/x", "HTTPS://X.example/ü": "https://X.example/%C3%BC", "mailto:a@b.example": "mailto:a@b.example", "#part": "#part",
		"": "", "a b": "", "java\tscript:x": "", "javascript:x": "", "JavaScript:x": "", "data:,x": "", "\x01javascript:x": "", "tel:1": "", "://x": "", "%zz": "", "%2F%2Fevil.example/é": "", "%2F%2F\xbd)": "", "x%2Fé": "x/%C3%A9",
		`/\evil.example`: "/%5Cevil.example", "javascript\uff1ax": "javascript%EF%BC%9Ax",
	} {
		checkAddress(t, given)
		if written, ok := Address(given); ok != (want != "") || ok && written != want {
			t.Errorf("%q: %q, %v, want %q", given, written, ok, want)
		}
	}
}

func TestAddressesOfOtherHostsAreKnown(t *testing.T) {
	for address, want := range map[string]bool{
		"https://x.example": true, "//x.example": true, "///x.example": true, "https:x.example": true, "http:/x.example": true, "https:///x.example": true, "//@": true,
		"/x": false, "x": false, "#x": false, "?x=//y": false, "mailto:a@b.example": false, "": false, "x//y": false,
	} {
		if leadsElsewhere(address) != want {
			t.Errorf("%q: %v", address, !want)
		}
	}
}

func FuzzAddress(f *testing.F) {
	for _, given := range []string{"a", "//x", "///x", `/\x`, "https:x", "http:///x", "java\tscript:x", "a:b", "./a:b", "%2Fx", "?a#b", "http://[::1%25x]:80/", "mailto:x", "http://a@b:c@d/"} {
		f.Add(given)
	}
	f.Fuzz(checkAddress)
}
