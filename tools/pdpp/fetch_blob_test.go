package pdpp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"issues-index/tools"
	"issues-index/tools/pdpp/pdpptest"
	"issues-index/tools/toolstest"
)

func blobOf(t *testing.T, answer toolstest.Answer) (b blob) {
	t.Helper()
	if err := json.Unmarshal(answer.Structured, &b); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRangesOfABlobJoin(t *testing.T) {
	for name, test := range map[string]struct {
		mediaType string
		content   string
	}{
		"text":          {"text/plain; charset=utf-8", strings.Repeat("Zeile mit Ümlaut 記録 👩‍👧.\n", 1500)},
		"JSON":          {"application/ld+json", strings.Repeat(`{"a":"\u0000<&>"}`, 1500)},
		"bytes":         {"application/octet-stream", strings.Repeat("\x00\xff\x10\x80", 4000)},
		"broken text":   {"text/plain", strings.Repeat("ab\xff", 3000)},
		"a little text": {"text/csv", "a,b\n"},
	} {
		for _, ranges := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, ranges: %v", name, ranges), func(t *testing.T) {
				f := open(t)
				if ranges {
					f.rs.ServeRanges()
				}
				f.rs.AddBlob("b1", test.mediaType, []byte(test.content))
				for _, next := range []string{"bytes=0-9000", "bytes=0-"} {
					join(t, f, next, test.content)
				}
			})
		}
	}
}

func TestBlobSaysHowManyBytesItShows(t *testing.T) {
	for _, ranges := range []bool{false, true} {
		f := open(t)
		if ranges {
			f.rs.ServeRanges()
		}
		f.rs.AddBlob("b1", "image/png", []byte(strings.Repeat("\x00\xff", 5000)))
		for given, want := range map[string]string{
			"":                 "Blob b1, image/png: 2048 of 10000 bytes, from byte 0 on. Next: ",
			"bytes=9000-9099":  "Blob b1, image/png: 100 of 10000 bytes, from byte 9000 on. Next: ",
			"bytes=9999-20000": "Blob b1, image/png: 1 of 10000 bytes, from byte 9999 on.\n",
		} {
			args := arguments{"blob_id": "b1"}
			if given != "" {
				args["range"] = given
			}
			if _, answer := f.must(t, "fetch_blob", args); !strings.HasPrefix(answer.Text(), want) {
				t.Errorf("%q, ranges %v: %.200s", given, ranges, answer.Text())
			}
		}
	}
}

// join reads a blob in parts, the first of which is asked for, and fails the test unless
// they are the whole.
func join(t *testing.T, f *fixture, next, whole string) {
	t.Helper()
	joined := ""
	for calls := 0; next != "" && calls < 100; calls++ {
		_, answer := f.must(t, "fetch_blob", arguments{"blob_id": "b1", "range": next})
		within(t, answer)
		b := blobOf(t, answer)
		part := b.Base64
		if b.Text != nil {
			part = *b.Text
			joined += part
		} else {
			content, err := base64.StdEncoding.DecodeString(b.Base64)
			if err != nil {
				t.Fatal(err)
			}
			joined += string(content)
		}
		if !strings.Contains(answer.Text(), part) || !strings.Contains(answer.Text(), b.NextRange) || b.Total != len(whole) {
			t.Fatalf("the text says another thing: %.200s", answer.Text())
		}
		next = b.NextRange
	}
	if joined != whole {
		t.Errorf("%d bytes joined, want %d", len(joined), len(whole))
	}
}

// A server may ignore a range; the reference server does.
func TestRangeIsCutFromAWholeBlob(t *testing.T) {
	const content = "0123456789äöü"
	for _, test := range []struct{ asked, text, next string }{
		{"bytes=2-4", "234", "bytes=5-2052"},
		{"bytes=2-2", "2", "bytes=3-2050"},
		{"bytes=5-", "56789äöü", ""},
		{"bytes=0-500", content, ""},
		{"bytes=8-10", "89", "bytes=10-2057"}, // which ends within ä
		{"bytes=14-15", "ü", ""},
	} {
		for _, ranges := range []bool{false, true} {
			f := open(t)
			if ranges {
				f.rs.ServeRanges()
			}
			f.rs.AddBlob("b1", "text/plain", []byte(content))
			_, answer := f.must(t, "fetch_blob", arguments{"blob_id": "b1", "range": test.asked})
			if b := blobOf(t, answer); b.Text == nil || *b.Text != test.text || b.NextRange != test.next || b.Total != len(content) {
				t.Errorf("%s, ranges %v: %s", test.asked, ranges, answer.Structured)
			}
		}
	}
	t.Run("behind the end there is nothing", func(t *testing.T) {
		f := open(t)
		f.rs.AddBlob("b1", "text/plain", []byte(content))
		f.refused(t, codeBehindEnd, "fetch_blob", arguments{"blob_id": "b1", "range": "bytes=16-20"}, "the blob has 16 bytes", "before byte 16")
	})
	t.Run("of nothing there is all", func(t *testing.T) {
		f := open(t)
		f.rs.AddBlob("b1", "text/plain", []byte{})
		_, answer := f.must(t, "fetch_blob", arguments{"blob_id": "b1", "range": "bytes=0-99"})
		if b := blobOf(t, answer); b.Text == nil || *b.Text != "" || b.NextRange != "" {
			t.Errorf("got %s", answer.Structured)
		}
	})
}

func TestOfManyBytesTheFirstAreShown(t *testing.T) {
	f := open(t)
	f.rs.AddBlob("b1", "image/png", make([]byte, 100_000))
	_, answer := f.must(t, "fetch_blob", arguments{"blob_id": "b1"})
	if b := blobOf(t, answer); b.Size != maxBinary || b.Total != 100_000 || !strings.Contains(answer.Text(), `Next: fetch_blob {"blob_id":"b1","range":"bytes=2048-4095"}`) {
		t.Errorf("got %s", answer.Text())
	}
}

// Text in another encoding, whose last byte could begin a UTF-8 character, is answered as
// bytes.
func TestTextThatIsNotUTF8IsBase64(t *testing.T) {
	f := open(t)
	f.rs.AddBlob("b1", "text/plain; charset=iso-8859-1", []byte("Caf\xe9"))
	_, answer := f.must(t, "fetch_blob", arguments{"blob_id": "b1"})
	if b := blobOf(t, answer); b.Text != nil || b.Base64 != "Q2Fm6Q==" {
		t.Errorf("got %s", answer.Text())
	}
}

func TestRedirectsOfABlob(t *testing.T) {
	f := open(t)
	redirect := func(to string) {
		f.rs.Put(pdpptest.BlobOf, pdpptest.Override{Status: 302, Header: map[string]string{"Location": to}, Times: 1})
	}
	t.Run("at another host it is told and not asked for", func(t *testing.T) {
		redirect("https://files.example.org/b1?signature=x")
		_, answer := f.must(t, "fetch_blob", arguments{"blob_id": "b1"})
		if b := blobOf(t, answer); b.Location != "https://files.example.org/b1?signature=x" || !strings.Contains(answer.Text(), b.Location) {
			t.Errorf("got %s", answer.Text())
		}
	})
	t.Run("at the same, too", func(t *testing.T) {
		redirect("/v1/blobs/blob_text")
		_, answer := f.must(t, "fetch_blob", arguments{"blob_id": "b1"})
		if b := blobOf(t, answer); b.Text != nil || !strings.HasSuffix(b.Location, "/v1/blobs/blob_text") {
			t.Errorf("got %s", answer.Text())
		}
	})
}

// The token of a server below a path is sent only below that path.
func TestBlobOutsideTheBasePathIsNotRead(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked++; r.URL.Path == "/base/v1/blobs/b1" {
			http.Redirect(w, r, "/basement/b1", http.StatusFound)
		}
	}))
	defer server.Close()
	f := open(t, func(f *fixture) {
		f.options.ProviderURL += "/base"
		f.options.Transport = elsewhere(server.URL)
	})
	_, answer := f.must(t, "fetch_blob", arguments{"blob_id": "b1"})
	if b := blobOf(t, answer); asked != 1 || !strings.HasSuffix(b.Location, "/basement/b1") {
		t.Errorf("%d requests: %s", asked, answer.Text())
	}
}

func TestWrongBlobArgumentsAreRefused(t *testing.T) {
	f := open(t)
	for _, args := range []arguments{
		{}, {"blob_id": "../x"}, {"blob_id": "a/b"}, {"blob_id": "b1", "range": "0-10"}, {"blob_id": "b1", "range": "bytes=-5"},
		{"blob_id": "b1", "range": "bytes=0-1,3-4"}, {"blob_id": "b1", "range": "bytes=5-2"}, {"blob_id": "b1", "stream": "issues"},
	} {
		f.untouched(t, func() {
			if answer := f.Call(t, "fetch_blob", args); !answer.IsError {
				t.Errorf("%v: %s", args, answer.Text())
			}
		})
	}
	f.refused(t, tools.CodeValidation, "fetch_blob", arguments{"blob_id": "b1", "range": "0-10"}, "bytes=0-4095")
}

// The call for the next part names the connection again.
func TestNextRangeKeepsTheConnection(t *testing.T) {
	f := open(t)
	f.rs.AddBlob("b1", "text/plain", []byte(strings.Repeat("long ", 5000)))
	_, answer := f.must(t, "fetch_blob", arguments{"blob_id": "b1", "connection_id": pdpptest.ConnectionID})
	if want := `"connection_id":"` + pdpptest.ConnectionID + `"}`; !strings.Contains(answer.Text(), want) {
		t.Errorf("%s is not in %.200s", want, answer.Text())
	}
}
