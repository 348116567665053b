package mcp

import sdk "github.com/modelcontextprotocol/go-sdk/mcp"

// listed is a tool in tools/list. It is the SDK's, but for hints that say nothing:
// every model reads the list, and pays for each byte.
type listed struct {
	Annotations *hints `json:"annotations,omitempty"`
	*sdk.Tool
}

// hints are a tool's annotations without the ones that are as if they were left out.
type hints struct {
	DestructiveHint *bool  `json:"destructiveHint,omitempty"`
	IdempotentHint  bool   `json:"idempotentHint,omitempty"`
	OpenWorldHint   *bool  `json:"openWorldHint,omitempty"`
	ReadOnlyHint    bool   `json:"readOnlyHint"`
	Title           string `json:"title,omitempty"`
}

func listing(t *sdk.Tool) listed {
	l := listed{Tool: t}
	if a := t.Annotations; a != nil {
		l.Annotations = &hints{a.DestructiveHint, a.IdempotentHint, a.OpenWorldHint, a.ReadOnlyHint, a.Title}
	}
	return l
}

// encodeTools is the result of tools/list: in the toolset's order, all of them
// at once, and without any tool that would be refused.
func (g *Gateway) encodeTools(c *call, tools []*sdk.Tool) []byte {
	offered := make([]listed, 0, len(tools))
	for _, t := range tools {
		if !denied(t.Name) {
			offered = append(offered, listing(t))
		}
	}
	type list struct {
		Tools []listed `json:"tools"`
	}
	if !c.stateless {
		return encode(list{offered})
	}
	return encode(struct {
		Type string `json:"resultType"`
		list
		sdk.Cacheable
		Meta map[string]any `json:"_meta"`
	}{complete, list{offered}, sdk.Cacheable{TTLMs: listAge, CacheScope: listScope}, g.serverMeta()})
}
