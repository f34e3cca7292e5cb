// Uploads npm packages to npm's configured registry (npm_config_registry sets another than the public one).
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { step } from '../console.mjs';

/** Publishes all tarballs in `folder`, the natives first, so that an install of kernloop in between finds them. */
export async function publish(folder, version, { dryRun = false } = {}) {
  const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  const natives = tarballs.filter((name) => name.startsWith('kernloop-native-'));
  const provenance = process.env.ACTIONS_ID_TOKEN_REQUEST_URL || process.env.SIGSTORE_ID_TOKEN ? ['--provenance'] : [];
  const tag = version.includes('-') ? ['--tag', 'next'] : [];
  for (const name of [...natives, ...tarballs.filter((other) => !natives.includes(other))]) {
    const options = ['--access', 'public', ...provenance, ...tag, ...(dryRun ? ['--dry-run'] : [])];
    await step(`publish ${name}`, 'npm', ['publish', join(folder, name), ...options]);
  }
}
