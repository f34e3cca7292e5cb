// Examines the reproducer of one kernel (../gpu-triton.mjs); a worker, as every step is a process that is waited for.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { kernloop, kernloopJson, run } from './host.mjs';
import { kernels, reconfigured } from './triton-edits.mjs';

const { folder, app, name, tunes } = workerData;
const plan = kernels[name];
const reproducer = join('kernels', app, name);
const path = (...parts) => join(folder, reproducer, ...parts);
const readJson = (...parts) => JSON.parse(readFileSync(path(...parts), 'utf8'));
const failures = [];
const note = (step, ended) => failures.push({ kernel: name, step, exit: ended.code, output: ended.text.slice(-1500) });

function examine() {
  const { code_object: codeObject, symbol } = readJson('kernel.json');
  const record = {
    kernel: name,
    symbol: symbol ?? codeObject,
    selfcheck: readJson('capture', 'selfcheck.json').verdict,
  };
  record.recompiled = recompile('recompile');
  record.validate = verdict(expected('validate', validate(), 'pass'));
  record.reproducer = ownLaunch();
  record.wrong = edited(plan.wrong, () => verdict(expected('wrong edit', validate(), 'fail')));
  record.right = edited(plan.right, () => verdict(expected('right edit', validate(), 'pass')));
  record.changed = edited(reconfigured(plan), otherConfiguration);
  if (tunes) record.tuned = tune();
  return record;
}

/** Whether what was built is the captured code, in Kernloop's words. */
function recompile(step) {
  const ended = kernloop(['recompile', reproducer], { cwd: folder });
  if (ended.code !== 0) {
    note(step, ended);
    return 'no build';
  }
  return ended.text.includes('byte for byte') ? 'byte for byte' : 'another code';
}

function validate(bounds) {
  const words = Object.entries(bounds ?? {}).flatMap(([option, value]) => [`--${option}`, `${value}`]);
  return kernloopJson(['validate', reproducer, ...words], { cwd: folder });
}

const verdict = (ended) => ended.result?.verdict ?? `exit ${ended.code}`;

function expected(step, ended, wanted) {
  if (verdict(ended) !== wanted) note(step, ended);
  return ended;
}

/** `python3 reproducer.py`, with neither Node nor the app: Triton and PyTorch launch it on the captured memory. */
function ownLaunch() {
  const ended = run('python3', ['reproducer.py', '--output', 'build/own.cubin'], { cwd: path() });
  if (ended.code !== 0) note('reproducer.py', ended);
  const counts = [...ended.text.matchAll(/: (\d+) of (\d+) bytes differ/g)];
  const sum = (index) => counts.reduce((total, count) => total + Number(count[index]), 0);
  return { exit: ended.code, differing_bytes: sum(1), bytes: sum(2) };
}

/** With the file edited and compiled; it is as before afterwards. */
function edited([file, edit], judge) {
  const before = readFileSync(path(file), 'utf8');
  const after = edit(before);
  if (after === before) throw new Error(`the edit of ${file} of ${name} finds nothing to change`);
  writeFileSync(path(file), after);
  try {
    return recompile(`recompile ${file}`) === 'no build' ? 'no build' : judge();
  } finally {
    writeFileSync(path(file), before);
  }
}

/** Launched as its script says, judged byte for byte and with bounds that are stated, and timed beside the captured code. */
function otherConfiguration() {
  const exact = validate();
  const bounded = expected('another configuration', validate(plan.bounds), 'pass');
  const errors = (bounded.result?.regions ?? []).flatMap(({ elements }) => elements);
  const worst = (key) => Math.max(...errors.map((each) => each[key] ?? Infinity), 0);
  const compared = kernloopJson(['replay', reproducer, '--compare'], { cwd: folder });
  if (compared.code !== 0) note('replay --compare', compared);
  const { speed, duration_ns: durationNs, baseline } = compared.result ?? {};
  return {
    configuration: plan.configuration,
    exact: verdict(exact),
    usual_tolerance: exact.result?.usual_tolerance ?? null,
    bounds: plan.bounds,
    within_bounds: verdict(bounded),
    max_abs_error: worst('max_abs_error'),
    max_ulp_error: worst('max_ulp_error'),
    unequal: errors.reduce((sum, { within = 0, outside = 0 }) => sum + within + outside, 0),
    elements: errors.reduce((sum, { elements = 0 }) => sum + elements, 0),
    captured_ns: baseline?.duration_ns?.median ?? null,
    variant_ns: durationNs?.median ?? null,
    ratio: speed?.ratio ?? null,
    ratio_ci95: speed?.ci95 ?? null,
    speed: speed?.verdict ?? `exit ${compared.code}`,
  };
}

function tune() {
  const { atol, rtol } = plan.bounds;
  const words = plan.search.flatMap((space) => ['--set', space]);
  const ended = kernloopJson(['tune', reproducer, ...words, '--atol', `${atol}`, '--rtol', `${rtol}`], { cwd: folder });
  if (ended.code !== 0 || ended.result === undefined) {
    note('tune', ended);
    return { exit: ended.code };
  }
  const { candidates, best, scored_by: scoredBy, reason } = ended.result;
  const { parameters, score } = candidates.find(({ key }) => key === best) ?? { parameters: null, score: null };
  return {
    seconds: Math.round(ended.seconds),
    scored_by: scoredBy,
    reason,
    candidates: candidates.length,
    passed: candidates.filter(({ status }) => status === 'pass').length,
    best: parameters,
    time_ratio: score?.time_ratio ?? null,
  };
}

try {
  parentPort.postMessage({ record: examine(), failures });
} catch (error) {
  failures.push({ kernel: name, step: 'bench', output: error.message });
  parentPort.postMessage({ record: { kernel: name }, failures });
}
