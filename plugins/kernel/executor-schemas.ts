import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { packageRoot } from '../../lib/support/version';

/** In a checkout, the executor schemas that Nx reads are written again if a stage has changed; a package contains them. */
export function ensureExecutorSchemas(): void {
  const generated = join(packageRoot, 'bin', 'generated.js');
  if (existsSync(generated)) (createRequire(__filename)(generated) as { ensureGenerated(): void }).ensureGenerated();
}
