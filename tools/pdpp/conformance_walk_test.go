package pdpp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"issues-index/tools/toolstest"
)

// A plainStream is a stream of one connection.
type plainStream struct {
	Name         string `json:"name"`
	ConnectionID string `json:"connection_id"`
}

// A plainServer is the server as it is asked without the tools.
type plainServer struct {
	get     func(t *testing.T, path string, query url.Values) []byte
	streams []plainStream
}

func plainly(t *testing.T, c *Client) plainServer {
	t.Helper()
	var s plainServer
	s.get = func(t *testing.T, path string, query url.Values) []byte {
		t.Helper()
		token, err := c.credentials.token()
		if err != nil {
			t.Fatal(err)
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.provider+path+"?"+query.Encode(), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%s %v: status %d, %v: %s", path, query, response.StatusCode, err, body)
		}
		return body
	}
	var list struct{ Data []plainStream }
	if err := json.Unmarshal(s.get(t, "/v1/streams", nil), &list); err != nil {
		t.Fatal(err)
	}
	s.streams = list.Data
	return s
}

// records are those of a stream, or of its changes, in the order of the server.
func (s plainServer) records(t *testing.T, of plainStream, first url.Values) (all []record) {
	t.Helper()
	query := url.Values{"limit": {"100"}, "connection_id": {of.ConnectionID}}
	cursor := ""
	for {
		asked := url.Values{}
		for name, values := range query {
			asked[name] = values
		}
		if cursor == "" {
			for name, values := range first {
				asked[name] = values
			}
		} else {
			asked.Set("cursor", cursor)
		}
		var list struct {
			Data       []record
			NextCursor string `json:"next_cursor"`
		}
		if err := json.Unmarshal(s.get(t, "/v1/streams/"+url.PathEscape(of.Name)+"/records", asked), &list); err != nil {
			t.Fatal(err)
		}
		all = append(all, list.Data...)
		if cursor = list.NextCursor; cursor == "" {
			return all
		}
	}
}

// walk reads every stream through the calls that the texts write out, with the limits
// that agents pass, and compares it with what plain HTTP has.
func walk(t *testing.T, plain plainServer, client *toolstest.Client) {
	t.Helper()
	for _, stream := range plain.streams {
		base := arguments{"stream": shown(stream.Name), "connection_id": shown(stream.ConnectionID)}
		with := func(more arguments) arguments {
			args := arguments{}
			for _, from := range []arguments{base, more} {
				for name, value := range from {
					args[name] = value
				}
			}
			return args
		}
		records := plain.records(t, stream, nil)
		var want []string
		for _, r := range records {
			want = append(want, shown(r.handle(stream.Name).String()))
		}
		limits := []arguments{nil, {"limit": 7}, {"limit": 25}, {"limit": 100}}
		if len(records) > 500 { // of a server that somebody uses
			limits = limits[3:]
		}
		for _, more := range limits {
			if got, _ := followed(t, client, "query_records", with(more)); !slices.Equal(got, want) {
				t.Errorf("%s with %v: %d ids, not the %d of the server", stream.Name, more, len(got), len(want))
			}
		}
		var changed []string
		for _, r := range plain.records(t, stream, url.Values{"changes_since": {"beginning"}}) {
			changed = append(changed, shown(r.handle(stream.Name).String()))
		}
		for _, more := range []arguments{{}, {"limit": 25}} {
			more["changes_since"] = "beginning"
			if got, _ := followed(t, client, "query_records", with(more)); !slices.Equal(got, changed) {
				t.Errorf("changes of %s with %v: %d ids, not the %d of the server", stream.Name, more, len(got), len(changed))
			}
		}
		fetched := 0
		for _, r := range records[:min(20, len(records))] {
			if key := string(r.ID); key == "." || key == ".." || strings.Contains(key, "%") { // which a server may decode twice
				continue
			}
			answer := client.Call(t, "fetch", arguments{"id": r.handle(stream.Name).String()})
			if answer.IsError {
				t.Errorf("%q: %s", r.ID, answer.Text())
				continue
			}
			fetched++
			if answer.Structured == nil {
				continue
			}
			var document struct{ Data, Note json.RawMessage }
			var got, want any
			var whole record
			if err := json.Unmarshal(answer.Structured, &document); err != nil {
				t.Fatal(err)
			}
			read(document.Data, &whole)
			if json.Unmarshal(whole.Data, &got) != nil || json.Unmarshal(r.Data, &want) != nil || document.Note == nil && !reflect.DeepEqual(got, want) {
				t.Errorf("%q is %s, not %s", r.ID, whole.Data, r.Data)
			}
		}
		t.Logf("%s: %d records, %d changes, %d fetched", stream.Name, len(want), len(changed), fetched)
	}
}

// blobsJoin reads every blob that a record names in parts, which are the whole of it.
func blobsJoin(t *testing.T, plain plainServer, client *toolstest.Client) {
	t.Helper()
	for _, stream := range plain.streams {
		for _, r := range plain.records(t, stream, nil) {
			var fields struct {
				Blob struct {
					ID string `json:"blob_id"`
				} `json:"blob_ref"`
			}
			if !read(r.Data, &fields) || fields.Blob.ID == "" {
				continue
			}
			whole := plain.get(t, "/v1/blobs/"+url.PathEscape(fields.Blob.ID), nil)
			var joined []byte
			calls := 0
			for part := "bytes=0-2999"; part != ""; calls++ {
				b := blobOf(t, client.Call(t, "fetch_blob", arguments{"blob_id": fields.Blob.ID, "range": part}))
				content, err := base64.StdEncoding.DecodeString(b.Base64)
				if err != nil {
					t.Fatal(err)
				}
				if b.Text != nil {
					content = []byte(*b.Text)
				}
				joined = append(joined, content...)
				if part = b.NextRange; calls > len(whole) {
					t.Fatalf("the parts of %s do not end", fields.Blob.ID)
				}
			}
			if !bytes.Equal(joined, whole) {
				t.Errorf("%d bytes of %s joined, not the %d that it has", len(joined), fields.Blob.ID, len(whole))
			}
			t.Logf("%s: %d bytes in %d calls", fields.Blob.ID[:min(24, len(fields.Blob.ID))], len(whole), calls)
		}
	}
}
