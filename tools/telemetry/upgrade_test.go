package telemetry

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// newOldBench has a file as the program's first version made it, with one call.
func newOldBench(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	schema, err := os.ReadFile(filepath.Join("testdata", "version1.sql"))
	if err != nil {
		t.Fatal(err)
	}
	one := &tally{calls: 1, bytes: 1000, original: 4000}
	at := b.clock.Now().Unix()
	b.exec(fmt.Sprintf("PRAGMA auto_vacuum = 2; %s PRAGMA application_id = %d; PRAGMA user_version = 1;", schema, applicationID))
	b.exec(fmt.Sprintf(`INSERT INTO series VALUES (1, 'issues_list', 'old 1', 'plain', 0, 'on');
		INSERT INTO call VALUES (%d, 1, 1, 300, 1000, 4000, 4000, 0, 10, 2000, NULL)`, at*1000))
	for _, span := range []int64{minute, hour, day} {
		for _, in := range []int64{1, everything} {
			b.exec(fmt.Sprintf(`INSERT INTO rollup VALUES (%d, %d, %d, x'%x')`, span, in, floor(at, span), one.encode()))
		}
	}
	return b
}

func TestAFileOfAnOlderVersionGoesOn(t *testing.T) {
	t.Run("read as it is", func(t *testing.T) {
		b := newOldBench(t)
		if total := b.summary(Filter{}, ByTool).Total; total.Calls != 1 || total.Oversized != 0 {
			t.Errorf("%+v", total)
		}
	})
	t.Run("and upgraded by the first call that is recorded", func(t *testing.T) {
		b := newOldBench(t)
		r := b.record()
		call := b.call("issues_list")
		call.Oversized = true
		r.Record(call)
		b.flush(r)
		if total := b.summary(Filter{}, ByTool).Total; total.Calls != 2 || total.Oversized != 1 || total.SentOversized != 0 {
			t.Errorf("%+v", total)
		}
		if n := b.count(`SELECT sum(oversized) FROM calls`); n != 1 {
			t.Errorf("%d calls are on record as oversized", n)
		}
		if n := b.count(`SELECT user_version FROM pragma_user_version`); n != version {
			t.Errorf("the file is of version %d", n)
		}
		if lines := b.log.lines("WARN"); len(lines) > 0 {
			t.Errorf("logged %q", lines)
		}
	})
}
