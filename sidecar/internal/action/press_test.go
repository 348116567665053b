package action_test

import (
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/action"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

const logger = `<script>
const log = [];
for (const n of ['mousedown','mouseup','click','dblclick','auxclick','contextmenu','mouseover','keydown','keypress','keyup','input','change','focus','blur','submit'])
  addEventListener(n, e => log.push(n + (e.target.id ? ' ' + e.target.id : '') + (e.isTrusted ? '' : ' fake')), true);
const seen = (...names) => log.filter(l => names.includes(l.split(' ')[0])).join(', ');
</script>`

func TestClick(t *testing.T) {
	t.Run("is a real one", func(t *testing.T) {
		s := open(t, logger+`<button id=b>Go</button>`)
		start := time.Now()
		s.must(s.Click(s.ctx, "#b", action.ClickOptions{}))
		t.Logf("took %v", time.Since(start))
		s.want(`seen('mousedown','mouseup','click')`, `"mousedown b, mouseup b, click b"`)
	})
	t.Run("double", func(t *testing.T) {
		s := open(t, logger+`<button id=b>Go</button>`)
		s.must(s.Click(s.ctx, "#b", action.ClickOptions{Double: true}))
		s.want(`seen('click','dblclick')`, `"click b, click b, dblclick b"`)
	})
	t.Run("right", func(t *testing.T) {
		s := open(t, logger+`<button id=b>Go</button>`)
		s.must(s.Click(s.ctx, "#b", action.ClickOptions{Button: browser.Right}))
		s.want(`seen('click','auxclick','contextmenu')`, `"contextmenu b, auxclick b"`)
	})
	t.Run("with keys held", func(t *testing.T) {
		s := open(t, `<button id=b onclick="r=[event.shiftKey,event.altKey,event.ctrlKey]+''">Go</button>`)
		s.must(s.Click(s.ctx, "#b", action.ClickOptions{Modifiers: []string{"Shift", "Alt"}}))
		s.want(`r`, `"true,true,false"`)
		s.must(s.Click(s.ctx, "#b", action.ClickOptions{}))
		s.want(`r`, `"false,false,false"`)
	})
	t.Run("at a point", func(t *testing.T) {
		s := open(t, `<button id=b style="position:absolute;left:20px;top:30px;width:100px;height:50px" onclick="r=[event.clientX,event.clientY]+''">Go</button>`)
		s.must(s.Click(s.ctx, "#b", action.ClickOptions{At: &action.Point{X: 7, Y: 9}}))
		s.want(`r`, `"27,39"`)
	})
}
