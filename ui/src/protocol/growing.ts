/**
 * Text that only grows. What is there is never copied or looked at again: who reads it takes the pieces that came
 * since it last looked, and is told when there are more.
 */
export class GrowingText {
  private readonly pieces: string[] = [];
  private readonly listeners = new Set<() => void>();
  length = 0;

  constructor(text = "") {
    this.append(text);
  }

  append(text: string): void {
    if (text === "") return;
    this.pieces.push(text);
    this.length += text.length;
    for (const listener of this.listeners) listener();
  }

  /** How many pieces there are: the number by which `since` goes on later. */
  count = () => this.pieces.length;

  since(count: number): string {
    return count === 0 ? this.whole() : this.pieces.slice(count).join("");
  }

  whole(): string {
    return this.pieces.join("");
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}
