package o200k

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
	"pgregory.net/rapid"
)

// reference is what a count has to be.
var reference = sync.OnceValues(func() (tokenizer.Codec, error) { return tokenizer.Get(tokenizer.O200kBase) })

const white = `\t-\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}`

// pattern is the one that pieceLength has, for an engine that cannot look ahead:
// its last two lines are one here.
var pattern = regexp.MustCompile(strings.ReplaceAll(strings.Join([]string{
	`^(?:[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
	`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
	`\p{N}{1,3}`, ` ?[^WHITE\p{L}\p{N}]+[\r\n/]*`, `[WHITE]*[\r\n]+`, `([WHITE]+))`,
}, "|"), "WHITE", white))

// split is a text in pieces, by the pattern.
func split(text string) (pieces []string) {
	for text != "" {
		found := pattern.FindStringSubmatchIndex(text)
		n := found[1]
		if found[2] >= 0 && n < len(text) { // (?!\S)
			if _, width := utf8.DecodeLastRuneInString(text[:n]); width < n {
				n -= width
			}
		}
		pieces, text = append(pieces, text[:n]), text[n:]
	}
	return pieces
}

// misread is what code made from the pattern, which the reference has, takes
// otherwise: it splits blank lines once more, and passes over the sign DEL.
var misread = regexp.MustCompile(`[\r\n][^\r\n]+[\r\n]|\x7f`)

// check returns what is wrong with how a text is counted.
func check(text string) error {
	codec, err := reference()
	if err != nil {
		return err
	}
	sum, whole := 0, Count(text)
	for _, piece := range split(text) {
		if n := pieceLength(text); text[:n] != piece {
			return fmt.Errorf("of %q the first piece is %q, not %q", text, piece, text[:n])
		}
		text = text[len(piece):]
		got := ranks().merge(piece)
		sum += got
		if want, err := codec.Count(piece); err != nil || got != want && !misread.MatchString(piece) {
			return fmt.Errorf("%q has %d tokens, not %d: %w", piece, want, got, err)
		}
	}
	if sum != whole {
		return fmt.Errorf("%d tokens were counted, not %d", whole, sum)
	}
	return nil
}

// TestVocabulary holds the file to the reference's ranks; UPDATE_GOLDEN=1 writes it.
func TestVocabulary(t *testing.T) {
	codec, err := reference()
	if err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	for id := uint(0); ; id++ {
		token, err := codec.Decode([]uint{id})
		if err != nil {
			break
		}
		if len(token) > 128 {
			t.Fatalf("%q is too long", token)
		}
		all.WriteByte(byte(len(token)))
		all.WriteString(token)
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile("vocabulary.bin", all.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if file != all.String() {
		t.Error("vocabulary.bin has other tokens: write it with UPDATE_GOLDEN=1")
	}
}

func TestCount(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":               "",
		"words":                 "The quick brown fox jumps over the lazy dog.",
		"case in words":         "getHTTPResponse IDs XMLHttp ABCdef aBC ǅa ʰʰ",
		"contractions":          "it's IT'S we'll They'RE I'm o'd 'tis x'vex don'T",
		"numbers":               "1 12 123 1234 1234567 ٣٤٥٦ Ⅷ½",
		"white space":           "a  b   c\n\n  d \t\n e\r\n\r\n   \u00a0\u2003x ",
		"only white space":      "   ",
		"line ends in the end":  "a\n \n",
		"signs":                 "// == != ->\n/* */ #!/bin/sh\n$$$/\n/",
		"marks":                 "e\u0301te\u0301 \u0301\u0301 \u0301A \u0301a क्षि",
		"other scripts":         "検索の索引 索引を作る Привет мир שלום مرحبا 한국어",
		"emoji":                 "👍🏽 👩‍👩‍👧 ✔️",
		"a long piece":          strings.Repeat("x", 5000) + strings.Repeat("=", 999),
		"a long piece of merge": strings.Repeat("abcdefghij", 300),
	} {
		t.Run(name, func(t *testing.T) {
			if err := check(text); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("documents", func(t *testing.T) {
		err := filepath.WalkDir("../../../testdata", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil || !utf8.Valid(text) {
				return err
			}
			return check(string(text))
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	t.Run("any text", func(t *testing.T) {
		chars := rapid.OneOf(
			rapid.RuneFrom([]rune(" \t\r\n/'.aAsStTvVeErRlLdDmM019é検\u0301ǅʰ\u00a0\u0085\u2028ſK")),
			rapid.RuneFrom(nil, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Lm, unicode.Lo, unicode.M, unicode.N, unicode.Z, unicode.P, unicode.S, unicode.C),
		)
		rapid.Check(t, func(rt *rapid.T) {
			text := strings.ToValidUTF8(rapid.StringOfN(chars, 0, 60, -1).Draw(rt, "text"), "")
			if err := check(text); err != nil {
				rt.Fatal(err)
			}
		})
	})
}

// FuzzCount: whatever the bytes, the pieces are the text, and counting ends.
func FuzzCount(f *testing.F) {
	f.Add("it's 1234 \xff\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		var pieces []string
		for rest := text; rest != ""; rest = rest[len(pieces[len(pieces)-1]):] {
			pieces = append(pieces, rest[:pieceLength(rest)])
		}
		if slices.Contains(pieces, "") {
			t.Fatalf("%q has an empty piece: %q", text, pieces)
		}
		if n := Count(text); n < len(pieces) || n > len(text) {
			t.Fatalf("%q has %d tokens in %d pieces", text, n, len(pieces))
		}
		if utf8.ValidString(text) {
			if err := check(text); err != nil {
				t.Fatal(err)
			}
		}
	})
}
