// Cost of the capture agent in a program of which nothing is captured: empty dispatches with the agent loaded and no
// kernel matching, and without the agent, alternating in one run.
//   node bench/capture-overhead.mjs [DISPATCHES=200000] [ROUNDS=3] [BUILD=native/build]
// Prints one JSON object with nanoseconds per dispatch: wall time, CPU time of the launching thread, and the part in
// the agent's packet handler. The rest of the overhead is the runtime's interception of the queue and the wake-ups that
// it shifts.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [dispatches, rounds] = [process.argv[2] ?? 200_000, process.argv[3] ?? 3].map(Number);
if (!Number.isInteger(dispatches) || !Number.isInteger(rounds) || dispatches < 1 || rounds < 1) {
  process.stderr.write('usage: node bench/capture-overhead.mjs [DISPATCHES] [ROUNDS] [BUILD]\n');
  process.exit(2);
}
const build = resolve(process.argv[4] ?? join(root, 'native', 'build'));
const softgpu = process.env.KERNLOOP_TEST_SOFTGPU ?? join(build, 'lib', 'softgpu');
const app = join(build, 'capture', 'capture_app.elf');
const recorderProgram = join(build, 'bin', 'kernloop-recorder');
const agent = join(build, 'lib', 'libkernloop-capture-hsa.so');
const handlerBench = join(build, 'bin', 'capture_handler_bench');
for (const file of [app, recorderProgram, agent, handlerBench, join(softgpu, 'libhsa-runtime64.so.1')]) {
  if (existsSync(file)) continue;
  process.stderr.write(`${file} is missing: build the native tests, and then: ninja -C native/build benches\n`);
  process.exit(5);
}

const folder = mkdtempSync(join(tmpdir(), 'kernloop-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

function launch(environment) {
  const output = execFileSync(app, ['empty', String(dispatches)], {
    env: { ...process.env, LD_LIBRARY_PATH: softgpu, ...environment },
    encoding: 'utf8',
  });
  return JSON.parse(output);
}

/** Runs `work` beside a recorder that wants a nonexistent kernel; returns its result and the recorder's summary. */
async function withRecorder(work) {
  const socket = join(folder, 'socket');
  const config = join(folder, 'config.json');
  const selection = { id: 's', match: '^matches nothing$', output: join(folder, 'capture') };
  writeFileSync(config, JSON.stringify({ mode: 'capture', selections: [selection], tool_version: 'bench' }));
  const recorder = spawn(recorderProgram, ['--socket', socket, '--config', config], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  await new Promise((listening, failed) => {
    recorder.once('exit', () => failed(new Error(`kernloop-recorder ended: ${said}`)));
    recorder.stdout.on('data', (chunk) => {
      said += chunk;
      if (said.includes('"listening"')) listening();
    });
  });
  const ended = new Promise((done) => recorder.once('close', done));
  const result = work(socket);
  recorder.stdin.end();
  await ended;
  return { result, summary: JSON.parse(said.trim().split('\n').at(-1)) };
}

async function launchWithAgent() {
  const { result, summary } = await withRecorder((socket) =>
    launch({ HSA_TOOLS_LIB: agent, KERNLOOP_RECORDER_SOCKET: socket }),
  );
  if (summary.dispatches === dispatches + 1) return result;
  throw new Error(`the agent saw ${summary.dispatches} of ${dispatches + 1} dispatches: nothing was measured`);
}

async function handlerAlone() {
  const { result } = await withRecorder((socket) =>
    JSON.parse(execFileSync(handlerBench, ['--socket', socket], { encoding: 'utf8' })),
  );
  if (!result.something_left) throw new Error('the handler had nothing left to look for: its short cut was measured');
  return result.handler_ns;
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const samples = { without: [], agent: [] };
for (let round = 0; round < rounds; round += 1) {
  samples.without.push(launch({}));
  samples.agent.push(await launchWithAgent());
}
const of = (name, field) => Math.round(median(samples[name].map((sample) => sample[field])));
const row = (field) => ({
  without: of('without', field),
  with_agent: of('agent', field),
  added: of('agent', field) - of('without', field),
});
console.log(
  JSON.stringify(
    {
      bench: 'capture-overhead',
      device: 'softgpu',
      dispatches,
      rounds,
      wall_ns: row('wall_ns'),
      launch_cpu_ns: row('launch_cpu_ns'),
      handler_ns: await handlerAlone(),
    },
    null,
    2,
  ),
);
