package wagtail

import (
	"encoding/base64"
	"net/url"
	"strconv"
	"strings"

	"issues-index/tools"
)

// A pageCursor is the cursor of a long page: the page, what else was asked for, and
// the place in its text. It stands alone, like that of a list.
//
// It is written `33.` and the place, or `33-` and what was asked for in base64, a
// point and the place. The place is bound to all that stands before it, so an
// altered cursor is refused.
type pageCursor struct {
	id    int // 0 for an address that the API has no page for
	asked url.Values
	place string
}

// readPageCursor reads the argument cursor. One without a page has only a place.
func readPageCursor(args *tools.Args) pageCursor {
	text := strings.TrimSpace(args.String("cursor"))
	head, place, ok := strings.Cut(text, ".")
	if !ok {
		return pageCursor{place: text}
	}
	number, rest, _ := strings.Cut(head, "-")
	id, err := strconv.Atoi(number)
	raw, badText := base64.RawURLEncoding.Strict().DecodeString(rest)
	asked, badQuery := url.ParseQuery(string(raw))
	if err != nil || badText != nil || badQuery != nil || id < 0 || id > maxID || strings.ContainsAny(text, "\r\n") {
		return pageCursor{place: text}
	}
	return pageCursor{id: id, asked: asked, place: place}
}

// head is the cursor without its place.
func (c pageCursor) head() string {
	head := strconv.Itoa(c.id)
	if rest := c.asked.Encode(); rest != "" {
		head += "-" + base64.RawURLEncoding.EncodeToString([]byte(rest))
	}
	return head + "."
}

// orFrom is an argument that was given, else what the cursor was made with.
func (c pageCursor) orFrom(given, name string) string {
	if given != "" {
		return given
	}
	return c.asked.Get(name)
}
