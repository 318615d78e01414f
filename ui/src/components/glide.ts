/** The motion that says where a thing went. */

/** From so many pixels away to where it is. As long as the tokens say: with reduced motion it doesn't move. */
export function glide(element: HTMLElement, x: number, y: number): void {
  const duration = Number.parseFloat(getComputedStyle(element).getPropertyValue("--quick"));
  // Not everywhere can elements be animated.
  if (!(duration > 0) || (x === 0 && y === 0)) return;
  element.animate?.([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], {
    duration,
    easing: "ease-out",
  });
}
