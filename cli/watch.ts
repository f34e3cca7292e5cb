import { relative } from 'node:path';
import { defaultDeps, type Deps } from '../lib/deps/deps';
import { openReproducer } from '../lib/reproducer/reproducer';
import { exitCodes } from '../lib/support/error-codes';
import { judgeInLines } from '../lib/watch/judge';
import { watch, type Key } from '../lib/watch/watch';

interface WatchFlags {
  readonly compare?: boolean;
  readonly untilEof?: boolean;
}

/** `kernloop watch`, until a key, the end of input or a signal ends it. */
export async function runWatch(
  folder: string,
  { compare = true, untilEof = false }: WatchFlags,
  overrides: Partial<Deps>,
): Promise<number> {
  const deps = defaultDeps(overrides);
  const { root, config } = openReproducer(folder);
  const { stdin } = process;
  const keys = stdin.isTTY ? ' (r: again, q: quit)' : '';
  deps.report.info(`${config.name}: watching ${relative(process.cwd(), root) || '.'}${keys}`);
  await watch(root, deps, {
    judge: (own) => judgeInLines(root, compare, own),
    keys: (pressed) => (stdin.isTTY || untilEof ? keysOf(stdin, pressed) : () => undefined),
  });
  return deps.signal.aborted ? exitCodes.interrupted : exitCodes.pass;
}

const keyNames: Readonly<Record<string, Key>> = { r: 'again', q: 'quit' };

/** Keys of a terminal without Enter, or letters of another input, whose end quits. */
function keysOf(stdin: NodeJS.ReadStream, pressed: (key: Key) => void): () => void {
  const take = (chunk: Buffer | string): void => {
    for (const letter of String(chunk)) {
      const key = keyNames[letter.toLowerCase()];
      if (key !== undefined) pressed(key);
      // A terminal without line editing passes Ctrl-C on as a letter.
      if (letter === '\x03') process.kill(process.pid, 'SIGINT');
    }
  };
  const end = (): void => pressed('quit');
  if (stdin.isTTY) stdin.setRawMode(true);
  stdin.on('data', take).on('end', end);
  return () => {
    if (stdin.isTTY) stdin.setRawMode(false);
    stdin.off('data', take).off('end', end).destroy();
  };
}
