import { relative } from 'node:path';
import type { App } from '../app/app';
import { keptIn } from '../archive/kept-capture';
import type { Selection } from './selection';

/** Selections whose capture came from elsewhere: no run of the app replaces it unless that is asked for. */
export const keptSelections = (selections: readonly Selection[]): { selection: Selection; from: string }[] =>
  selections.flatMap((selection) => {
    const kept = selection.isElsewhere ? null : keptIn(selection.output);
    return kept === null ? [] : [{ selection, from: kept.from }];
  });

export const keptText = (app: App, name: string, from: string): string =>
  `${name}: ${relative(process.cwd(), app.capture(name))} is from ${from} and kept: \`kernloop extract ${name} --recapture\` replaces it by a capture of ${app.config.name}`;
