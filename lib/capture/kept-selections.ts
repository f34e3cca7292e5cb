import { existsSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { App } from '../app/app';
import { captureFile } from '../archive/capture-files';
import { keptIn } from '../archive/kept-capture';
import { commandText } from '../support/command-text';
import { KernloopError } from '../support/error';
import type { Selection } from './selection';

interface KeptSelection {
  readonly selection: Selection;
  /** One line about it. */
  readonly text: string;
}

/** Selections whose capture came from elsewhere: no run of the app replaces it unless that is asked for. */
export const keptSelections = (app: App, selections: readonly Selection[]): KeptSelection[] =>
  selections.flatMap((selection) => {
    const text = selection.isElsewhere ? null : keptText(app, selection.name);
    return text === null ? [] : [{ selection, text }];
  });

/** How to put a packed file or a folder in the place of a capture. */
function putting(app: App, from: string, place: string): string {
  const found = [process.cwd(), app.workspaceRoot].map((base) => resolve(base, from)).find((path) => existsSync(path));
  if (found === undefined) return `${from} is not here either: put another copy of that capture in ${place}`;
  const isFolder = statSync(found).isDirectory();
  const source = isFolder ? relative(process.cwd(), found) || '.' : from;
  const command = isFolder ? ['cp', '-r', source, place] : ['kernloop', 'unpack', source, '--to', place];
  return `put it there (\`${commandText(command)}\`)`;
}

/** One line about a kernel's capture from elsewhere; null if it is one of the app. Throws if it is missing. */
export function keptText(app: App, name: string): string | null {
  const place = app.capture(name);
  const shown = relative(process.cwd(), place) || '.';
  const { from } = app.kernel(name);
  if (from === undefined) {
    const kept = keptIn(place);
    const option = app.root === process.cwd() ? [] : ['--app', relative(process.cwd(), app.root)];
    const again = commandText(['kernloop', 'extract', name, ...option, '--recapture']);
    return kept === null
      ? null
      : `${name}: ${shown} is from ${kept.from} and kept: \`${again}\` replaces it by a capture of ${app.config.name}`;
  }
  const own = `remove "from" from the entry of ${name} in kernloop.json to capture it from ${app.config.name}`;
  if (existsSync(captureFile(place))) return `${name}: ${shown} is from ${from} and kept; ${own}`;
  throw new KernloopError(
    'CAPTURE_MISSING',
    `${name}: its capture is from ${from}, and is not in ${shown}`,
    `${putting(app, from, shown)}; or ${own}`,
  );
}
