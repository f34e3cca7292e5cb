/** Insertions and replacements at positions in a text. */
export class Edits {
  private readonly list: { start: number; end: number; text: string; order: number }[] = [];

  insert(at: number, text: string): void {
    this.list.push({ start: at, end: at, text, order: this.list.length });
  }

  replace(start: number, end: number, text: string): void {
    this.list.push({ start, end, text, order: this.list.length });
  }

  apply(text: string): string {
    const parts: string[] = [];
    let at = 0;
    for (const edit of this.list.sort((a, b) => a.start - b.start || a.order - b.order)) {
      parts.push(text.slice(at, edit.start), edit.text);
      at = edit.end;
    }
    return parts.join('') + text.slice(at);
  }
}
