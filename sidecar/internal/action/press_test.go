package action_test

import (
	"errors"
	"net/http"
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

// A key goes to whatever has the focus, so that nothing has asked the page before.
func TestAKeyOnAHungPage(t *testing.T) {
	s := open(t, `<p>Busy</p>`, action.WithTimeout(200*time.Millisecond))
	began := make(chan struct{})
	s.mux.HandleFunc("/hung", func(http.ResponseWriter, *http.Request) { close(began) })
	s.js(`setTimeout(() => {
		const request = new XMLHttpRequest()
		request.open('POST', '/hung', false)
		request.send()
		for (const end = Date.now() + 8000; Date.now() < end;);
	})`)
	<-began
	var hang *action.HangError
	if err := s.Press(s.ctx, "a"); !errors.As(err, &hang) {
		t.Errorf("press: %v", err)
	}
}

// What an agent sees after a key is where the key went, not the way there.
func TestKeysScrollAtOnce(t *testing.T) {
	s := open(t, `<div style="height:9000px">Tall</div>`)
	s.must(s.Press(s.ctx, "End"))
	s.want(`Math.ceil(scrollY + innerHeight) >= 9000`, `true`)
	s.must(s.Press(s.ctx, "PageUp"))
	s.want(`(at => at > 0 && at < 9000 - innerHeight)(scrollY)`, `true`)
	s.must(s.Press(s.ctx, "Home"))
	s.want(`scrollY`, `0`)
}
