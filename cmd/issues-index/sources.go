package main

import (
	"fmt"
	"slices"

	"issues-index/index"
	"issues-index/tools/config"
	"issues-index/tools/pdpp"
	"issues-index/tools/wagtail"
)

// sources are what the toolsets read. One that is nil is not served, or is of no
// matter for definitions.
type sources struct {
	index *index.Index
	site  *wagtail.Site
	pdpp  *pdpp.Client
}

// connect opens the services that the configuration names. What is not configured is
// not looked at.
func (p *program) connect(c *config.Config, ix *index.Index) (s sources, err error) {
	s.index = ix
	if c.Wagtail.BaseURL == "" && slices.Equal(c.Toolsets, []string{"wagtail"}) {
		return s, &failure{exitUsage, "the Wagtail site has no address, and no other toolset is to be served", "set WAGTAIL_BASE_URL"}
	}
	if c.HasToolset("wagtail") {
		if key, address, leaves := c.WagtailKeyLeaves(); leaves {
			return s, keyLeaves(key, address)
		}
		w := c.Wagtail
		s.site, err = wagtail.Open(wagtail.Options{
			BaseURL: w.BaseURL, APIPath: w.APIPath, Key: w.APIKey.Reveal(), Scheme: w.AuthScheme, UserAgent: "issues-index/" + version,
		})
		if err != nil {
			return s, err
		}
	}
	if c.HasToolset("pdpp") || slices.Equal(c.Toolsets, []string{"pdpp"}) {
		s.pdpp, err = pdpp.New(pdpp.Options{
			ProviderURL: c.PDPP.ProviderURL, CacheRoot: c.PDPP.CacheRoot, Hearsay: c.Hearsay(), UserAgent: "issues-index/" + version,
			Getenv: func(name string) string {
				if c.InEnvFile(name) {
					return "set" // which is all that there is to know of a credential not to be had
				}
				return p.getenv(name)
			},
		})
	}
	return s, err
}

// keyLeaves is for a key that the user keeps elsewhere than where the address stands.
func keyLeaves(key, address config.Source) *failure {
	return &failure{exitUsage,
		fmt.Sprintf("the Wagtail site's key (%s) is not sent to an address from a less trusted place (%s): whoever wrote that could have the key", key, address),
		"set WAGTAIL_BASE_URL where the key is set, if the address is right, or unset the key"}
}
