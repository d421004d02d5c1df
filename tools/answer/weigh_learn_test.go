package answer

import (
	"bytes"
	"encoding/base64"
	"os"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"
)

// TestLearn writes the tables of Weigh anew, from o200k, real Markdown and texts
// that cost much. UPDATE_GOLDEN=1 with the corpora beside the repository.
func TestLearn(t *testing.T) {
	if os.Getenv("UPDATE_GOLDEN") != "1" {
		t.Skip("UPDATE_GOLDEN=1 learns anew, which takes a while")
	}
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	documents := realDocuments(t)
	if len(documents) == 0 {
		t.Fatal("there are no corpora to learn from")
	}
	l := lesson{t: t, codec: codec}
	for _, document := range documents {
		document = document[:min(len(document), 12000)]
		l.read(document, 1, usualMargin)
		l.read(asJSON(t, document[:len(document)/3]), 1, usualMargin)
		l.read(asRows(t, document), 1, usualMargin)
	}
	texts := hostile(1, 100000)
	for _, name := range names(texts) {
		if text := texts[name]; isASCII(text) {
			l.read(text, hostileShare, hostileMargin)
		}
	}
	l.write(t)
	writeCommon(t, codec)
}

// The texts that cost much count for this share, lest they make prose heavy,
// and are learnt with a larger margin.
const (
	usualMargin   = 1.05
	hostileShare  = 0.5
	hostileMargin = 1.4
)

// A lesson counts how often a token ends between two characters.
type lesson struct {
	t          *testing.T
	codec      tokenizer.Codec
	seen, ends [128][128]float64
}

func (l *lesson) read(text string, share, margin float64) {
	_, tokens, err := l.codec.Encode(text)
	if err != nil {
		l.t.Fatal(err)
	}
	before := byte(' ')
	for _, token := range tokens {
		for i := range len(token) {
			c := token[i]
			if c >= 128 {
				before = 0
				continue
			}
			l.seen[before][c] += share
			if i == 0 {
				l.ends[before][c] += share * margin
			}
			before = c
		}
	}
}

func (l *lesson) write(t *testing.T) {
	var table bytes.Buffer
	for _, a := range []byte(pairCharacters) {
		for _, b := range []byte(pairCharacters) {
			// What was never seen is taken for an end.
			share := (l.ends[a][b] + 2) / (l.seen[a][b] + 2)
			table.WriteByte(pairDigits[int(min(share, 1)*one+0.5)])
		}
		table.WriteByte('\n')
	}
	if err := os.WriteFile("pairs.txt", table.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func writeCommon(t *testing.T, codec tokenizer.Codec) {
	bits := make([]byte, (lastHan-firstHan+1+lastHangul-firstHangul+1+7)/8)
	at := 0
	for _, block := range [][2]rune{{firstHan, lastHan}, {firstHangul, lastHangul}} {
		for r := block[0]; r <= block[1]; r++ {
			count, err := codec.Count(string(r))
			if err != nil {
				t.Fatal(err)
			}
			if count == 1 {
				bits[at/8] |= 1 << (at % 8)
			}
			at++
		}
	}
	var table strings.Builder
	for encoded := base64.StdEncoding.EncodeToString(bits); encoded != ""; {
		end := min(len(encoded), 100)
		table.WriteString(encoded[:end] + "\n")
		encoded = encoded[end:]
	}
	if err := os.WriteFile("common.txt", []byte(table.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= 128 }) < 0
}
