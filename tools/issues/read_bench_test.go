package issues

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkRead measures what the making of large answers takes: their documents
// are read from files that are in memory. The medians are what to compare.
//
//	go test ./tools/issues -run '^$' -bench Read
func BenchmarkRead(b *testing.B) {
	root := workspaceOf(b, 1000)
	part := "## A part\n\nA sentence of the part. Another one.\n\n- an item\n- and another\n\n"
	for id, size := range map[string]int{"BIG-000001": 100_000, "BIG-000002": 5_000_000} {
		file := filepath.Join(root, ".wrangler", "issues", id+".md")
		check(b, os.WriteFile(file, []byte("---\nid: "+id+"\ntitle: Big\nstatus: open\n---\n"+strings.Repeat(part, size/len(part))), 0o644))
	}
	call := caller(b, root)
	call(b, "issues_stats", `{"groupBy":"type"}`) // has the index built
	ids := make([]string, maxBatch)
	for i := range ids {
		ids[i] = fmt.Sprintf("ISS-%06d", 1+i*7)
	}
	list, err := json.Marshal(ids)
	check(b, err)
	for _, c := range []struct{ name, tool, arguments string }{
		{"batch of 50", "issues_get_batch", fmt.Sprintf(`{"ids":%s}`, list)},
		{"batch of 50, large answer", "issues_get_batch", fmt.Sprintf(`{"ids":%s,"maxTokens":25000}`, list)},
		{"batch of 50, without text", "issues_get_batch", fmt.Sprintf(`{"ids":%s,"fields":["title","status"]}`, list)},
		{"list of 20", "issues_list", `{"limit":20}`},
		{"list of 100", "issues_list", `{"limit":100}`},
		{"full list of 25", "issues_list", `{"limit":25,"format":"full"}`},
		{"document of 100 KB", "issues_get", `{"id":"BIG-000001"}`},
		{"document of 5 MB", "issues_get", `{"id":"BIG-000002"}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			medianOf(b, func() { call(b, c.tool, c.arguments) })
		})
	}
}
