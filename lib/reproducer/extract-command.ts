import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { commandText } from '../support/command-text';
import { kernloopFile } from '../support/project-file-names';
import { findUpward } from '../support/workspace-root';
import type { Reproducer } from './reproducer';

/** Command that extracts a reproducer anew, as it has to be typed in the working folder. */
export function extractCommand(
  { config, workspaceRoot }: Pick<Reproducer, 'config' | 'workspaceRoot'>,
  ...options: readonly string[]
): string {
  const app = join(workspaceRoot, config.app.root);
  const isFound = !existsSync(join(app, kernloopFile)) || findUpward(process.cwd(), kernloopFile) === app;
  const named = isFound ? [] : ['--app', relative(process.cwd(), app)];
  return commandText(['kernloop', 'extract', config.name, ...named, ...options]);
}
