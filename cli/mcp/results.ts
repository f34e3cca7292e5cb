import { jsonText } from '../../lib/support/files';

/** Limits for results that were too large to send; the oldest are forgotten. */
const keptResults = 32;
const keptBytes = 512 * 1024 * 1024;

export const resultScheme = 'kernloop-result://';

interface KeptResult {
  readonly uri: string;
  readonly tool: string;
  readonly content: Buffer;
}

/** Keeps whole results while the server runs. */
export class Results {
  private readonly kept = new Map<string, KeptResult>();
  private count = 0;

  keep(tool: string, result: unknown): KeptResult {
    this.count += 1;
    const kept = { uri: `${resultScheme}${this.count}/${tool}.json`, tool, content: Buffer.from(jsonText(result)) };
    this.kept.set(kept.uri, kept);
    while (this.kept.size > keptResults || (this.kept.size > 1 && this.bytes() > keptBytes)) {
      const [oldest] = this.kept.keys();
      if (oldest !== undefined) this.kept.delete(oldest);
    }
    return kept;
  }

  get(uri: string): KeptResult | undefined {
    return this.kept.get(uri);
  }

  all(): KeptResult[] {
    return [...this.kept.values()];
  }

  private bytes(): number {
    return this.all().reduce((sum, { content }) => sum + content.length, 0);
  }
}
