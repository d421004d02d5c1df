package issues

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/store"
	"issues-index/tools"
	"issues-index/tools/answer"
	"issues-index/tools/toolstest"
)

// BenchmarkGuard measures what the guard adds to a call: each call is made with
// it and without it in turn, so that a busy machine does not favour either. A
// plain list fits and is only measured; 100 KB have to be made smaller.
//
//	go test ./tools/issues -run '^$' -bench Guard
func BenchmarkGuard(b *testing.B) {
	root := workspaceOf(b, 1000)
	for id, body := range map[string]string{
		"BIG-000001": strings.Repeat("## A part\n\nA sentence of the part. Another one.\n\n", 2000),
		"BIG-000002": strings.Repeat("検索の索引は文書から作られる。", 2200),
	} {
		file := filepath.Join(root, ".wrangler", "issues", id+".md")
		check(b, os.WriteFile(file, []byte("---\nid: "+id+"\ntitle: Big\nstatus: open\n---\n"+body), 0o644))
	}
	ws, err := store.Open(store.Options{Root: root})
	check(b, err)
	ix, err := index.Open(b.Context(), ws, index.Options{Mode: index.ModeWatch})
	check(b, err)
	b.Cleanup(func() {
		check(b, ix.Close())
		check(b, ws.Close())
	})
	off := answer.Defaults()
	off.Off = true
	var servers [2]*tools.Server
	for i, settings := range []*answer.Settings{answer.Defaults(), off} {
		servers[i], err = tools.NewServer(tools.Config{
			Name: "bench", Version: "0", Toolsets: []tools.Toolset{Toolset(ix)}, Settings: func() *answer.Settings { return settings },
		})
		check(b, err)
	}
	for _, c := range []struct{ name, tool, arguments string }{
		{"plain list", "issues_list", `{}`},
		{"list of 100 KB", "issues_list", `{"format":"full","limit":25}`},
		{"document of 100 KB", "issues_get", `{"id":"BIG-000001"}`},
		{"document of 100 KB in Japanese", "issues_get", `{"id":"BIG-000002"}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			message := json.RawMessage(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, c.tool, c.arguments))
			var took [2][]time.Duration
			toolstest.Send(b.Context(), servers[0], message) // builds the index
			for n := 0; b.Loop(); n++ {
				for i := range servers {
					which := (n + i) % 2
					start := time.Now()
					_, err := json.Marshal(toolstest.Send(b.Context(), servers[which], message))
					took[which] = append(took[which], time.Since(start))
					check(b, err)
				}
			}
			for i, name := range []string{"on", "off"} {
				slices.Sort(took[i])
				b.ReportMetric(float64(took[i][len(took[i])/2].Microseconds()), name+"-p50-µs")
				b.ReportMetric(float64(took[i][len(took[i])*95/100].Microseconds()), name+"-p95-µs")
			}
			b.ReportMetric(0, "ns/op") // of both together: says nothing
		})
	}
}
