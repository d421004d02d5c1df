package tools

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// confirmMember is the one member of a user's answer, and the name of the question.
const confirmMember = "confirm"

// answerTime is how long a user may take to answer a question.
const answerTime = 10 * time.Minute

// A Confirmation is a question to the user: whether a call may do what it cannot undo.
type Confirmation struct {
	Question string
	// Title is the name of what the user agrees to, as at a button.
	Title string
	// About is what the question is about, as it is now. An answer to a question about
	// something else does not count.
	About string
	// Undone says what was left undone, for the error when the user does not agree.
	Undone string
}

// A confirming is the side of one call that asks the user.
type confirming struct {
	seals    *questionSeals
	call     []byte // its tool, its arguments and its caller, digested
	response *mcp.ElicitationResult
	state    string // that came with the response
}

// A pendingQuestion is the error of a call that goes on when the user has answered.
type pendingQuestion struct {
	Confirmation
	state string
}

func (*pendingQuestion) Error() string { return "the user is asked" }

// Confirm asks the user, where the client offers that. It returns false without an error
// where no user can be asked, and makes no question then. A handler returns its error as it is: the
// call is made again with the answer.
func (a *Args) Confirm(ask func() (Confirmation, error)) (agreed bool, err error) {
	asks := a.call.confirm
	if asks == nil {
		return false, nil
	}
	c, err := ask()
	switch {
	case err != nil:
		return false, err
	case asks.response == nil || !asks.seals.opens(asks.state, asks.call, c.About):
		return false, &pendingQuestion{c, asks.seals.seal(asks.call, c.About)}
	}
	content, _ := asks.response.Content.(map[string]any)
	switch {
	case asks.response.Action == mcp.ElicitationResponseActionAccept && content[confirmMember] == true:
		return true, nil
	case asks.response.Action == mcp.ElicitationResponseActionCancel:
		return false, Errorf(CodePermissionDenied, "No answer came from the user; %s.", c.Undone).On(confirmMember).
			Try("Ask the user. If they agree, call again with confirm: true.")
	}
	return false, Errorf(CodePermissionDenied, "The user was asked and declined; %s.", c.Undone).On(confirmMember).
		Try("Go on without it.")
}

// confirming returns how a call may ask its user, nil where the client offers no way or the
// server is not to.
func (s *Server) confirming(r *request, x *toolCall, p callParams) *confirming {
	if !s.elicits || p.unasked || !r.elicits() {
		return nil
	}
	var arguments bytes.Buffer
	if len(x.raw) > 0 && json.Compact(&arguments, x.raw) != nil {
		return nil
	}
	digest := sha256.New()
	for _, part := range [][]byte{[]byte(x.tool.Name), []byte(x.holder), arguments.Bytes()} {
		digest.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		digest.Write(part)
	}
	asks := &confirming{seals: s.seals, call: digest.Sum(nil), state: p.RequestState}
	if given, ok := p.InputResponses[confirmMember]; ok && given.DecodeFor(mcp.MethodElicitationCreate) == nil {
		asks.response = given.Elicitation
	}
	return asks
}

// elicits reports whether the client of a request shows its user a form. One of 2026-07-28 says
// so in each request, an earlier one in its handshake.
func (r *request) elicits() bool {
	if r.modern {
		return showsForms(*r.meta.ClientCapabilities())
	}
	_, elicits := r.conn.Client().said()
	return elicits
}

// inputRequired is the result that has the client ask its user.
func (q *pendingQuestion) inputRequired() *callResult {
	return &callResult{
		Content: []mcp.Content{}, RequestState: q.state,
		InputRequests: mcp.InputRequests{confirmMember: mcp.NewElicitationInputRequest(mcp.ElicitationParams{
			Message: q.Question,
			RequestedSchema: map[string]any{
				"type":       "object",
				"properties": map[string]any{confirmMember: map[string]any{"type": "boolean", "title": q.Title}},
				"required":   []string{confirmMember},
			},
		})},
	}
}

// maxQuestions is how many users of clients up to 2025-11-25 may be asked at once: each call
// waits for its user. Where there are more, the call is answered as if nobody could be asked.
const maxQuestions = 8

// checkState returns an error for a state that this process has not made. MCP has such a
// call refused with an error of the protocol: a client that changes states is not to be asked
// until one fits.
func (s *Server) checkState(state string) error {
	if _, made := s.seals.claim(state); state == "" || made {
		return nil
	}
	return Errorf(CodeValidation, "This server has not sent the requestState since its start.").
		On("requestState").Try("Make the call again without requestState and inputResponses.")
}

// callAsking answers a call, and asks the user of a client up to 2025-11-25 in between. From
// 2026-07-28 on the client asks, and calls again.
func (s *Server) callAsking(ctx context.Context, r *request, t Tool, p callParams) *callResult {
	result := s.call(ctx, r, t, p)
	if result.InputRequests == nil || r.modern {
		return result
	}
	select {
	case s.questions <- struct{}{}:
		defer func() { <-s.questions }()
		answer := s.elicit(ctx, r, result.InputRequests[confirmMember].Elicitation)
		p.RequestState = result.RequestState
		p.InputResponses = mcp.InputResponses{confirmMember: mcp.NewElicitationInputResponse(answer)}
		if result = s.call(ctx, r, t, p); result.InputRequests == nil {
			return result
		} // what it was about has changed meanwhile
	default:
	}
	p.unasked = true
	return s.call(ctx, r, t, p)
}

// elicit asks the user. A client that gives no answer of a user's, for whatever reason, has
// cancelled.
func (s *Server) elicit(ctx context.Context, r *request, question *mcp.ElicitationParams) mcp.ElicitationResult {
	var answer mcp.ElicitationResult
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	given, ok := <-r.conn.Ask(ctx, string(mcp.MethodElicitationCreate), question)
	if !ok || json.Unmarshal(given, &answer) != nil {
		s.log.Info("the client has not asked its user")
		answer.ElicitationResponse = mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionCancel}
	}
	return answer
}

// asQuestion returns the question that a handler's error is, nil for any other error.
func asQuestion(err error) *pendingQuestion {
	var q *pendingQuestion
	if errors.As(err, &q) {
		return q
	}
	return nil
}

// questionSeals make and check the states of questions, which go through the client: an
// answer counts only for the question that this process has asked, in this call, and a while.
// A state holds nothing that is secret.
type questionSeals struct {
	key [32]byte
	now func() time.Time
}

func newQuestionSeals() *questionSeals {
	s := &questionSeals{now: time.Now}
	_, _ = rand.Read(s.key[:]) // it never fails
	return s
}

const (
	sealedUntil = 8                         // bytes of a state that say how long it is good
	sealedClaim = sealedUntil + sha256.Size // with those that say what for
)

func (s *questionSeals) seal(call []byte, about string) string {
	claim := binary.BigEndian.AppendUint64(nil, uint64(s.now().Add(answerTime).Unix()))
	claim = append(claim, s.sum(call, []byte(about))...)
	return base64.RawURLEncoding.EncodeToString(append(claim, s.sum(claim)...))
}

// claim returns what a state says, and whether this process has made it.
func (s *questionSeals) claim(state string) (claim []byte, made bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(state)
	if err != nil || len(raw) != sealedClaim+sha256.Size {
		return nil, false
	}
	return raw[:sealedClaim], hmac.Equal(raw[sealedClaim:], s.sum(raw[:sealedClaim]))
}

// opens reports whether a state is that of a question, and in time.
func (s *questionSeals) opens(state string, call []byte, about string) bool {
	claim, made := s.claim(state)
	return made && hmac.Equal(claim[sealedUntil:], s.sum(call, []byte(about))) &&
		uint64(s.now().Unix()) <= binary.BigEndian.Uint64(claim)
}

// sum seals parts of which all but the last have a fixed length.
func (s *questionSeals) sum(parts ...[]byte) []byte {
	mac := hmac.New(sha256.New, s.key[:])
	for _, part := range parts {
		mac.Write(part)
	}
	return mac.Sum(nil)
}
