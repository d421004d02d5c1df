package pdpptest

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A recording is a request of index.tsv and what was answered.
type recording struct {
	name, token, address string
	status               int
	headers              []string
	body                 any
}

// readRecordings reads the recordings of one of the recorded servers, "" for the first.
func readRecordings(t *testing.T, folder string) []recording {
	t.Helper()
	index, err := recordings.ReadFile(path.Join("recorded", folder, "index.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var all []recording
	for line := range strings.Lines(string(index)) {
		row := strings.Split(strings.TrimSpace(line), "\t")
		status, err := strconv.Atoi(row[3])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, recording{row[0], row[1], row[2], status, strings.Split(row[4], ","), parse(t, []byte(Recorded(path.Join(folder, row[0]))))})
	}
	return all
}

func parse(t *testing.T, content []byte) (value any) {
	t.Helper()
	if err := json.Unmarshal(content, &value); err != nil {
		t.Fatalf("%v: %s", err, content)
	}
	return value
}

// keys returns the paths of all members of a JSON value. The elements of a list share one
// path.
func keys(value any) []string {
	found := make(map[string]bool)
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for name, inner := range value {
				found[path+"."+name] = true
				walk(path+"."+name, inner)
			}
		case []any:
			for _, inner := range value {
				walk(path+"[]", inner)
			}
		}
	}
	walk("", value)
	return slices.Sorted(maps.Keys(found))
}

// differing returns the keys that only one of two answers has. An empty list does not tell
// the keys of its elements, and index_maintenance does not depend on the query.
func differing(got, want any, ignored ...string) (differences []string) {
	skip := func(key string) bool {
		return strings.HasPrefix(key, ".meta.index_maintenance") ||
			slices.ContainsFunc(ignored, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
	}
	if list, ok := want.(map[string]any); ok {
		if data, ok := list["data"].([]any); ok && len(data) == 0 {
			ignored = append(ignored, ".data[]", ".next_cursor")
		}
	}
	ours, theirs := keys(got), keys(want)
	for _, key := range ours {
		if !slices.Contains(theirs, key) && !skip(key) {
			differences = append(differences, "+"+key)
		}
	}
	for _, key := range theirs {
		if !slices.Contains(ours, key) && !skip(key) {
			differences = append(differences, "-"+key)
		}
	}
	return differences
}

// got is an answer of the server.
type got struct {
	status  int
	header  http.Header
	content []byte
}

// ask sends a request with a token of a kind, or none.
func ask(t *testing.T, s *Server, kind, method, address, body string) got {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, s.URL+address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	token := map[string]string{"client": ClientToken, "bad": "no-such-token", "revoked": RevokedToken}[kind]
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return got{response.StatusCode, response.Header, content}
}

// told returns what is compared by value: the type, code and message of an error, and the
// ids of records and results in their order.
func told(value any) (told []string) {
	answer, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	if wrong, ok := answer["error"].(map[string]any); ok {
		return []string{wrong["type"].(string), wrong["code"].(string), wrong["message"].(string)}
	}
	data, _ := answer["data"].([]any)
	for _, row := range data {
		row, ok := row.(map[string]any)
		if !ok {
			continue
		}
		for _, name := range []string{"id", "record_key", "name"} {
			if id, ok := row[name].(string); ok {
				told = append(told, id)
			}
		}
	}
	return told
}

// The server does not serve the owner, and not the metadata of one stream: the adapter asks
// for neither.
func TestEveryAnswerHasTheKeysOfItsRecording(t *testing.T) {
	s := Start(t)
	compared := 0
	for _, r := range readRecordings(t, "") {
		if r.token == "owner" || r.name == "stream_issues" {
			continue
		}
		compared++
		t.Run(r.name, func(t *testing.T) {
			compare(t, r, ask(t, s, r.token, http.MethodGet, r.address, ""))
		})
	}
	if compared < 40 {
		t.Errorf("compared only %d answers", compared)
	}
}

// The order of hits, and of the records of a stream without a time, is up to the server.
func TestAnswersAboutLettersHaveTheKeysOfTheirRecordings(t *testing.T) {
	s := StartLetters(t)
	for _, r := range readRecordings(t, "letters") {
		t.Run(r.name, func(t *testing.T) {
			answer := ask(t, s, r.token, http.MethodGet, r.address, "")
			if r.name == "hybrid" || r.name == "labels" {
				if d := differing(parse(t, answer.content), r.body, ".data[].scores"); len(d) > 0 {
					t.Errorf("keys: %s", strings.Join(d, " "))
				}
				return
			}
			compare(t, r, answer)
			if strings.HasPrefix(r.name, "changes") {
				for _, name := range []string{"has_more", "next_cursor", "next_changes_since", "links"} {
					got, want := parse(t, answer.content).(map[string]any)[name], r.body.(map[string]any)[name]
					if !reflect.DeepEqual(got, want) {
						t.Errorf("%s is %v, recorded %v", name, got, want)
					}
				}
			}
		})
	}
}

// In era A a client may do what the recordings show of the owner, who had to name the
// connector.
func TestInEraAClientsReadAsOwnersDid(t *testing.T) {
	s := Start(t)
	s.SetEra(EraA)
	compared := 0
	for _, r := range readRecordings(t, "") {
		named := strings.Contains(r.address, "connector_id=github")
		if r.token != "owner" || !named && !strings.HasPrefix(r.name, "schema") {
			continue
		}
		compared++
		t.Run(r.name, func(t *testing.T) {
			address := strings.NewReplacer("?connector_id=github&", "?", "?connector_id=github", "").Replace(r.address)
			compare(t, r, ask(t, s, "client", http.MethodGet, address, ""), ".bearer.")
		})
	}
	if compared < 12 {
		t.Errorf("compared only %d answers", compared)
	}
}

func compare(t *testing.T, r recording, answer got, ignored ...string) {
	t.Helper()
	if answer.status != r.status {
		t.Fatalf("status %d, recorded %d: %s", answer.status, r.status, answer.content)
	}
	for _, name := range r.headers {
		if answer.header.Get(name) == "" {
			t.Errorf("header %s is missing", name)
		}
	}
	for name := range answer.header {
		if !slices.Contains(r.headers, strings.ToLower(name)) && !slices.Contains([]string{"Content-Length", "Date", "Accept-Ranges", "Connection"}, name) {
			t.Errorf("header %s was not recorded", name)
		}
	}
	value := parse(t, answer.content)
	if d := differing(value, r.body, ignored...); len(d) > 0 {
		t.Errorf("keys: %s", strings.Join(d, " "))
	}
	if want := told(r.body); len(want) > 0 && !slices.Equal(told(value), want) {
		t.Errorf("answered %q, recorded %q", told(value), want)
	}
}

func TestComparisonSeesAPlantedDifference(t *testing.T) {
	want := parse(t, []byte(Recorded("records_page")))
	for name, spoil := range map[string]func(map[string]any){
		"a member more": func(answer map[string]any) { answer["total"] = 1 },
		"a member less": func(answer map[string]any) { delete(answer, "next_cursor") },
		"a member less in a record": func(answer map[string]any) {
			delete(answer["data"].([]any)[0].(map[string]any), "emitted_at")
			delete(answer["data"].([]any)[1].(map[string]any), "emitted_at")
		},
	} {
		got := parse(t, []byte(Recorded("records_page")))
		if len(differing(got, want)) != 0 {
			t.Fatal("the recording differs from itself")
		}
		spoil(got.(map[string]any))
		if len(differing(got, want)) == 0 {
			t.Errorf("%s is not seen", name)
		}
	}
}
