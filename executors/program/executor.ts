import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutorContext } from '@nx/devkit';
import { databaseFile, openApp, programFile } from '../../lib/app/app';
import { compileDatabaseOf } from '../../lib/app/compile-database';
import { portableDatabase } from '../../lib/app/portable-database';
import { programFiles } from '../../lib/app/program-files';
import { defaultDeps } from '../../lib/deps/deps';
import { jsonText, writeFileAtomic } from '../../lib/support/files';
import { buildOptionsSchema } from '../build/options';
import { absoluteOptions, reportingErrors, type TaskOptions } from '../run-stage';

/**
 * Writes digests of the files that the app's command runs, because Nx hashes neither ignored files nor the system, and
 * the compile database without paths of this clone.
 */
export default function program(options: TaskOptions, context: ExecutorContext): Promise<{ success: boolean }> {
  return reportingErrors(async () => {
    const app = openApp(buildOptionsSchema.parse(absoluteOptions(options, ['app'], context.root)).app);
    writeIfNew(join(app.root, programFile), jsonText(await programFiles(app, defaultDeps())));
    const database = compileDatabaseOf(app);
    const portable = join(app.root, databaseFile);
    if (database !== undefined || existsSync(portable))
      writeIfNew(portable, portableDatabase(database ?? '', app.workspaceRoot));
    return true;
  });
}

function writeIfNew(path: string, text: string): void {
  const known = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  if (text !== known) writeFileAtomic(path, text);
}
