/** Longest line accepted from a child; the rest of a longer line is dropped. */
const maxLine = 16 * 1024 * 1024;

/** Splits a text stream into lines; the last line needs no newline. */
export class LineSplitter {
  private pending = '';

  constructor(private readonly onLine: (line: string) => void) {}

  push(chunk: string): void {
    let start = 0;
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', start)) {
      this.onLine(this.pending + chunk.slice(start, end));
      this.pending = '';
      start = end + 1;
    }
    if (this.pending.length < maxLine) this.pending += chunk.slice(start);
  }

  end(): void {
    if (this.pending.length > 0) this.onLine(this.pending);
    this.pending = '';
  }
}
