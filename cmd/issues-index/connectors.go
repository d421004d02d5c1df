package main

import (
	"slices"

	"issues-index/index"
	"issues-index/tools/config"
	"issues-index/tools/pdpp"
	"issues-index/tools/wagtail"
)

// connectors are what the toolsets read. A toolset whose connector is nil has definitions
// and no answers.
type connectors struct {
	index  *index.Index // of the workspace that the server is started in
	pinned bool         // it serves no other
	site   *wagtail.Site
	pdpp   *pdpp.Client
}

// connect opens the services that the configuration names.
func (p *program) connect(c *config.Config, current *index.Current) (s connectors, err error) {
	s.index, s.pinned = current.Served(), p.isPinned()
	if c.Wagtail.BaseURL == "" && slices.Equal(c.Toolsets, []string{"wagtail"}) {
		return s, misused("the Wagtail site has no address, and no other toolset is served", "set WAGTAIL_BASE_URL")
	}
	if c.HasToolset("wagtail") {
		w := c.Wagtail
		s.site, err = wagtail.Open(wagtail.Options{
			BaseURL: w.BaseURL, FrontendURL: w.FrontendURL, APIPath: w.APIPath, Key: w.APIKey.Reveal(), Scheme: w.AuthScheme,
			UserAgent: "issues-index/" + version,
		})
		if err != nil {
			return s, err
		}
	}
	if c.HasToolset("pdpp") || slices.Equal(c.Toolsets, []string{"pdpp"}) {
		s.pdpp, err = pdpp.New(pdpp.Options{
			ProviderURL: c.PDPP.ProviderURL, CacheRoot: c.PDPP.CacheRoot, UserAgent: "issues-index/" + version,
			Getenv: func(name string) string {
				if c.InEnvFile(name) {
					return "set" // a credential from a workspace's file is only reported
				}
				return p.getenv(name)
			},
		})
	}
	return s, err
}
