package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"issues-index/tools/answer"
)

func TestPassageErrorsSayWhatToPass(t *testing.T) {
	const body = "intro\n\n# One\n\na\n\n## Two\n\nb\n\n# Three\n\nc"
	for _, c := range []struct{ arguments, body, say string }{
		{`{"section":"One","startLine":1}`, body, "section and startLine or endLine were both given"},
		{`{"startLine":5,"endLine":4}`, body, "Invalid endLine 4"},
		{`{"startLine":14}`, body, "the text has 13 lines"},
		{`{"section":"Nowhere"}`, body, "No section 'Nowhere'"},
		{`{"section":"t"}`, body, "No section 't'"},
		{`{"section":"t"}`, "# T\n\na\n\n# T\n", "2 sections fit 't'"},
		{`{"section":"x"}`, "no heading", "has no headings"},
		{`{"section":"x"}`, strings.Repeat("# A heading\n", 50), "40-40 A heading\nand 10 more"},
	} {
		args := NewArgs(Tool{
			Name: "read", ReadOnly: true,
			Input: json.RawMessage(`{"type":"object","properties":{"section":{"type":"string"},"startLine":{"type":"integer"},"endLine":{"type":"integer"}}}`),
		}, json.RawMessage(c.arguments))
		p := args.Passage()
		err := args.Err()
		if err == nil {
			_, err = p.Locate(c.body)
		}
		if err == nil || !strings.Contains(ErrorOf(err).Error(), c.say) {
			t.Errorf("%s: %v", c.arguments, ErrorOf(err))
		}
	}
}

func TestChunkCursorErrorsSayHowToGoOn(t *testing.T) {
	for reason, say := range map[answer.ChunkCursorReason]string{
		answer.CursorForeign:  "'abc' does not belong to page 4",
		answer.CursorOutdated: "call pages_get with the id again to start over, or with startLine 7",
		answer.CursorMismatch: "made with another section or other lines",
	} {
		err := fmt.Errorf("read: %w", &answer.ChunkCursorError{Cursor: "abc", Tool: "pages_get", Name: "page 4", Reason: reason, Line: 7})
		if got := ErrorOf(err).Error(); !strings.Contains(strings.ToLower(got), strings.ToLower(say)) {
			t.Errorf("%s", got)
		}
	}
}
