package content

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// Decode returns a page as UTF-8: from the encoding that the Content-Type header
// names, else that of the page's own declaration if it is no UTF-8 already. What
// stands for no character becomes U+FFFD.
func Decode(page []byte, contentType string) string {
	encoding, _, certain := charset.DetermineEncoding(page, contentType)
	if certain || !utf8.Valid(page) {
		if decoded, err := encoding.NewDecoder().Bytes(page); err == nil {
			page = decoded
		}
	}
	return strings.ToValidUTF8(strings.TrimPrefix(string(page), "\uFEFF"), "\uFFFD")
}
