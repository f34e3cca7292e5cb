import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { FakeProgram } from '../../testing/fake-deps';

/** The real `age` program, for use among fakes. */
export const realAge: FakeProgram = async ({ args, options }) => {
  const input = options.input?.kind === 'stream' ? await text(options.input.open()) : '';
  const ended = spawnSync('age', args, { input, encoding: 'utf8' });
  return { exitCode: ended.status, stderrTail: ended.stderr, startError: ended.error ? ended.error.name : null };
};

/** A key in `<path>`, and its public half in `<path>.pub`. */
export function makeKey(path: string): { identity: string; recipients: string; secret: string } {
  const text = execFileSync('age-keygen', { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const [secret = ''] = /AGE-SECRET-KEY-\w+/.exec(text) ?? [];
  const [recipient = ''] = /age1\w+/.exec(text) ?? [];
  writeFileSync(path, text);
  writeFileSync(`${path}.pub`, `# who may read\n${recipient}\n`);
  return { identity: path, recipients: `${path}.pub`, secret };
}
