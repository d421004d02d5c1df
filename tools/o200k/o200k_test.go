package o200k

import (
	"bytes"
	"compress/zlib"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

const vocabularyFile = "o200k_base.zlib"

// The packed vocabulary is that of the tokenizer that programs in Go use. With
// UPDATE_GOLDEN=1 in the environment its file is written.
func TestVocabulary(t *testing.T) {
	t.Parallel()
	theirs := codec.NewO200kBase()
	var want bytes.Buffer
	for rank := range uint(tokens) {
		token, err := theirs.Decode([]uint{rank})
		if err != nil || len(token) > 255 {
			t.Fatalf("token %d has %d bytes: %v", rank, len(token), err)
		}
		want.WriteByte(byte(len(token)))
		want.WriteString(token)
	}
	if _, err := theirs.Decode([]uint{tokens}); err == nil {
		t.Error("there are more tokens")
	}
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := os.WriteFile(vocabularyFile, compressed(t, want.Bytes()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(vocabularyFile)
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := zlib.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(unpacked); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s has another vocabulary (UPDATE_GOLDEN=1 writes it): %v", vocabularyFile, err)
	}
}

func compressed(t *testing.T, data []byte) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := zlib.NewWriterLevel(&file, zlib.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// samples are texts of many kinds; spaces have a rule of their own.
var samples = []string{
	"", "a", " ", "  ", "\n", " \n ", "a  b", "a   \n\n  b\r\n\tc  ", "\u00a0\u2003 x\u2028\u0085y\vz", "tab\t\tend  ",
	"I'm sure they'RE what we'd've'S", "it’s ‘quoted’", "CamelCaseHTTPServer snake_case", "12345678.90", "٣٤٥٦",
	`{"id":"ISS-000001","labels":["a","b"],"path":".wrangler/issues/a.md"}`, "```go\nfunc main() {}\n```\n//////\n\n///",
	"Straße, naïve, Ärger, ﬁne, ſ'ſ", "Привет, мир! Ещё раз.", "日本語の文章です。漢字かな交じり文。", "한국어 문장", "नमस्ते दुनिया", "שלום עולם",
	"👩‍👩‍👧‍👦 🇩🇪 e\u0301 a\u0308", "\x00\x01", strings.Repeat("=", 300), strings.Repeat(" ", 300) + "x", strings.Repeat("ab", 400),
	"<|endoftext|>",
}

func TestCountIsThatOfTheTokenizer(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("no documents", err)
	}
	texts := samples
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	for _, text := range texts {
		same(t, text)
	}
}

func FuzzCount(f *testing.F) {
	for _, sample := range samples {
		f.Add(sample)
	}
	f.Add("\xff\xfe a\x80\x7f")
	f.Fuzz(same)
}

// blankLine is an empty line with space in it. The generated expression of the tokenizer
// ends a piece at its first line end; the expression itself goes on to the last, and the
// vocabulary has such pieces.
var blankLine = regexp.MustCompile(`[\r\n][\s\v\x{85}\p{Z}]*[\t\f\v \x{85}\p{Z}][\s\v\x{85}\p{Z}]*[\r\n]`)

// same holds a count to that of the tokenizer, but for texts that the tokenizer reads
// differently: bytes that are not UTF-8 are others to it, DEL is nothing, long words are
// counted as a whole, and blank lines as two.
func same(t *testing.T, text string) {
	got := Count(text)
	if !utf8.ValidString(text) || strings.Contains(text, "\x7f") || longest(text) > maxPiece || blankLine.MatchString(text) {
		return
	}
	if want, err := codec.NewO200kBase().Count(text); err != nil || got != want {
		t.Errorf("%d tokens were counted in %.100q, which has %d: %v", got, text, want, err)
	}
}

// The vocabulary has a line end, a space and a line end as one token.
func TestABlankLineIsOneToken(t *testing.T) {
	t.Parallel()
	if got := Count("0\n \n0"); got != 3 {
		t.Errorf("%d tokens were counted, not 0, the blank line and 0", got)
	}
}

// longest is the length of the longest piece of a text.
func longest(text string) (most int) {
	for text != "" {
		next := piece(text)
		most, text = max(most, len(next)), text[len(next):]
	}
	return most
}

// A word without end, which nobody wrote to be read, is counted in parts.
func TestALongWordIsCountedInParts(t *testing.T) {
	t.Parallel()
	const parts = 10
	for _, letters := range []string{"x", "Ab", "日本", "qzj"} {
		word := strings.Repeat(letters, parts*maxPiece/len(letters))
		want, err := codec.NewO200kBase().Count(word)
		if got := Count(word); err != nil || got < want || got > want+2*parts {
			t.Errorf("%q...: %d tokens, not about %d: %v", letters, got, want, err)
		}
	}
}
