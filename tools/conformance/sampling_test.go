package conformance_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// A client up to 2025-11-25 is asked in the answer to its call, and answers by a request of its
// own.
func TestAskingInTheAnswerToACall(t *testing.T) {
	url := serve(t)
	post := func(message string) (status int, next func() string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(message))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { response.Body.Close() })
		lines := bufio.NewScanner(response.Body)
		return response.StatusCode, func() string {
			for lines.Scan() {
				if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
					return data
				}
			}
			return ""
		}
	}
	for said, want := range map[string]string{
		`"result":{"role":"assistant","model":"m","content":{"type":"text","text":"Paris"}}`: `\"text\":\"Paris\"`,
		`"error":{"code":-1,"message":"no"}`:                                                 "gives no answer",
	} {
		_, next := post(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"test_sampling","arguments":{"prompt":"Where?"}}}`)
		var asked struct {
			ID, Method string
			Params     json.RawMessage
		}
		if question := next(); json.Unmarshal([]byte(question), &asked) != nil || asked.Method != "sampling/createMessage" || !strings.Contains(string(asked.Params), "Where?") {
			t.Fatalf("asked %s", question)
		}
		for id, status := range map[string]int{`"guessed"`: http.StatusBadRequest, "1": http.StatusBadRequest} {
			if got, _ := post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, id, said)); got != status {
				t.Errorf("an answer to %s: %d", id, got)
			}
		}
		reply := fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,%s}`, asked.ID, said)
		if got, _ := post(reply); got != http.StatusAccepted {
			t.Errorf("the answer: %d", got)
		}
		if result := next(); !strings.Contains(result, `"id":7`) || !strings.Contains(result, want) {
			t.Errorf("after %s: %s", said, result)
		}
		if got, _ := post(reply); got != http.StatusBadRequest {
			t.Errorf("the answer again: %d", got)
		}
	}
}
