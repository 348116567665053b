// Called on an object, to get another hold of it.
function () { return this; }
