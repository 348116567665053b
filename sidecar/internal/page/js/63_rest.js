// Acting on elements, part three: whether an element stands still.
{
  // A page that is out of sight gets no frames, and its clock stands. After so many
  // looks at one moment nothing is going to move there.
  const LOOKS = 5;
  // So many looks an animation may take to begin. Where it can't, it never does.
  const BEGIN_LOOKS = 30;

  const sameBox = (a, b) => a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;

  // poised: an animation was started that has not moved anything yet, and it is of
  // what el is in, or of something beside that, which would push it.
  const poised = (el) =>
    [...Document.prototype.getAnimations.call(doc)].some(({ pending, playState, effect }) => {
      if (!pending || playState !== 'running' || !effect || !effect.target) return false;
      const around = P.flatParent(effect.target) || effect.target;
      for (let e = el; e; e = P.flatParent(e)) if (e === around) return true;
      return false;
    });

  // Rest compares an element's box in two moments of the page's clock. Two looks can
  // fall into one moment, where the next frame is late; then they say nothing.
  Act.Rest = class {
    constructor() {
      this.forget();
      this.begins = 0;
    }

    forget() {
      this.box = null;
    }

    // look is 'first', 'moved', 'unsure' or 'rests'.
    look(el, box) {
      const { box: before, at } = this;
      this.box = box;
      this.at = doc.timeline.currentTime;
      if (!before || !sameBox(before, box)) {
        this.looks = 0;
        return before ? 'moved' : 'first';
      }
      if (this.at === at && !doc.hidden && ++this.looks < LOOKS) return 'unsure';
      if (poised(el) && ++this.begins < BEGIN_LOOKS) return 'moved';
      return 'rests';
    }
  };
}
