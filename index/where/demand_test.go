package where

import "testing"

func TestDemand(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                  false,
		"is:ready":                          true,
		"IS:Ready sort title":               true,
		"priority = high is:ready":          true,
		"priority = high and (is:ready x)":  true,
		"is:ready or is:blocked":            false,
		"not is:ready":                      false,
		"-is:ready":                         false,
		"is:blocked":                        false,
		"(is:ready or is:open) and is:open": false,
	} {
		c, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Demand("is", "ready"); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
