// Parts of a judgement: wall and CPU seconds of each program that a judge starts, by kind.
import { basename } from 'node:path';
import { rounded } from './gpu/host.mjs';

const compilationOf = (args) => `compilation: ${args.includes('-cc1') ? 'front end' : 'driver'}`;

/** Options of a replay that say which step of a judgement it is. */
const steps = {
  '--derive': 'derived inputs',
  '--adverse': 'adverse order',
  '--machine-in-use': 'first, on a machine in use',
  '--side-by-side': 'times beside the captured code',
};

function partOf(file, args) {
  const program = basename(file);
  if (program === 'kernloop-sandbox') return compilationOf(args);
  if (program !== 'kernloop-replay') return program;
  const step = Object.entries(steps).find(([option]) => args.includes(option));
  if (step) return `replay: ${step[1]}`;
  const others = args.filter((arg) => arg.startsWith('--')).sort();
  return `replay: ${others.join(' ')}`;
}

/** Dependencies of stages that count each program, and the sums so far. Nothing counts until `begin`. */
export function countedParts() {
  const parts = new Map();
  let isCounted = false;
  function add(part, cpu, wall = 0) {
    if (!isCounted) return;
    const known = parts.get(part) ?? { programs: 0, cpu: 0, wall: 0 };
    parts.set(part, { programs: known.programs + 1, cpu: known.cpu + cpu, wall: known.wall + wall });
  }
  return {
    add,
    begin: () => {
      isCounted = true;
    },
    wrap: (deps) => ({
      ...deps,
      run: (file, args, options) => {
        const began = performance.now();
        const running = deps.run(file, args, options);
        void running.result.then(({ cpuSeconds = 0 }) =>
          add(partOf(file, args), cpuSeconds, (performance.now() - began) / 1000),
        );
        return running;
      },
    }),
    /** Rows for one of `count` candidates: part, programs, CPU seconds, wall seconds. */
    rows: (count) =>
      [...parts].map(([part, { programs, cpu, wall }]) => [
        ...[part, rounded(programs / count, 2), rounded(cpu / count, 3), rounded(wall / count, 3)],
      ]),
  };
}
