package upstream

import (
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"
)

// A Reason is why there is no answer.
type Reason string

// The reasons.
const (
	UnknownHost Reason = "unknown host" // its name has no address
	Refused     Reason = "refused"      // nothing listens there
	Unreachable Reason = "unreachable"  // any other failure to connect
	BadTLS      Reason = "bad certificate"
	NoTLS       Reason = "no TLS"    // something else is spoken there
	SlowTLS     Reason = "slow TLS"  // it takes a connection and never agrees on a key
	TimedOut    Reason = "timed out" // Policy.Timeout went by
	CutOff      Reason = "cut off"   // the connection ended within the answer
	TooLarge    Reason = "too large" // the body is over Policy.MaxBody
	Malformed   Reason = "malformed" // the answer is no HTTP, or the request none
	Garbled     Reason = "garbled"   // the body is not packed as its header says
)

// An Error says why there is no answer. Its message has nothing of the request but the
// host, so it may be shown.
type Error struct {
	Reason Reason
	Host   string
	Policy Policy // that was asked with
	cause  error
}

// sentences say of a host what happened.
var sentences = map[Reason]string{
	UnknownHost: "the host %s has no address",
	Refused:     "%s refused the connection",
	Unreachable: "%s cannot be reached",
	BadTLS:      "the certificate of %s is not valid",
	NoTLS:       "%s does not speak TLS there, so https does not reach it",
	SlowTLS:     "%s did not set up TLS within " + handshakeTime.String() + ": it may serve http only",
	CutOff:      "%s cut the connection before its answer was complete",
	TooLarge:    "the answer of %s is too large",
	Garbled:     "%s sent an answer that cannot be unpacked",
	Malformed:   "%s sent an answer that is not valid HTTP",
}

// Error says in a sentence what happened.
func (e *Error) Error() string {
	if e.Reason == TimedOut {
		return e.Host + " did not answer within " + e.Policy.Timeout.String()
	}
	return fmt.Sprintf(sentences[e.Reason], e.Host)
}

// Unwrap returns the cause, for logs that may show it. It may name the address.
func (e *Error) Unwrap() error { return e.cause }

func (c *Client) failed(reason Reason, cause error) *Error {
	return &Error{Reason: reason, Host: c.base.Host, Policy: c.policy, cause: cause}
}

// passes reports whether the cause may be over in a moment.
func (r Reason) passes() bool { return r == Refused || r == Unreachable || r == CutOff }

// Windows has numbers of its own for these, which package syscall does not
// translate.
const (
	wsaReset   = syscall.Errno(10054)
	wsaRefused = syscall.Errno(10061)
)

// connecting returns the reason why no answer began.
func connecting(err error) Reason {
	var (
		dns     *net.DNSError
		verify  *tls.CertificateVerificationError
		record  tls.RecordHeaderError
		alert   tls.AlertError
		unknown x509.UnknownAuthorityError
		timeout net.Error
	)
	switch {
	case saysOneOf(err, "TLS handshake timeout"): // the library has no type for it
		return SlowTLS
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return TimedOut
	case errors.As(err, &dns):
		return UnknownHost
	case errors.As(err, &record), saysOneOf(err, "server gave HTTP response to HTTPS client"):
		return NoTLS
	case errors.As(err, &verify), errors.As(err, &alert), errors.As(err, &unknown):
		return BadTLS
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, wsaRefused):
		return Refused
	case noHTTP(err):
		return Malformed
	}
	return cut(err, Unreachable)
}

// noHTTP reports whether the answer, or the request, is not HTTP. The library has no
// type for either.
func noHTTP(err error) bool {
	return saysOneOf(err, "malformed HTTP", "malformed MIME", "invalid header field", "response headers exceeded")
}

// saysOneOf reports whether an error contains one of these words.
func saysOneOf(err error, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(err.Error(), w) })
}

// reading returns the reason why an answer ended early.
func reading(err error) Reason {
	var timeout net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		return TimedOut
	}
	var corrupt flate.CorruptInputError
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt) ||
		saysOneOf(err, "chunk") {
		return Garbled
	}
	return CutOff
}

// cut tells a connection that was cut from one that never was.
func cut(err error, otherwise Reason) Reason {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, wsaReset) {
		return CutOff
	}
	return otherwise
}
