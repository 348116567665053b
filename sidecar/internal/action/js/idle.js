function () { return this.idle(); }
