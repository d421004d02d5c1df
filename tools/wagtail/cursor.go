package wagtail

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"issues-index/tools"
)

// checksumSize is the length of the checksum that a cursor begins with. It covers the cursor,
// the tool and the site, so an altered or foreign cursor is detected. A cursor
// contains nothing that a caller could not ask for, so it need not be unforgeable.
const checksumSize = 4

// encodeCursor returns a cursor that contains a query, for the next call of a tool.
func (s *Site) encodeCursor(tool string, query url.Values) string {
	text := strings.ReplaceAll(renamed(query, shortNames).Encode(), "%2C", ",") // a comma is shorter
	raw := binary.BigEndian.AppendUint32(nil, s.sum(tool, text))
	return base64.RawURLEncoding.EncodeToString(append(raw, text...))
}

// resumed returns the query of the argument cursor, or query and false without one. The
// other arguments have to be those that the cursor was made with, except limit, which
// replaces the cursor's.
func (s *Site) resumed(args *tools.Args, tool string, query url.Values) (url.Values, bool) {
	text := strings.TrimSpace(args.String("cursor"))
	if text == "" {
		return query, false
	}
	then, ok := s.readCursor(tool, text)
	if !ok {
		args.Fail(tools.Errorf(tools.CodeInvalidCursor, "Cursor %s is not a cursor of %s: it was altered, or belongs to another tool.", tools.Quote(text), tool).
			On("cursor").Try("Start again without a cursor."))
		return query, false
	}
	for _, name := range slices.Sorted(maps.Keys(args.Given())) {
		if name != "cursor" && name != "limit" && query.Get(name) != then.Get(name) {
			args.Fail(tools.Errorf(tools.CodeInvalidCursor, "The cursor was made with another %s.", name).On("cursor").
				Try("Pass only the cursor to go on, or call again without a cursor."))
		}
	}
	set(then, "limit", query.Get("limit"))
	return then, true
}

// readCursor returns the query of a cursor, false when it is not a cursor of the tool.
func (s *Site) readCursor(tool, text string) (url.Values, bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	lines := strings.ContainsAny(text, "\r\n") // which decoding passes over
	if err != nil || lines || len(raw) < checksumSize || binary.BigEndian.Uint32(raw) != s.sum(tool, string(raw[checksumSize:])) {
		return nil, false
	}
	short, err := url.ParseQuery(string(raw[checksumSize:]))
	query := renamed(short, longNames)
	return query, err == nil && s.encodeCursor(tool, query) == text
}

// shortNames are the names of the usual parameters in a cursor: a reader pays for a
// cursor three times. All other parameters are in lower case.
var shortNames = map[string]string{
	"offset": "O", "limit": "L", "type": "T", "fields": "F", "filter": "W", "search": "S", "search_operator": "X", "order": "R",
	"child_of": "C", "descendant_of": "D", "locale": "G", "query": "Q", "kinds": "K", "pages": "P", "images": "I", "documents": "N", "endpoint": "E",
}

var longNames = func() map[string]string {
	names := make(map[string]string)
	for long, short := range shortNames {
		names[short] = long
	}
	return names
}()

// renamed returns a query whose parameters have other names.
func renamed(query url.Values, names map[string]string) url.Values {
	renamed := make(url.Values, len(query))
	for name, values := range query {
		renamed[cmp.Or(names[name], name)] = values
	}
	return renamed
}

func (s *Site) sum(tool, text string) uint32 {
	return crc32.ChecksumIEEE([]byte(tool + "\x00" + s.base.String() + s.api + "\x00" + text))
}

// A pageCursor is the cursor of a long page: the page, the other arguments, and the
// position in its text. It is written `33.` and the position, or `33-`, the arguments
// in base64, a point and the position. The position is bound to the rest, so an
// altered cursor is refused.
type pageCursor struct {
	id    int // 0 for an address that the API has no page for
	asked url.Values
	place string
}

// readPageCursor reads the argument cursor. One without a page is only a position.
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

// head returns the cursor without its position.
func (c pageCursor) head() string {
	head := strconv.Itoa(c.id)
	if rest := c.asked.Encode(); rest != "" {
		head += "-" + base64.RawURLEncoding.EncodeToString([]byte(rest))
	}
	return head + "."
}

// orFrom returns an argument if it was given, else the one in the cursor.
func (c pageCursor) orFrom(given, name string) string {
	if given != "" {
		return given
	}
	return c.asked.Get(name)
}
