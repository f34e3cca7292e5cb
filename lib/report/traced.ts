import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { absent, paragraphs, tableOf, type Cell } from '../page/parts';
import { commandCode, markup } from '../page/html';
import type { Reproducer } from '../reproducer/reproducer';
import { commandText } from '../support/command-text';
import { KernloopError } from '../support/error';
import { readJson } from '../support/schema';
import { ourProgram } from '../support/typed-command';
import type { CommandOn } from './commands';
import type { Body } from './left';
import { verdictWord } from './verdicts';

/** Fields of probe-run.json that are shown. */
const runSchema = z.looseObject({
  kernel: z.string(),
  code: z.string(),
  clock: z.string(),
  probe: z.looseObject({ name: z.string() }),
  launches: z.array(
    z.looseObject({
      dispatch: z.int(),
      result: z.string().nullable().default(null),
      verdict: z.string(),
      left_out: z.array(z.string()),
      maps: z.array(z.looseObject({ name: z.string(), kept: z.int(), dropped: z.int(), units: z.int() })),
    }),
  ),
});

const mostTraces = 50;
const runFile = 'probe-run.json';

export function probeRun(folder: string): z.output<typeof runSchema> | null {
  const path = join(folder, runFile);
  return existsSync(path) ? readJson(path, runSchema, 'TRACE_INVALID', '') : null;
}

function runsBelow(folder: string): string[] {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => basename(path) === runFile);
  return found.map(dirname).sort().slice(-mostTraces);
}

/** Rows of one trace, one per map. */
export function runRows(run: NonNullable<ReturnType<typeof probeRun>>): Cell[][] {
  return run.launches.flatMap(({ dispatch, verdict, maps }) =>
    maps.map(({ name, kept, dropped, units }): Cell[] => [
      dispatch,
      { shown: verdictWord(verdict), sort: verdict },
      name,
      units,
      kept,
      dropped,
    ]),
  );
}

export const runHeads = ['dispatch', 'result under probes', 'map', 'threads or warps', 'records', 'dropped'];

/** Traces in the reproducer; each has a separate page. */
export function tracesBody({ root, workspaceRoot }: Reproducer, command: CommandOn): Body {
  const folder = join(root, 'trace');
  // Traces are at trace/<probe>/<run>, as trace run writes them, or in any other folder below.
  const names = existsSync(folder) ? runsBelow(folder) : [];
  const unreadable: string[] = [];
  const traces: string[] = [];
  const rows = names.flatMap((name): Cell[][] => {
    try {
      const run = probeRun(join(folder, name));
      if (run) traces.push(name);
      return run ? runRows(run).map((row) => [name, run.probe.name, ...row]) : [];
    } catch (error) {
      if (!(error instanceof KernloopError)) throw error;
      unreadable.push(error.what);
      return [];
    }
  });
  if (rows.length === 0) {
    const make = command('trace run', '--probe', 'block_sched');
    if (unreadable.length === 0) return { commands: [make] };
    return markup`${paragraphs(unreadable)}${absent('No trace of it can be shown; this makes one:', make)}`;
  }
  const pages = traces.map((name) =>
    commandText([...ourProgram(), 'report', '--trace', relative(workspaceRoot, join(folder, name))]),
  );
  return markup`${paragraphs(unreadable)}${tableOf('Maps of each trace', ['trace', 'probe', ...runHeads], rows)}
    <p>Each trace has a page of its own:</p>
    <div class="commands">${pages.map(commandCode)}</div>`;
}
