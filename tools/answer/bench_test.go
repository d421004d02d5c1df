package answer_test

import (
	"encoding/json"
	"strings"
	"testing"

	"issues-index/tools/answer"
)

// BenchmarkSqueeze measures both channels of an answer of 100 KB and cuts them.
func BenchmarkSqueeze(b *testing.B) {
	row := `{"id":"ISS-000001","title":"A title of a row","status":"open","description":"` + strings.Repeat("text ", 20) + `"}`
	object := json.RawMessage(`{"issues":[` + strings.TrimSuffix(strings.Repeat(row+",", 100_000/len(row)), ",") + `]}`)
	text := strings.Repeat("ISS-000001 open A title of a row [label,label] 2026-02-15\n", 100_000/58)
	b.SetBytes(int64(len(object) + len(text)))
	b.ReportAllocs()
	for b.Loop() {
		answer.Measure(text)
		answer.Measure(string(object))
		answer.Mark("").Squeeze(text, narrow, usual.Holds)
		answer.SqueezeObject(object, nil, narrow, holds)
	}
}
