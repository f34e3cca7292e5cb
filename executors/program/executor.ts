import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutorContext } from '@nx/devkit';
import { openApp, programFile } from '../../lib/app/app';
import { programFiles } from '../../lib/app/program-files';
import { defaultDeps } from '../../lib/deps/deps';
import { jsonText, writeFileAtomic } from '../../lib/support/files';
import { buildOptionsSchema } from '../build/options';
import { absoluteOptions, reportingErrors, type TaskOptions } from '../run-stage';

/** Writes what the app's command runs, by digest, where the tasks that run it look: Nx hashes neither what git ignores nor the system. */
export default function program(options: TaskOptions, context: ExecutorContext): Promise<{ success: boolean }> {
  return reportingErrors(async () => {
    const app = openApp(buildOptionsSchema.parse(absoluteOptions(options, context.root)).app);
    const path = join(app.root, programFile);
    const known = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const found = jsonText(await programFiles(app, defaultDeps()));
    if (found !== known) writeFileAtomic(path, found);
    return true;
  });
}
