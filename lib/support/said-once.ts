/** Shorter lines are no burden twice. */
const longLine = 120;
const mostLines = 200;
const kept = 70;

/** Long lines that programs printed during a command, so that its error need not print them again. */
export class SaidLines {
  private readonly lines = new Set<string>();
  private pending = '';

  take(chunk: string): void {
    const parts = `${this.pending}${chunk}`.split('\n');
    this.pending = (parts.pop() ?? '').slice(-65_536);
    for (const line of parts)
      if (line.length >= longLine && this.lines.size < mostLines) this.lines.add(withoutSpeaker(line.trim()));
  }

  forget(): void {
    this.lines.clear();
    this.pending = '';
  }

  /** The text with the beginning alone of each line that was printed before. */
  shortened(text: string): string {
    let result = text;
    for (const line of this.lines) result = result.replaceAll(line, `${line.slice(0, kept)}… (in full above)`);
    return result;
  }
}

/** Errors repeat what the software GPU says without its name. */
const withoutSpeaker = (line: string): string => line.replace(/^kernloop softgpu: /, '');

export const saidLines = new SaidLines();
