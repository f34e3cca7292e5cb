import type { Environment } from './environment';

/** A command of ours in a text: quoted, the last words of a sentence, after another command, or a line of its own. */
const ours = /(`|: |&& |(?:^|\n) {2})kernloop (?!softgpu\b)(?=-?-?[a-z])/g;

/**
 * The text with its commands as the user has to type them: whoever came by `npx kernloop`, or by `npx nx`, has no
 * `kernloop` in the shell. npm tells its programs in these variables.
 */
export function asTyped(text: string, env: Environment = process.env): string {
  const isByNpx =
    env['npm_lifecycle_event'] === 'npx' && /^["']?(?:kernloop|nx)\b/.test(env['npm_lifecycle_script'] ?? '');
  return isByNpx ? text.replaceAll(ours, '$1npx kernloop ') : text;
}
