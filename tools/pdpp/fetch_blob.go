package pdpp

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"issues-index/store/pattern"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/upstream"
)

// maxBinary bounds the bytes of a blob that is no text, unless a range is asked for:
// nobody reads base64, and it costs a third more than the bytes.
const maxBinary = 2048

// A blobAnswer is the answer about one: with its bytes as text or in base64, or without them
// when they are too many.
type blobAnswer struct {
	BlobID      string  `json:"blob_id"`
	MimeType    string  `json:"mime_type"`
	Size        int     `json:"size"` // of the bytes here
	Total       int     `json:"total_size,omitempty"`
	Text        *string `json:"text,omitempty"`
	Base64      string  `json:"bytes_base64,omitempty"`
	NextRange   string  `json:"next_range,omitempty"`
	Location    string  `json:"location,omitempty"`
	ProviderURL string  `json:"provider_url"`
	RequestID   *string `json:"request_id"`
	Note        string  `json:"note,omitempty"`

	content    []byte
	first      int    // byte of the blob with which content begins
	more       bool   // the blob goes on after content
	textual    bool   // content is text
	connection string // that was named, or ""
}

func fetchBlob(c *Client) tools.Tool {
	return reading(tools.Tool{
		Name: "fetch_blob",
		Description: "Read a blob that a record names: GET /v1/blobs/{blob_id}. Read-only. Text comes as text, other bytes in base64 when they are few; " +
			"range reads a part of either, and the answer names the next. Structured output says the same as the text.",
		Input: tools.ObjectSchema(`"blob_id":`+anyText+`,"range":{"type":"string","description":"bytes=0-4095"},"connection_id":`+anyText, "blob_id"),
		Output: tools.ObjectSchema(`"blob_id":`+anyText+`,"mime_type":`+anyText+`,"size":`+number+`,"total_size":`+number+`,"text":`+anyText+`,"bytes_base64":`+anyText+
			`,"next_range":`+anyText+`,"location":`+anyText+`,"provider_url":`+anyText+`,"request_id":{"type":["string","null"]},"note":`+anyText,
			"blob_id", "mime_type", "size", "provider_url", "request_id"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			id := unescaped(args.Required("blob_id"))
			request := upstream.Request{Path: "/v1/blobs/" + segment(args, "blob_id", id), Header: http.Header{}}
			query := url.Values{}
			readConnection(args, query)
			request.Query = query.Encode()
			part := readRange(args)
			if part != nil {
				request.Header.Set("Range", part.String())
			}
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			b, err := c.blob(ctx, request, id, part)
			if err != nil {
				return tools.Result{}, err
			}
			b.connection = query.Get("connection_id")
			return b.show(args, part != nil), nil
		},
	})
}

// blob asks for a blob. It follows one redirect within the RS; a redirect to another host
// becomes the blob's location.
func (c *Client) blob(ctx context.Context, request upstream.Request, id string, part *byteRange) (blobAnswer, error) {
	response, err := c.do(ctx, request, true)
	if err != nil {
		return blobAnswer{}, err
	}
	b := blobAnswer{BlobID: id, ProviderURL: c.provider, MimeType: "application/octet-stream"}
	if to, own := response.Redirect(); to != nil {
		below, inside := strings.CutPrefix(to.EscapedPath(), strings.TrimRight(c.http.Base().EscapedPath(), "/"))
		if !own || !inside || below != "" && below[0] != '/' {
			b.Location = to.String()
			return b, nil
		}
		request.Path, request.Query = below, to.RawQuery
		if response, err = c.do(ctx, request, true); err != nil {
			return blobAnswer{}, err
		}
	}
	if !succeeded(response) {
		return blobAnswer{}, c.errorOf(response)
	}
	b.RequestID = requestID(response)
	if mediaType := response.MediaType(); mediaType != "" {
		b.MimeType = mediaType
	}
	b.content, b.Total = response.Body, len(response.Body)
	switch {
	case response.Status == http.StatusPartialContent:
		b.first, b.Total = contentRange(response.Header.Get("Content-Range"), request.Header.Get("Range"))
		b.more = b.first+len(b.content) < b.Total
	case part != nil: // servers may ignore a range
		if b.content, err = part.of(response.Body); err != nil {
			return blobAnswer{}, err
		}
		b.first = part.first
		b.more = b.first+len(b.content) < b.Total
	}
	return b, nil
}

// contentRange returns where a part of a blob begins, by default where it was asked for,
// and the length of the whole, 0 when it is not said.
func contentRange(said, asked string) (first, total int) {
	var last int
	if n, err := fmt.Sscanf(said, "bytes %d-%d/%d", &first, &last, &total); err != nil && n < 1 {
		if _, err := fmt.Sscanf(asked, "bytes=%d", &first); err != nil {
			first = 0
		}
		return first, 0
	}
	return max(0, first), max(0, total)
}

// show answers with as many bytes as fit; with bytes that are no text only when they are
// few or a range was asked for.
func (b blobAnswer) show(args *tools.Args, asked bool) tools.Result {
	if b.Location != "" {
		b.Note = "The resource server keeps it at another host, to which the grant's token is not sent."
		return tools.Result{Text: "Blob " + escaped(b.BlobID) + " is at " + b.Location + ". " + b.Note, Structured: b, Items: 1}
	}
	if text := b.content; textual(b.MimeType) {
		if b.more { // a part may end within a character
			text = wholeRunes(text)
		}
		if b.textual = utf8.Valid(text) && (len(text) > 0 || len(b.content) == 0); b.textual {
			b.more = b.more || len(text) < len(b.content)
			b.content = text
		}
	}
	length := len(b.content)
	if !b.textual && !asked && length > maxBinary {
		length = 0
	}
	whole := b.part(length)
	if args.Fits(whole) {
		return whole
	}
	fits := sort.Search(length, func(n int) bool { return !args.Fits(b.part(n + 1)) })
	r := b.part(fits)
	r.Outcome, r.Original = tools.OutcomeChunked, whole.Size()
	return r
}

// part answers with the first bytes of the content.
func (b blobAnswer) part(length int) tools.Result {
	content := b.content[:length]
	if b.textual && length < len(b.content) {
		content = wholeRunes(content)
	}
	b.Size = len(content)
	end := b.first + b.Size
	if b.more || b.Size < len(b.content) {
		b.NextRange = fmt.Sprintf("bytes=%d-%d", end, end+max(b.Size, maxBinary)-1)
		next := []any{"blob_id", b.BlobID, "range", b.NextRange}
		if b.connection != "" {
			next = append(next, "connection_id", b.connection)
		}
		b.Note = "Next: " + callOf("fetch_blob", next...)
	}
	text := fmt.Sprintf("Blob %s, %s: bytes %d to %d", escaped(b.BlobID), escaped(b.MimeType), b.first, end)
	if b.Total > 0 {
		text += fmt.Sprintf(" of %d", b.Total)
	}
	text += "."
	if b.Note != "" {
		text += " " + b.Note
	}
	var mark answer.Mark
	if b.textual {
		shown := string(content)
		b.Text = &shown
		text, mark = fenced([]string{text}, nil, []tools.TextField{{Name: "text", Text: shown}})
	} else if b.Size > 0 {
		b.Base64 = base64.StdEncoding.EncodeToString(content)
		text += "\nbase64: " + b.Base64
	}
	return tools.Result{Text: text, Mark: mark, Structured: b, Items: 1}
}

// wholeRunes returns content without the part of a rune at its end.
func wholeRunes(content []byte) []byte {
	for cut := 1; cut < utf8.UTFMax && cut <= len(content); cut++ {
		last := content[len(content)-cut:]
		if utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return content[:len(content)-cut]
			}
			break
		}
	}
	return content
}

// textual reports whether a media type is one of text.
func textual(mediaType string) bool {
	switch mediaType {
	case "application/json", "application/xml", "application/yaml", "application/x-yaml", "application/javascript",
		"application/x-ndjson", "application/csv", "application/toml", "message/rfc822":
		return true
	}
	return strings.HasPrefix(mediaType, "text/") || strings.HasSuffix(mediaType, "+json") || strings.HasSuffix(mediaType, "+xml")
}

// codeBehindEnd is the code of a range that begins after the end of a blob.
const codeBehindEnd tools.Code = "range_not_satisfiable"

// A byteRange is the part of a blob to read.
type byteRange struct {
	first int
	last  int // -1 for the end
}

var rangeForm = pattern.Lazy(`^bytes=(\d{1,15})-(\d{1,15})?$`)

// readRange reads the argument range, nil when there is none.
func readRange(args *tools.Args) *byteRange {
	asked := strings.ReplaceAll(args.String("range"), " ", "")
	if asked == "" {
		return nil
	}
	wrong := func(why string) *byteRange {
		args.Fail(tools.Errorf(tools.CodeValidation, "Invalid range %s%s.", quote(asked), why).On("range").
			Try("Pass it as bytes=FIRST-LAST or bytes=FIRST-, e.g. bytes=0-4095."))
		return nil
	}
	found := rangeForm().FindStringSubmatch(asked)
	if found == nil {
		return wrong("")
	}
	part := &byteRange{last: -1}
	part.first, _ = strconv.Atoi(found[1]) // at most 15 digits
	if found[2] == "" {
		return part
	}
	if part.last, _ = strconv.Atoi(found[2]); part.last < part.first {
		return wrong(": its end is before its beginning")
	}
	return part
}

// String returns the range as the Range header has it.
func (r *byteRange) String() string {
	if r.last < 0 {
		return fmt.Sprintf("bytes=%d-", r.first)
	}
	return fmt.Sprintf("bytes=%d-%d", r.first, r.last)
}

// of cuts the part out of the whole of a blob.
func (r *byteRange) of(whole []byte) ([]byte, error) {
	if r.first >= len(whole) && r.first > 0 {
		return nil, tools.Errorf(codeBehindEnd, "The range begins at byte %d, and the blob has %d bytes.", r.first, len(whole)).On("range").
			Try("Pass a range that begins before byte %d, e.g. bytes=0-4095.", len(whole))
	}
	end := len(whole)
	if r.last >= 0 {
		end = min(end, r.last+1)
	}
	return whole[r.first:end], nil
}
