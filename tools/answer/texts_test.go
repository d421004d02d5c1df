package answer

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// corporaRoot holds real Markdown trees. It lies beside the repository, not in it.
const corporaRoot = "../../../shared/corpora"

// realDocuments returns the real documents in the order of their paths, none where
// there are none, which it says.
func realDocuments(t testing.TB) []string {
	t.Helper()
	var documents []string
	err := filepath.WalkDir(corporaRoot, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".md") {
			return err
		}
		text, err := os.ReadFile(path)
		documents = append(documents, string(text))
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		t.Logf("no corpora at %s: no real documents are looked at", corporaRoot)
	} else if err != nil {
		t.Fatal(err)
	}
	return documents
}

// asJSON is an answer that holds a document.
func asJSON(t testing.TB, document string) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"issue": map[string]string{"id": "ISS-000001", "description": document}})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// asRows is an answer that lists the lines of a document as titles.
func asRows(t testing.TB, document string) string {
	t.Helper()
	type row struct {
		ID      string   `json:"id"`
		Title   string   `json:"title"`
		Status  string   `json:"status"`
		Labels  []string `json:"labels,omitempty"`
		Updated string   `json:"updated"`
	}
	var rows []row
	for i, line := range strings.Split(document, "\n") {
		if line = strings.TrimSpace(line); len(line) > 20 && len(line) < 120 && len(rows) < 25 {
			r := row{ID: fmt.Sprintf("ISS-%06d", i*37), Title: line, Status: []string{"open", "closed", "in_progress"}[i%3], Updated: fmt.Sprintf("2026-%02d-%02d", i%12+1, i%28+1)}
			words := strings.Fields(strings.ToLower(line))
			r.Labels = words[:min(i%3, len(words))]
			rows = append(rows, r)
		}
	}
	text, err := json.Marshal(map[string]any{"issues": rows, "totalCount": 142, "nextCursor": "k3f9w2"})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
	signs  = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
)

// hostile returns texts that cost much, each of about so many bytes.
func hostile(seed uint64, size int) map[string]string {
	random := rand.New(rand.NewPCG(seed, seed))
	from := func(alphabet string, size int) string {
		characters := []rune(alphabet)
		var text strings.Builder
		for text.Len() < size {
			text.WriteRune(characters[random.IntN(len(characters))])
		}
		return text.String()
	}
	span := func(first, last rune) string {
		var alphabet strings.Builder
		for r := first; r <= last; r++ {
			alphabet.WriteRune(r)
		}
		return from(alphabet.String(), size)
	}
	lines := func(line func() string) string {
		var text strings.Builder
		for text.Len() < size {
			text.WriteString(line() + "\n")
		}
		return text.String()
	}
	raw := make([]byte, size/2)
	for i := range raw {
		raw[i] = byte(random.IntN(256))
	}
	texts := map[string]string{
		"hexadecimal":          hex.EncodeToString(raw),
		"HEXADECIMAL":          strings.ToUpper(hex.EncodeToString(raw)),
		"base64":               base64.StdEncoding.EncodeToString(raw),
		"base64 of URLs":       base64.URLEncoding.EncodeToString(raw),
		"letters":              from(lower+upper, size),
		"small letters":        from(lower, size),
		"capitals":             from(upper, size),
		"letters and digits":   from(lower+upper+digits, size),
		"digits":               from(digits, size),
		"signs":                from(signs, size),
		"printable":            from(lower+upper+digits+signs, size),
		"printable and spaces": from(lower+upper+digits+signs+"   \n", size),
		"words of no language": lines(func() string { return from(lower, 2+random.IntN(9)) }),
		"UUIDs": lines(func() string {
			id := from("0123456789abcdef", 32)
			return id[:8] + "-" + id[8:12] + "-" + id[12:16] + "-" + id[16:20] + "-" + id[20:]
		}),
		"a table of numbers": lines(func() string {
			return fmt.Sprintf("| %d | %.2f | %d,%d |", random.IntN(100000), random.Float64()*1000, random.IntN(10), random.IntN(99))
		}),
		"a list of numbers": lines(func() string {
			return fmt.Sprintf("[%d,%.4f,-%d]", random.IntN(1e9), random.Float64(), random.IntN(10))
		}),
		"times": lines(func() string {
			return fmt.Sprintf("2026-%02d-%02dT%02d:%02d:%02d.%03dZ", random.IntN(12)+1, random.IntN(28)+1, random.IntN(24), random.IntN(60), random.IntN(60), random.IntN(1000))
		}),
		"paths": lines(func() string {
			return "src/" + from(lower, 4) + "/" + from(lower+upper, 12) + "_" + from(digits, 3) + ".ts:" + from(digits, 2)
		}),
		"a hexadecimal word": strings.Repeat("deadbeef00c0ffee", size/16),
		"rows of them":       strings.Repeat(`{"id":"HOS-000007","title":"deadbeef00c0ffee1234567890abcdef`+"`"+`","status":"open"},`, size/80),
		"control characters": from("\x01\x02\x03\x04\x05\x0e\x0f\x10\x1b\x7f", size),
	}
	for name, block := range map[string][2]rune{
		"Latin with marks": {0xC0, 0x17F}, "marks": {0x300, 0x36F}, "Greek": {0x3B1, 0x3C9}, "Cyrillic": {0x410, 0x44F},
		"Hebrew": {0x5D0, 0x5EA}, "Arabic": {0x627, 0x64A}, "Devanagari": {0x905, 0x939}, "Tamil": {0xB85, 0xBB9},
		"Thai": {0xE01, 0xE2E}, "Georgian": {0x10D0, 0x10F0}, "Ethiopic": {0x1200, 0x1357}, "Khmer": {0x1780, 0x17B3},
		"Vietnamese": {0x1EA0, 0x1EF9}, "arrows": {0x2190, 0x21FF}, "formulas": {0x2200, 0x22FF}, "boxes": {0x2500, 0x257F},
		"symbols": {0x2600, 0x26FF}, "Braille": {0x2800, 0x28FF}, "Hiragana": {0x3041, 0x3096}, "Katakana": {0x30A1, 0x30FA},
		"Han": {0x4E00, 0x9FFF}, "rare Han": {0x3400, 0x4DBF}, "rarest Han": {0x20000, 0x2A6DF}, "Hangul": {0xAC00, 0xD7A3},
		"private": {0xE000, 0xF8FF}, "wide": {0xFF01, 0xFF5E}, "faces": {0x1F600, 0x1F64F}, "emoji": {0x1F300, 0x1F5FF},
		"more emoji": {0x1F900, 0x1F9FF}, "letters of formulas": {0x1D400, 0x1D7FF}, "cuneiform": {0x12000, 0x12399}, "tags": {0xE0020, 0xE007F},
	} {
		texts[name] = span(block[0], block[1])
	}
	return texts
}

// languages has a sentence or two in languages that people write issues in.
var languages = map[string]string{
	"English":    "The watcher reports a change, and the next call of any tool sees it. The service holds the issues of one workspace.",
	"German":     "Der Beobachter meldet eine Änderung, und der nächste Aufruf eines beliebigen Werkzeugs sieht sie. Größere Übersichten folgen später.",
	"French":     "L'observateur signale un changement, et l'appel suivant de n'importe quel outil le voit. Été, à côté, déjà vu.",
	"Polish":     "Obserwator zgłasza zmianę, a następne wywołanie dowolnego narzędzia ją widzi. Źródło żółci gęślą jaźń.",
	"Vietnamese": "Người theo dõi báo cáo một thay đổi và lệnh gọi tiếp theo của bất kỳ công cụ nào cũng thấy thay đổi đó.",
	"Russian":    "Быстрая лиса прыгает через ленивую собаку, и следующий вызов любого инструмента видит это изменение.",
	"Greek":      "Η γρήγορη αλεπού πηδά πάνω από το τεμπέλικο σκυλί και η επόμενη κλήση βλέπει την αλλαγή.",
	"Hebrew":     "הצופה מדווח על שינוי, והקריאה הבאה של כל כלי רואה אותו. השירות מחזיק את הבעיות והמפרטים.",
	"Arabic":     "يبلغ المراقب عن تغيير وتراه المكالمة التالية لأي أداة. تحتفظ هذه الخدمة بالمشكلات والمواصفات.",
	"Hindi":      "द्रष्टा एक परिवर्तन की रिपोर्ट करता है और किसी भी उपकरण की अगली कॉल इसे देखती है।",
	"Thai":       "ผู้เฝ้าดูรายงานการเปลี่ยนแปลง และการเรียกใช้เครื่องมือครั้งต่อไปจะเห็นการเปลี่ยนแปลงนั้น",
	"Chinese":    "观察者报告更改,任何工具的下一次调用都会看到它。该服务保存一个工作区的问题、规范和想法。",
	"Japanese":   "ウォッチャーが変更を報告し、次のツール呼び出しでそれが反映されます。このサービスは問題と仕様を保持します。",
	"Korean":     "감시자가 변경 사항을 보고하면 다음 도구 호출에서 이를 확인합니다. 이 서비스는 문제와 사양을 보관합니다.",
}

func names(texts map[string]string) []string { return slices.Sorted(maps.Keys(texts)) }
