// Package selector reads the ways in which an agent names an element: a ref of
// a snapshot, a selector (CSS, text=, role=, xpath=, chains of them), or a
// locator expression as it stands in test code. What it makes of them is a list
// of steps, in JSON for the script in the page that walks them.
//
// # Invariants
//
//   - Parse never guesses: what it does not understand is an [*Error] that says
//     what would be understood, and where in the text it stopped.
//   - Nothing of the text is ever run as code: regular expressions and XPath go
//     to the page as data.
//
// # Why
//
// CSS is taken apart here rather than handed to the page whole, because it must
// cross shadow roots and know pseudo-classes that browsers do not have
// (:has-text and its kin). The compound parts that browsers do know stay text
// and are matched by the browser.
package selector
