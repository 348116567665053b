// Called on the recorder's own function.
function (command) { return this(command); }
