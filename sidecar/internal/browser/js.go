package browser

import _ "embed"

var (
	//go:embed js/serviceworker.js
	serviceWorkerScript string
	//go:embed js/world.js
	worldScript string
)

// WorldName is the isolated world in which all of our in-page code runs. Pages
// cannot see into it.
const WorldName = "pillion"

//go:embed js/storage.js
var storageScript string
