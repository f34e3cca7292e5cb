import { existsSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { z } from 'zod';
import { filesBelow, refuseForeign } from '../support/foreign';
import { parseFolderName } from '../trace/folder';

/** Files that trace run writes into the folder of a trace. */
const written = [
  /^(?:probe\.toml|read\.py|event\.log|probe-run\.json)$/,
  /^kernel\/\d+_[0-9a-f]{40}\/(?:kernel\.info|original\.ptx|probed\.(?:ptx|bin))$/,
  /^result\/\d+\.\d{6}\.bin$/,
  /^counts\/\d+\.\d{6}\.\w+\.bin$/,
];

const isWritten = (path: string): boolean => written.some((pattern) => pattern.test(path));

/** Files in a folder of traces that were written neither by trace run nor by its CALLBACK. */
function foreignTraceFiles(place: string): string[] {
  if (!existsSync(place)) return [];
  const otherFiles = new Map<string, readonly string[]>();
  return filesBelow(place)
    .filter(({ path, isFile }) => {
      const [trace = '', ...rest] = path.split(sep);
      if (!isFile || parseFolderName(trace) === null) return true;
      const inside = rest.join('/');
      if (isWritten(inside)) return false;
      const others = otherFiles.get(trace) ?? otherFilesOf(join(place, trace));
      otherFiles.set(trace, others);
      return !others.includes(inside);
    })
    .map(({ path }) => path)
    .sort();
}

/** Files that a CALLBACK left in a folder. */
export const filesOfCallback = (folder: string): string[] =>
  filesBelow(folder)
    .map(({ path }) => path.split(sep).join('/'))
    .filter((path) => !isWritten(path))
    .sort();

const runSchema = z.looseObject({ other_files: z.array(z.string()).default([]) });

function otherFilesOf(folder: string): readonly string[] {
  try {
    return runSchema.parse(JSON.parse(readFileSync(join(folder, 'probe-run.json'), 'utf8'))).other_files;
  } catch {
    // The run was killed before the file was written, or the trace is not from this stage: only the stage's known files
    // are ours.
    return [];
  }
}

export function refuseForeignTraces(place: string): void {
  refuseForeign(
    place,
    foreignTraceFiles(place),
    `not of trace run, which makes ${place} anew`,
    'move what is yours elsewhere, or write the trace elsewhere with --output',
  );
}
