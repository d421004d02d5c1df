package pdpp

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"issues-index/store/pattern"
	"issues-index/store/words"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/upstream"
)

// maxBinary is how many bytes of a blob that is no text are answered unless a range is asked
// for: an agent cannot read base64, and it costs a third more than the bytes.
const maxBinary = 2048

// codeBehindEnd is the code of a range that begins after the end of a blob.
const codeBehindEnd tools.Code = "range_not_satisfiable"

// A blob is a part of a blob as it is answered: as text or in base64, or where to get it.
type blob struct {
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

	content []byte
	first   int  // byte of the blob with which content begins
	more    bool // the blob goes on after content
}

// fetchBlob reads a part of a blob. A call without a range reads as much as an answer holds.
func fetchBlob(ctx context.Context, c *call) (tools.Result, error) {
	first, last := c.readRange()
	if err := c.args.Err(); err != nil {
		return tools.Result{}, err
	}
	response, err := c.do(ctx, upstream.Request{Path: c.path, Query: c.query.Encode(),
		Header: http.Header{"Range": {fmt.Sprintf("bytes=%d-%d", first, last)}}}, true)
	if err != nil {
		return tools.Result{}, err
	}
	b := blob{BlobID: c.names["blob_id"], ProviderURL: c.provider, RequestID: requestID(response), first: first,
		MimeType: cmp.Or(response.MediaType(), "application/octet-stream"), content: response.Body}
	switch to, _ := response.Redirect(); {
	case to != nil:
		b.MimeType, b.Location = "application/octet-stream", to.String()
		b.Note = "The grant's token is not sent there: give the address to the user."
		text := "Blob " + shown(b.BlobID) + " is at " + b.Location + ". " + b.Note
		return tools.Result{Text: text, Structured: b, Items: 1}, nil
	case !succeeded(response):
		return tools.Result{}, c.errorOf(response)
	case response.Status == http.StatusPartialContent:
		_, total, _ := strings.Cut(response.Header.Get("Content-Range"), "/")
		b.Total, _ = strconv.Atoi(total) // 0 where the RS does not say it
		b.more = first+len(b.content) < b.Total || b.Total == 0 && len(b.content) > last-first
		return b.show(c), nil
	}
	b.Total = len(b.content) // servers may ignore a range
	if first > 0 && first >= b.Total {
		return tools.Result{}, tools.Errorf(codeBehindEnd, "The range begins at byte %d, and the blob has %d bytes.",
			first, b.Total).
			On("range").Try("Pass a range that begins before byte %d, e.g. bytes=0-4095.", b.Total)
	}
	b.more, b.content = last+1 < b.Total, b.content[first:min(last+1, b.Total)]
	return b.show(c), nil
}

var rangeForm = pattern.Lazy(`^bytes=(\d{1,9})-(\d{1,9})?$`)

// readRange reads the argument range: by default, and at most, as much as an answer can hold.
func (c *call) readRange() (first, last int) {
	asked := cmp.Or(strings.ReplaceAll(c.args.String("range"), " ", ""), "bytes=0-")
	found := rangeForm().FindStringSubmatch(asked)
	if found == nil {
		found = []string{"", "1", "0"}
	}
	first, _ = strconv.Atoi(found[1]) // at most 9 digits
	last = maxBody
	if budget := c.args.Budget(); !budget.Off {
		last = first + budget.Bytes
	}
	if to, err := strconv.Atoi(found[2]); err == nil {
		last = min(last, to)
	}
	if last < first {
		c.refuse(tools.CodeValidation, "range", "Pass it as bytes=FIRST-LAST or bytes=FIRST-, e.g. bytes=0-4095.",
			"Invalid range %s.", quote(asked))
	}
	return first, last
}

// show answers with as many bytes as fit.
func (b blob) show(c *call) tools.Result {
	length := len(b.content)
	if _, text := b.text(length); !text && !c.args.Has("range") {
		length = min(length, maxBinary)
	}
	whole := b.part(c, length)
	if c.args.Fits(whole) {
		return whole
	}
	r := b.part(c, sort.Search(length, func(n int) bool { return !c.args.Fits(b.part(c, n+1)) }))
	r.Outcome, r.Original = tools.OutcomeChunked, whole.Size()
	return r
}

// text returns the first bytes, and whether they are a text. A part of a text ends with a whole
// character.
func (b blob) text(length int) ([]byte, bool) {
	part := b.content[:length]
	for cut := range min(utf8.UTFMax, length) {
		if !b.more && length == len(b.content) && cut > 0 {
			break
		}
		if text := part[:length-cut]; textTypes().MatchString(b.MimeType) && utf8.Valid(text) {
			return text, true
		}
	}
	return part, length == 0 && textTypes().MatchString(b.MimeType)
}

// part answers with the first bytes of the content.
func (b blob) part(c *call, length int) tools.Result {
	content, isText := b.text(length)
	b.Size = len(content)
	end := b.first + b.Size
	if b.more || b.Size < len(b.content) {
		b.NextRange = fmt.Sprintf("bytes=%d-%d", end, end+max(b.Size, maxBinary)-1)
		b.Note = "Next: " + c.again(map[string]any{"range": b.NextRange})
	}
	size := words.Count(b.Size, "byte")
	if b.Total > 0 {
		size = fmt.Sprintf("%d of %s", b.Size, words.Count(b.Total, "byte"))
	}
	line := fmt.Sprintf("Blob %s, %s: %s, from byte %d on. %s", shown(b.BlobID), shown(b.MimeType), size, b.first, b.Note)
	lines := []string{strings.TrimSpace(line)}
	var mark answer.Mark
	text := lines[0]
	if isText {
		whole := string(content)
		b.Text = &whole
		text, mark = fenced(lines, nil, []tools.TextField{{Name: "text", Text: whole}})
	} else if b.Size > 0 {
		b.Base64 = base64.StdEncoding.EncodeToString(content)
		text += "\nbase64: " + b.Base64
	}
	return tools.Result{Text: text, Mark: mark, Structured: b, Items: 1}
}

// textTypes are the media types of texts whose names do not say it.
var textTypes = pattern.Lazy(`^(text/.*|message/rfc822|.*\+(json|xml)|` +
	`application/(json|xml|yaml|x-yaml|javascript|x-ndjson|csv|toml))$`)
