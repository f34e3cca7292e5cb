import type { Environment } from './environment';

/** A command of ours in a text: quoted, the last words of a sentence, after another command, or a line of its own. */
const ours = /(`|: |&& |(?:^|\n) {2})kernloop (?!softgpu\b)(?=-?-?[a-z])/g;

/**
 * Whoever came by `npx kernloop`, or by `npx nx`, has no `kernloop` in the shell. npm tells its programs in these
 * variables.
 */
const isByNpx = (env: Environment): boolean =>
  env['npm_lifecycle_event'] === 'npx' && /^["']?(?:kernloop|nx)\b/.test(env['npm_lifecycle_script'] ?? '');

/** The text with its commands as the user has to type them. */
export const asTyped = (text: string, env: Environment = process.env): string =>
  isByNpx(env) ? text.replaceAll(ours, '$1npx kernloop ') : text;

/** The first words of a command of ours, as the user has to type them. */
export const ourProgram = (env: Environment = process.env): string[] =>
  isByNpx(env) ? ['npx', 'kernloop'] : ['kernloop'];
