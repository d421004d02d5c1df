package answer

import (
	"strings"
	"testing"
)

// estimate is what the guard goes by.
func estimate(text string) int { return Measure(text).Cost() }

// tolerance is how far the estimate may be under the truth.
const tolerance = 1 - weightMargin/100.0

func TestWhatCostsMuchIsNotTakenForProse(t *testing.T) {
	texts := hostile(2, 6000)
	for _, name := range names(texts) {
		t.Run(name, func(t *testing.T) {
			text := texts[name]
			if real, got := tokens(t, text), estimate(text); float64(got) < tolerance*float64(real) || got > real*3/2 {
				t.Errorf("estimated %d, in truth %d", got, real)
			}
		})
	}
}

func TestProseIsNotMadeHeavy(t *testing.T) {
	for _, name := range names(languages) {
		t.Run(name, func(t *testing.T) {
			text := languages[name]
			if real, got := tokens(t, text), estimate(text); float64(got) < tolerance*float64(real) {
				t.Errorf("estimated %d, in truth %d", got, real)
			}
			// With 10,000 bytes to 4,000 tokens, up to 0.4 change nothing.
			if share := float64(Weigh(text)) / float64(len(text)); share > 0.48 {
				t.Errorf("a byte weighs %.2f tokens", share)
			}
		})
	}
}

func TestRealDocumentsAreEstimatedWell(t *testing.T) {
	documents := realDocuments(t)
	for form, write := range map[string]func(string) string{
		"as they are": func(document string) string { return document },
		"as JSON":     func(document string) string { return asJSON(t, document) },
		"as rows":     func(document string) string { return asRows(t, document) },
	} {
		t.Run(form, func(t *testing.T) {
			for i := 0; i < len(documents); i += 7 {
				text := write(documents[i][:min(len(documents[i]), 8000)])
				if len(text) < 1000 {
					continue
				}
				real, got := tokens(t, text), estimate(text)
				if float64(got) < tolerance*float64(real) {
					t.Errorf("document %d: estimated %d, in truth %d", i, got, real)
				}
				if share := float64(Weigh(text)) / float64(len(text)); share > 0.4 {
					t.Errorf("document %d: a byte weighs %.2f tokens", i, share)
				}
			}
		})
	}
}

func TestWeighIsNeverMoreThanATokenAByte(t *testing.T) {
	for _, text := range []string{"", "a", "\xff\xfe", "\x00", strings.Repeat("𒀀", 5), "é"} {
		if got := Weigh(text); got > len(text) {
			t.Errorf("%q weighs %d", text, got)
		}
	}
}

func TestABeginningNeverWeighsMore(t *testing.T) {
	text := "A1 字é👩‍👩‍👧 ünïcode deadbeef00 \xff 1234567 qxzk\n"
	for end := 1; end <= len(text); end++ {
		if before, now := Weigh(text[:end-1]), Weigh(text[:end]); before > now {
			t.Errorf("%q weighs %d, without its last byte %d", text[:end], now, before)
		}
	}
}

func TestShouldTheWeighingFailTheBytesAreTheMeasure(t *testing.T) {
	defer func() { weigh = Weigh }()
	weigh = func(string) int { panic("oh") }
	if size := Measure(strings.Repeat("a", 100)); size.Cost() != 30 || size.Lines != 1 {
		t.Errorf("got %+v", size)
	}
}

func BenchmarkWeigh(b *testing.B) {
	for name, text := range map[string]string{
		"prose": strings.Repeat(languages["English"]+"\n", 1000), "Chinese": strings.Repeat(languages["Chinese"], 1000),
		"base64": hostile(3, 100000)["base64"],
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Weigh(text)
			}
		})
	}
}
