/** In the place of ELK, which isn't part of Arki: a diagram that asks for it is shown as its code. */
export default class NoElk {
  constructor() {
    throw new Error("the layout ELK is not part of Arki");
  }
}
