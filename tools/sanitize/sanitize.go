// Package sanitize copies HTML, and leaves out what a policy does not allow.
//
// It knows nothing of what the HTML is for. Its invariants: it writes no element and no attribute
// but those of the policy, and no script, style, comment or doctype under any policy; it escapes
// text and values again; what it has written it copies as it is. Nothing in it is made before it
// is used, so that a program that copies no HTML pays nothing for it. The tests have
// bluemonday judge what it writes.
package sanitize

import (
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"
)

// String returns HTML without what the policy does not allow.
func (p *Policy) String(source string) string {
	var clean strings.Builder
	_ = p.Copy(&clean, strings.NewReader(source)) // neither of the two has errors
	return clean.String()
}

// Copy copies HTML from a reader to a writer, without what the policy does not allow. It returns
// the first error of the two. What was written until then is sanitised.
func (p *Policy) Copy(w io.Writer, r io.Reader) error {
	c := copier{policy: p, out: w}
	tokens := html.NewTokenizer(r)
	for c.err == nil && tokens.Next() != html.ErrorToken {
		c.copy(tokens.Token())
	}
	if c.err == nil && !errors.Is(tokens.Err(), io.EOF) {
		c.err = tokens.Err()
	}
	return c.err
}

// A copier is the state of one copy.
type copier struct {
	policy *Policy
	out    io.Writer
	err    error // of the writer

	unwritten []string // open incomplete elements, whose end tags go too
	within    int      // how many open elements take their content with them
	raw       string   // the element that has just begun, if it is one without tags and entities
}

func (c *copier) copy(token html.Token) {
	in := c.raw
	c.raw = ""
	switch token.Type {
	case html.TextToken:
		if in != "" {
			token.Data = strings.Map(unmarked, token.Data)
		}
		if !neverStays(in) {
			c.write(token)
		}
	case html.StartTagToken, html.SelfClosingTagToken:
		c.start(token)
	case html.EndTagToken:
		c.end(token)
	}
}

func (c *copier) start(token html.Token) {
	closed := token.Type == html.SelfClosingTagToken
	if neverStays(token.Data) {
		if !closed {
			c.raw = token.Data
		}
		return
	}
	own, allowed := c.policy.Elements[token.Data]
	if !allowed {
		if c.policy.WithContent[token.Data] && !closed {
			c.within++
		}
		c.leaveOut()
		return
	}
	token.Attr = c.policy.attributes(token.Attr, own)
	if len(token.Attr) == 0 && c.policy.Incomplete[token.Data] {
		if !closed {
			c.unwritten = append(c.unwritten, token.Data)
		}
		c.leaveOut()
		return
	}
	c.write(token)
	if isRaw(token.Data) {
		c.raw = token.Data
	}
}

func (c *copier) end(token html.Token) {
	if neverStays(token.Data) {
		return
	}
	if last := len(c.unwritten) - 1; last >= 0 && c.unwritten[last] == token.Data {
		c.unwritten = c.unwritten[:last]
		c.leaveOut()
		return
	}
	if _, allowed := c.policy.Elements[token.Data]; allowed {
		c.write(token)
		return
	}
	if c.policy.WithContent[token.Data] && c.within > 0 {
		c.within--
	}
	c.leaveOut()
}

// attributes returns the attributes that stay. The tokenizer gives each name once.
func (p *Policy) attributes(given []html.Attribute, own Attributes) []html.Attribute {
	kept := given[:0]
	elsewhere := false
	for _, a := range given {
		value := own[a.Key]
		if value == nil {
			value = p.Everywhere[a.Key]
		}
		if value == nil || a.Key == "rel" && p.Unfollowed {
			continue
		}
		written, ok := value(a.Val)
		if !ok {
			continue
		}
		kept = append(kept, html.Attribute{Key: a.Key, Val: written})
		elsewhere = elsewhere || a.Key == "href" && leadsElsewhere(written)
	}
	if elsewhere && p.Unfollowed {
		kept = append(kept, html.Attribute{Key: "rel", Val: "nofollow noreferrer"})
	}
	return kept
}

func (c *copier) write(token html.Token) {
	if c.within == 0 && c.err == nil {
		_, c.err = io.WriteString(c.out, token.String())
	}
}

// leaveOut stands for a tag that goes.
func (c *copier) leaveOut() {
	if c.policy.Spaced && c.err == nil {
		_, c.err = io.WriteString(c.out, " ")
	}
}

// neverStays reports whether an element stays under no policy.
func neverStays(name string) bool { return name == "script" || name == "style" }

// isRaw reports whether HTML reads neither tags nor entities in an element.
func isRaw(name string) bool {
	switch name {
	case "iframe", "noembed", "noframes", "noscript", "plaintext", "xmp":
		return true
	}
	return false
}

// unmarked puts a space in the place of what is escaped elsewhere. An entity would be other text in
// a raw element, and a tag might end it where a browser takes the element for another kind.
func unmarked(r rune) rune {
	if strings.ContainsRune(`&<>"'`, r) {
		return ' '
	}
	return r
}
