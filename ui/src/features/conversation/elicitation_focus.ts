/** Leads the keyboard to what a server asks, once its session is shown. */
export function focusElicitation(): void {
  requestAnimationFrame(() => {
    document
      .querySelector<HTMLElement>(".elicitation input, .elicitation select, .elicitation button")
      ?.focus();
  });
}
