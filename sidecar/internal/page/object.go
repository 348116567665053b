package page

import (
	"context"
	_ "embed"
	"encoding/json"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
)

//go:embed js/object.js
var objectScript string

// InMainWorld is the element as an object of the page's own world, in a group
// that the caller releases. It fails with a *GoneError when the element has left
// the page.
func (e *Element) InMainWorld(ctx context.Context, group string) (runtime.RemoteObjectID, error) {
	world, err := e.frame.World(ctx)
	if err != nil {
		return "", because(e.frame, err)
	}
	name, err := json.Marshal(e.name)
	if err != nil {
		return "", err
	}
	s := e.frame.Session()
	found, err := pcdp.Call(ctx, s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: objectScript, ExecutionContextID: world, ObjectGroup: group,
		Arguments: []*runtime.CallArgument{{Value: name}},
	})
	if err != nil {
		return "", because(e.frame, err)
	}
	if found.Result == nil || found.Result.ObjectID == "" {
		return "", &GoneError{Ref: e.ref, Why: WhyRemoved}
	}
	node, err := pcdp.Call(ctx, s, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: found.Result.ObjectID})
	if err != nil {
		return "", because(e.frame, err)
	}
	main, err := pcdp.Call(ctx, s, dom.ResolveNode, dom.ResolveNodeParams{
		BackendNodeID: node.Node.BackendNodeID, ExecutionContextID: e.frame.MainWorld(), ObjectGroup: group,
	})
	if err != nil {
		return "", because(e.frame, err)
	}
	return main.Object.ObjectID, nil
}
