import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../support/schema';
import type { RuntimeProgram } from './result';
import { count } from '../support/count';

const text = z.string();

/** Events that the library in the app writes (native/pgo/runtime/README.md). */
export const runtimeEventSchema = z.discriminatedUnion('event', [
  z.looseObject({ event: z.literal('program'), program: text, folder: text, profile: text }),
  z.looseObject({
    ...{ event: z.literal('measured'), program: text, launches: count, kernels: z.array(text) },
    ...{ profile: text, known: z.boolean(), gate: text },
  }),
  z.looseObject({
    ...{ event: z.literal('sampled'), program: text, launches: count, distance: count, changed: z.boolean() },
  }),
  z.looseObject({
    ...{ event: z.literal('kernel'), program: text, kernel: text, own: count, counting: count, production: count },
  }),
  z.looseObject({ event: z.literal('refused'), program: text, code: text, reason: text }),
]);

type Event = z.output<typeof runtimeEventSchema>;

/** Events of all processes of a run, by program. */
export function programsIn(folder: string): { processes: number; programs: RuntimeProgram[] } {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .sort();
  const programs = new Map<string, RuntimeProgram>();
  for (const name of files) {
    const path = join(folder, name);
    for (const line of readFileSync(path, 'utf8').split('\n').filter(Boolean))
      add(programs, parseJson(path, line, runtimeEventSchema));
  }
  return { processes: files.length, programs: [...programs.values()] };
}

function add(programs: Map<string, RuntimeProgram>, event: Event): void {
  const name = event.program;
  const program = programs.get(name) ?? {
    ...{ name, folder: null, profile: null, own: 0, counting: 0, production: 0 },
    ...{ measured: [], sampled: [], refused: [] },
  };
  programs.set(name, program);
  switch (event.event) {
    case 'program':
      program.folder = event.folder;
      program.profile = event.profile === '' ? null : event.profile;
      break;
    case 'measured': {
      const { launches, kernels, profile, known, gate } = event;
      program.measured.push({ launches, kernels, profile, known, gate });
      break;
    }
    case 'sampled':
      program.sampled.push({ launches: event.launches, distance: event.distance / 100, changed: event.changed });
      break;
    case 'kernel':
      program.own += event.own;
      program.counting += event.counting;
      program.production += event.production;
      break;
    case 'refused':
      program.refused.push({ code: event.code, reason: event.reason });
      break;
  }
}
