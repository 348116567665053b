package page

import (
	"context"
	"fmt"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

// bindFrames tells f's document which of its elements hold the frames of
// children: three round trips for all of them, once in a document's life. It
// returns those that were bound; a frame that goes away meanwhile is not.
func bindFrames(ctx context.Context, f *browser.Frame, children []*browser.Frame) ([]*browser.Frame, error) {
	if len(children) == 0 {
		return nil, nil
	}
	world, err := f.World(ctx)
	if err != nil {
		return nil, because(f, err)
	}
	s := f.Session()
	group := newGroup()
	defer release(s, group)

	owners := make([]*cdp.Pending, len(children))
	for i, c := range children {
		owners[i] = cdp.Start(s, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: c.ID()})
	}
	objects := make([]*cdp.Pending, len(children))
	for i, p := range owners {
		var r dom.GetFrameOwnerResult
		if err := await(ctx, f, p, &r); err == nil && r.BackendNodeID != 0 {
			objects[i] = cdp.Start(s, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: r.BackendNodeID, ExecutionContextID: world, ObjectGroup: group})
		}
	}
	ids := []pcdp.FrameID{}
	args := []any{nil}
	var found []*browser.Frame
	for i, p := range objects {
		var r dom.ResolveNodeResult
		if p == nil || await(ctx, f, p, &r) != nil || r.Object == nil {
			continue
		}
		ids = append(ids, children[i].ID())
		args = append(args, r.Object.ObjectID)
		found = append(found, children[i])
	}
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	args[0] = ids
	if err := Call(ctx, f, "bindFrames", nil, args...); err != nil {
		return nil, fmt.Errorf("find the elements of frames: %w", err)
	}
	return found, nil
}

// ownerKey is the key, in the document around it, of the element that holds f.
func ownerKey(ctx context.Context, f *browser.Frame) (string, error) {
	parent := f.Parent()
	for try := 0; ; try++ {
		var key *string
		if err := Call(ctx, parent, "frameOwner", &key, f.ID()); err != nil {
			return "", err
		}
		if key != nil {
			return *key, nil
		}
		if try > 0 {
			return "", &GoneError{Why: WhyRemoved}
		}
		if _, err := bindFrames(ctx, parent, []*browser.Frame{f}); err != nil {
			return "", err
		}
	}
}

// adoptClosedRoots asks the protocol for the closed shadow roots of the elements
// that the last snapshot of f found suspicious, and hands them to the script. It
// reports whether there were any.
func adoptClosedRoots(ctx context.Context, f *browser.Frame) (bool, error) {
	world, err := f.World(ctx)
	if err != nil {
		return false, because(f, err)
	}
	s := f.Session()
	group := newGroup()
	defer release(s, group)
	var hosts runtime.CallFunctionOnResult
	p := runtime.CallFunctionOnParams{FunctionDeclaration: suspectsScript, ExecutionContextID: world, ObjectGroup: group}
	if err := await(ctx, f, cdp.Start(s, runtime.CallFunctionOn, p), &hosts); err != nil {
		return false, err
	}
	if hosts.Result == nil || hosts.Result.ObjectID == "" {
		return false, nil
	}
	var list runtime.GetPropertiesResult
	q := runtime.GetPropertiesParams{ObjectID: hosts.Result.ObjectID, OwnProperties: ptr(true)}
	if err := await(ctx, f, cdp.Start(s, runtime.GetProperties, q), &list); err != nil {
		return false, err
	}
	var nodes []*cdp.Pending
	for _, d := range list.Result {
		if d.Value != nil && d.Value.ObjectID != "" && d.Value.Subtype == runtime.RemoteObjectSubtypeNode {
			nodes = append(nodes, cdp.Start(s, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: d.Value.ObjectID, Depth: ptr(int64(0))}))
		}
	}
	var roots []*cdp.Pending
	for _, p := range nodes {
		var r dom.DescribeNodeResult
		if await(ctx, f, p, &r) != nil || r.Node == nil {
			continue
		}
		for _, root := range r.Node.ShadowRoots {
			if root.ShadowRootType == pcdp.ShadowRootTypeClosed {
				roots = append(roots, cdp.Start(s, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: root.BackendNodeID, ExecutionContextID: world, ObjectGroup: group}))
			}
		}
	}
	var args []any
	for _, p := range roots {
		var r dom.ResolveNodeResult
		if await(ctx, f, p, &r) == nil && r.Object != nil {
			args = append(args, r.Object.ObjectID)
		}
	}
	if len(args) == 0 {
		return false, ctx.Err()
	}
	return true, Call(ctx, f, "adoptRoots", nil, args...)
}
