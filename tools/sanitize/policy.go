package sanitize

import (
	"net/url"
	"strings"

	"issues-index/store/pattern"
)

// A Policy says what of HTML stays. All names are in lower case. The zero policy leaves text.
type Policy struct {
	// Elements are the elements that stay, each with the attributes that it may have. Scripts
	// and styles go even if they are here.
	Elements map[string]Attributes
	// Everywhere are the attributes that all of these elements may have besides their own.
	Everywhere Attributes
	// Incomplete are the elements that go if none of their attributes stays. Their content stays.
	Incomplete map[string]bool
	// WithContent are the elements that take their content with them, where they are not
	// among Elements. Scripts and styles always do.
	WithContent map[string]bool
	// Spaced puts a space in the place of each tag that goes, but for those of scripts and styles.
	Spaced bool
	// Unfollowed adds rel="nofollow noreferrer" to elements with an href that [Address] allows
	// and that may lead to another host. No other rel stays.
	Unfollowed bool
}

// Unseen are elements whose content is no text of the page: for WithContent.
func Unseen() map[string]bool {
	return map[string]bool{"frame": true, "frameset": true, "iframe": true, "noembed": true, "noframes": true,
		"noscript": true, "nostyle": true, "object": true, "title": true}
}

// Attributes are the attributes that an element may have, by name.
type Attributes map[string]Value

// A Value returns what is written for the value of an attribute, and whether the attribute stays.
type Value func(value string) (string, bool)

// Any allows every value. It is not for values that a browser follows or runs.
func Any(value string) (string, bool) { return value, true }

// Matching allows the values that match a regular expression, which is compiled on first use.
func Matching(expression string) Value {
	matching := pattern.Lazy(expression)
	return func(value string) (string, bool) { return value, matching().MatchString(value) }
}

// Address allows addresses of the schemes http, https and mailto, and relative ones. It returns
// them as [url.URL] writes them. An address goes that would lead elsewhere when it is read again: a
// url.URL writes the path %2F%2Fé as //%C3%A9, which is a host.
func Address(value string) (string, bool) {
	value = strings.TrimSpace(value)
	if strings.ContainsAny(value, " \t\n") {
		return "", false
	}
	u, err := url.Parse(value)
	if err != nil {
		return "", false
	}
	switch u.Scheme {
	case "", "http", "https", "mailto":
		value = u.String()
		again, err := url.Parse(value)
		return value, value != "" && err == nil && again.Host == u.Host && again.String() == value
	}
	return "", false
}

// leadsElsewhere reports whether what [Address] returns may lead to another host. Browsers find a
// host in https:example.org and ///example.org too.
func leadsElsewhere(address string) bool {
	return strings.HasPrefix(address, "//") || strings.HasPrefix(address, "http:") || strings.HasPrefix(address, "https:")
}
