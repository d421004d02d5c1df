package share

import (
	"bytes"
	"errors"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"issues-index/store/mirror"
)

// a is a version of a document of api.
func a(text string) DocumentVersion {
	v := DocumentVersion{Branch: mirror.Branch{Workspace: "api", Name: "main"}, Path: ".wrangler/issues/ä b%.md", Origin: Origin{Epoch: "e", Rev: 3}, Fence: 4, Commit: "ab", Data: []byte(text)}
	v.Hash = HashOf(v.Data)
	return v
}

// What Parse accepts is what Header writes: nothing else passes for a version.
func FuzzParseHeader(f *testing.F) {
	v := a("text")
	subject, header := DocumentSubject(v.Branch, v.Path), v.Header()
	f.Add(subject, v.ID(), header[headerDocument][0], "4", "ab", "", "", "0", []byte("text"))
	f.Add(subject, v.ID(), "1 "+strings.Repeat("0", 32)+" .wrangler/issues/%C3%A4%20b%25.md", "", "", "1", "", "8", []byte(nil))
	f.Add(subject, v.ID(), header[headerDocument][0], "", "", "", "3", "9", []byte("no zstd"))
	f.Add("docs.api.main.x", "api/main//1", "1  ", "x", "X", "1", "65", "", []byte(nil))
	var p Packer
	f.Fuzz(func(t *testing.T, subject, id, document, fence, commit, gone, pieces, replaces string, body []byte) {
		header := map[string][]string{}
		for name, value := range map[string]string{headerID: id, headerDocument: document, headerFence: fence, headerCommit: commit, headerGone: gone, headerPieces: pieces, headerReplaces: replaces, headerStream: DocumentStream} {
			if value != "" {
				header[name] = []string{value}
			}
		}
		wrong := new(MessageError)
		s, err := ParseHeader(subject, header, 9)
		if err != nil {
			if !errors.As(err, &wrong) || wrong.Position != 9 {
				t.Fatalf("%v", err)
			}
			return
		}
		if strings.Contains("/"+s.Path+"/", "/../") || s.Position != 9 || DocumentSubject(s.Branch, s.Path) != subject {
			t.Fatalf("%+v", s)
		}
		again, err := ParseHeader(subject, s.Header(), 9)
		if err != nil || !reflect.DeepEqual(again, s) {
			t.Fatalf("%+v is written and read as %+v: %v", s, again, err)
		}
		v, err := s.WithBody(&p, body)
		if err != nil && (!errors.As(err, &wrong) || wrong.Position != 9) {
			t.Fatalf("%v", err)
		}
		if err == nil && !v.Gone && HashOf(v.Data) != s.Hash {
			t.Fatalf("%q is not what the header says", v.Data)
		}
	})
}

// Whatever a body is, no more is unpacked than a document may have, nor than the body says.
func TestUnpackingTakesNoMoreThanADocumentMayHave(t *testing.T) {
	var p Packer
	pack := func(size int) []byte {
		t.Helper()
		packed, err := p.Pack(make([]byte, size))
		if err != nil {
			t.Fatal(err)
		}
		return packed
	}
	var unsized bytes.Buffer
	w, err := zstd.NewWriter(&unsized)
	if err != nil {
		t.Fatal(err)
	}
	for range MaxDocument / 1024 {
		_, _ = w.Write(make([]byte, 1024)) // never fails
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	larger := pack(1000)
	larger[6]++ // the lower byte of its size
	for name, body := range map[string][]byte{
		"a larger one":                   pack(MaxDocument + 1),
		"many in one":                    bytes.Repeat(pack(MaxDocument), 1000),
		"a small one and a large one":    append(pack(100), pack(MaxDocument)...),
		"one that does not say its size": unsized.Bytes(),
		"many that do not say theirs":    bytes.Repeat(unsized.Bytes(), 1000),
		"one that says too much":         larger,
		"a header alone":                 pack(MaxDocument)[:12],
		"something else":                 []byte("no body"),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		data, err := p.Unpack(body)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > MaxDocument+4<<20 {
			t.Errorf("%s: %d bytes were unpacked, which took %d: %v", name, len(data), took, err)
		}
	}
	for _, size := range []int{0, 1, 255, 256, 100_000, MaxDocument} {
		packed := pack(size)
		data, err := p.Unpack(packed)
		if err != nil || len(data) != size {
			t.Errorf("of %d bytes %d were unpacked: %v", size, len(data), err)
		}
	}
}

func TestABodyOfAnotherHashIsRefused(t *testing.T) {
	var p Packer
	v := a("text")
	s, err := ParseHeader(DocumentSubject(v.Branch, v.Path), v.Header(), 1)
	if err != nil {
		t.Fatal(err)
	}
	right, err := p.Pack(v.Data)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.WithBody(&p, right); err != nil || !bytes.Equal(got.Data, v.Data) {
		t.Errorf("%+v %v", got, err)
	}
	other, err := p.Pack([]byte("other"))
	if err != nil {
		t.Fatal(err)
	}
	wrong := new(MessageError)
	for _, body := range [][]byte{other, []byte("no zstd"), nil} {
		if _, err := s.WithBody(&p, body); !errors.As(err, &wrong) {
			t.Errorf("%q: %v", body, err)
		}
	}
}

// A server brings its answers to any subject, also into other workspaces.
func TestACopyFromAnotherPlaceIsNoVersion(t *testing.T) {
	v := a("text")
	header := v.Header()
	for _, copied := range [][]string{{"DOCS"}, {"", "DOCS"}} { // an empty one is the sender's
		header[headerCopied] = copied
		if _, err := ParseHeader(DocumentSubject(v.Branch, v.Path), header, 9); err == nil {
			t.Errorf("a message from an answer with a message passes with %q", copied)
		}
	}
}

func TestAnyTextIsOnePartOfASubject(t *testing.T) {
	for text, want := range map[string]string{"iss-41": "iss-41", "a.b c*>": "a=2eb=20c=2a=3e", "ß": "=c3=9f", "=": "=3d"} {
		if got := SubjectToken(text); got != want {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}
