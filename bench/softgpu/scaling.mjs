// One dispatch on more and more threads, and what keeps it from being linear. The control are as many processes at once, one thread
// and a dispatch of its own each: they share no lock, no memory and no work, so what they lose the host takes (clocks, hyper-threads,
// caches, memory), not the runtime.
import { least, measure, millionsASecond, rounded, rounds } from './runs.mjs';

const NEAR_LINEAR = 0.9;

function boundBy({ efficiency, busy, cost, host }) {
  if (efficiency >= NEAR_LINEAR) return 'nothing: near-linear';
  if (1 - busy > 1 - 1 / cost) return 'threads without work: the start of a dispatch and its last workgroups';
  if (host <= efficiency + 0.1) return 'the host: as many processes of one thread lose as much';
  return 'threads in each other’s way';
}

function point(threads, one, { results, control }) {
  const [{ wave_instructions }] = results;
  const fastest = results
    .flatMap(({ wall_ns, cpu_ns }) => wall_ns.map((wall, k) => ({ wall, cpu: cpu_ns[k] })))
    .reduce((best, next) => (next.wall < best.wall ? next : best));
  const facts = {
    efficiency: one.wall / (fastest.wall * threads),
    busy: Math.min(1, fastest.cpu / (fastest.wall * threads)),
    cost: fastest.cpu / one.cpu,
    host: control.length > 0 ? one.wall / least(control, 'wall_ns') : 1,
  };
  return {
    threads,
    wave_instructions_per_us: millionsASecond(wave_instructions, fastest.wall),
    speedup: rounded(facts.efficiency * threads),
    efficiency: rounded(facts.efficiency), // speedup / threads
    threads_busy: rounded(facts.busy), // CPU time / (wall time * threads)
    cpu_time_a_dispatch: rounded(facts.cost), // that of one thread is 1
    efficiency_of_processes: rounded(facts.host), // the control
    bound_by: boundBy(facts),
  };
}

export function scaling(folder, cases, counts, most, seconds) {
  const samples = cases.map(() => counts.map(() => ({ results: [], control: [] })));
  const done = rounds(most, seconds, () => {
    cases.forEach((one, index) => {
      counts.forEach((threads, at) => {
        const { results, control } = samples[index][at];
        results.push(measure(folder, 'softgpu', one, { threads }));
        if (threads > 1) control.push(measure(folder, 'softgpu', one, { threads: 1, copies: threads }));
      });
    });
  });
  const rows = cases.map(({ name, size }, index) => {
    const [{ results }] = samples[index];
    const one = { wall: least(results, 'wall_ns') * counts[0], cpu: least(results, 'cpu_ns') };
    return { case: name, size, threads: counts.map((threads, at) => point(threads, one, samples[index][at])) };
  });
  return { rounds: done, rows };
}
