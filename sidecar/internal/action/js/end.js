function () { this.end(); }
