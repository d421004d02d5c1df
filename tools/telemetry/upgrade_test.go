package telemetry

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestFilesOfOlderVersionsAreUpgraded(t *testing.T) {
	for old := 1; old < format.Version; old++ {
		t.Run(fmt.Sprintf("version %d", old), func(t *testing.T) {
			b := newBench(t)
			schema, err := os.ReadFile(filepath.Join("testdata", fmt.Sprintf("version%d.sql", old)))
			if err != nil {
				t.Fatal(err)
			}
			b.exec(fmt.Sprintf("PRAGMA auto_vacuum = 2; %s PRAGMA application_id = %d; PRAGMA user_version = %d;", schema, format.Application, old))
			b.exec(fmt.Sprintf(`INSERT INTO series VALUES (1, 'issues_list', 'old 1', 'plain', 0, 'on');
				INSERT INTO call (time, n, series, tokens, bytes, original, budget, over, items, latency, real_tokens)
				VALUES (%d, 1, 1, 300, 1000, 4000, 4000, 0, 10, 2000, NULL), (%[1]d, 2, 1, 300, 1000, 4000, 4000, 0, 10, 2000, 200);
				INSERT INTO rollup (span, series, start, tally) VALUES (60, 1, 0, zeroblob(100000))`, b.clock.Now().UnixMilli()))

			want := Figures{
				Calls: 2, Items: 20, Bytes: 2000, Original: 8000, Tokens: 600,
				TokensP50: 300, TokensP95: 300, BytesP50: 1000, BytesP95: 1000, LatencyP50: 2, LatencyP95: 2,
				MeanBytes: 1000, Reduction: 0.75, Estimate: Estimate{Sampled: 1, MeanError: 0.5, P95Error: 0.5},
			}
			if total := b.summary(CallFilter{}, ByTool).Total; total != want {
				t.Errorf("before the upgrade the figures are\n%+v, want\n%+v", total, want)
			}

			b.exec(`DROP TABLE state`) // a damaged figure must not keep the calls from being upgraded
			r := b.record()
			call := b.call("issues_list")
			call.Oversized = true
			r.Record(call)
			b.flush(r)
			if total := b.summary(CallFilter{}, ByTool).Total; total.Calls != 3 || total.Bytes != 3000 || total.Oversized != 1 || total.SentOversized != 0 {
				t.Errorf("after the upgrade the figures are %+v", total)
			}
			if n := b.count(`SELECT sum(oversized) FROM calls`); n != 1 {
				t.Errorf("%d calls are recorded as oversized", n)
			}
			if n := b.count(`SELECT user_version FROM pragma_user_version`); n != int64(format.Version) {
				t.Errorf("the file has version %d", n)
			}
			if n := b.count(`SELECT count(*) FROM sqlite_schema WHERE name IN ('rollup', 'state')`); n != 0 {
				t.Errorf("%d old tables are left", n)
			}
			if n := b.count(`SELECT freelist_count FROM pragma_freelist_count`); n != 0 {
				t.Errorf("%d pages of the old tables are left", n)
			}
			if lines := b.log.lines("WARN"); len(lines) > 0 {
				t.Errorf("logged %q", lines)
			}
		})
	}
}
