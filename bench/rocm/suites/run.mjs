// Runs the cases of the suites in the roots: processes of some cases each, in which every suite gets its share of the time.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { StepError } from '../../../tools/console.mjs';
import { allTargets } from './catalogue.mjs';
import { emulatedDriver } from './emulated_driver.mjs';
import { startOfProcess, Transcript } from './judge.mjs';
import { kinds } from './programs.mjs';
import { ended, enter } from './roots.mjs';

/** Finds the software GPU below a folder that has Kernloop installed, or in its native package or build. */
export function softgpuIn(folder, level) {
  if (level === 'kfd') {
    const { folder: built, preload } = emulatedDriver();
    return { folder: built, preload, sha256: digest(join(built, preload)) };
  }
  const below = ['node_modules/@kernloop/native-linux-x64', '@kernloop/native-linux-x64', '.'];
  const library = below.map((place) => join(folder, place, 'lib/softgpu/libhsa-runtime64.so.1')).find(existsSync);
  if (library === undefined)
    throw new StepError(`no software GPU is below ${folder}`, 'name a folder made by `node e2e/install.cjs FOLDER`', 2);
  return { folder: dirname(library), sha256: digest(library) };
}

const digest = (file) => createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 16);

/** Evenly over the whole: every N-th from `offset` on, and at least one. */
export function drawn(cases, every, offset = 0) {
  const taken = cases.filter((_, index) => index % every === offset % every);
  return taken.length > 0 ? taken : cases.slice(-1);
}

/** An order in which any beginning is spread over the whole: by the golden ratio. */
export function spread(items) {
  const place = (index) => (index * 0.6180339887) % 1;
  return items
    .map((item, index) => [place(index + 1), item])
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}

/**
 * What GoogleTest runs in each of its shards: every N-th of the cases that it lists. Together they hold what is drawn: each `sample`-th from `offset` on.
 */
export function shardsOf(listed, { sample, offset }, most = 25_000) {
  const count = Math.max(1, Math.ceil(listed.length / sample / most));
  const of = count * sample;
  return Array.from({ length: count }, (_, number) => {
    const index = (offset % sample) + number * sample;
    return { index, of, names: listed.filter((_name, place) => place % of === index) };
  });
}

/** Takes cases of `waiting` for one process: a quarter, so that other workers have some of a long program. */
export const handOut = (waiting, limit) => waiting.splice(0, Math.min(limit, Math.ceil(waiting.length / 4)));

/**
 * The cases that a process ended without. Another process takes those behind a signal: some programs print a case's name only with its result, and
 * abort between two cases. A program that exits has run all that it will.
 */
export function leftBehind(names, records, { code, signal }) {
  const seen = new Set(records.map((record) => record.case));
  const left = names.filter((name) => !seen.has(name));
  if (signal && left.length < names.length) return [];
  const why = `the program ended with ${signal ?? code} and had not run it`;
  return left.map((name) => ({ case: name, outcome: 'ended', why }));
}

/** A process in which no case began, of a program that has run others: its case ended it. If it had several, each gets a process of its own. */
export function ofStart(record, names, others) {
  if (record.case !== startOfProcess || record.outcome !== 'ended' || others === 0) return { record };
  return names.length > 1 ? { oneByOne: true } : { record: { ...record, case: names[0] } };
}

/**
 * For programs that print a case's name only with its result, in the order of their list: what came of a process before its first case, between two cases or
 * after its last came of the next case of `order`.
 */
export function ofTheNext(records, order) {
  let next = 0;
  return records.map((record) => {
    const isCase = !record.case.startsWith('(');
    if (isCase) next = order.indexOf(record.case) + 1;
    return isCase || order[next] === undefined ? record : { ...record, case: order[next] };
  });
}

const shell = (script, ...args) => ['sh', '-c', script, 'sh', ...args];

/** The files of a package. */
function filesOf(root, name) {
  const info = join(root, 'var/lib/dpkg/info');
  const list = [`${name}.list`, `${name}:amd64.list`].map((file) => join(info, file)).find(existsSync);
  return readFileSync(list, 'utf8').split('\n').filter(Boolean);
}

/** The targets for which programs, the ROCm libraries that they load, or other libraries of their packages have code; by their bundles' entries. */
async function targetsOf(root, programs, libraries) {
  const some = [programs[0], programs[programs.length >> 1], programs.at(-1)];
  const script = `for f in "$@"; do echo "$f"; ldd "$f" 2>/dev/null | awk '/=> \\//{print $3}' | grep -E '/lib(roc|hip|rccl|magma|MIOpen)'; done |
    sort -u | xargs grep -aohE 'amdgcn-amd-amdhsa--gfx[0-9a-f]+' | sort -u`;
  const { out } = await ended(enter(root, shell(script, ...new Set([...some, ...libraries]))));
  const found = [...out.matchAll(/gfx[0-9a-f]+/g)].map(([target]) => target);
  return { targets: allTargets.filter((target) => found.includes(target)), known: found.length > 0 };
}

/**
 * The rows of one suite in one release, a target each, with the results that earlier runs left: { key, programs: [{ path, cases, results }] }.
 */
export async function rowsOf({ folder, release, suite, catalogue, installed, targets, softgpu, sample, offset }) {
  const root = join(folder, 'root');
  const names = Object.keys(installed.packages);
  const files = names.flatMap((name) => filesOf(root, name));
  const programs = files.filter(
    (file) => /\/(?:libexec|lib|bin)\//.test(file) && catalogue.programs.test(basename(file)),
  );
  if (programs.length === 0) return { missing: `${names.join(', ')} holds no program ${catalogue.programs.source}` };
  const libraries = files.filter((file) => /\.so$/.test(file));
  const kept = join(folder, 'targets', `${suite}.json`);
  if (!existsSync(kept)) {
    mkdirSync(dirname(kept), { recursive: true });
    writeFileSync(kept, JSON.stringify(await targetsOf(root, programs, libraries)));
  }
  const code = JSON.parse(readFileSync(kept, 'utf8'));
  const wanted = targets.filter((target) => !code.known || code.targets.includes(target));
  return wanted.map((target) => {
    const results = join(folder, 'results', softgpu.sha256, suite, target);
    mkdirSync(results, { recursive: true });
    const all = spread(programs).map((path) => {
      const list = join(folder, 'lists', suite, `${basename(path)}.json`);
      const program = { ...programOf(path, results), list };
      return existsSync(list) ? withList(program, { sample, offset }, catalogue.inShards) : program;
    });
    return {
      ...{
        release,
        suite,
        target,
        root,
        folder,
        kind: kinds[catalogue.kind],
        filter: catalogue.filter,
        inShards: catalogue.inShards ?? false,
        packages: installed.packages,
      },
      ...{ code: code.known ? 'named in the files' : 'not named in the files', busy: 0 },
      programs: all,
      spent: all.reduce((sum, { spent }) => sum + spent, 0),
    };
  });
}

function programOf(path, results) {
  const file = join(results, `${basename(path)}.ndjson`);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const records = lines.map((line) => JSON.parse(line));
  const spent = records.reduce((sum, { seconds = 0 }) => sum + seconds, 0);
  return { path, file, results: new Map(records.map((record) => [record.case, record])), spent, busy: 0 };
}

/** If a program has two cases of one name, the worse is kept. */
function keep(program, record) {
  if ((program.results.get(record.case)?.outcome ?? 'right') !== 'right') return;
  program.results.set(record.case, record);
  appendFileSync(program.file, `${JSON.stringify(record)}\n`);
}

/** Whether no process is to be started any more. A program that does not start is done. */
const isDone = (program, { secondsPerProgram }) =>
  program.spent >= secondsPerProgram || program.results.has(startOfProcess) || program.waiting?.length === 0;

const leastServed = (all) =>
  all.reduce((least, one) => (one.spent + 30 * one.busy < least.spent + 30 * least.busy ? one : least));

/** Has `workers` take turns until all is done, time is up or `stop.aborted`. */
export async function runAll(rows, options, stop) {
  const until = Date.now() + options.minutes * 60_000;
  const over = () => stop.aborted || Date.now() >= until;
  // Targets share the list of a program: a second worker waits for it.
  const isBeingListed = (row) =>
    rows.some((other) => other !== row && other.release === row.release && other.suite === row.suite && other.busy > 0);
  const isFree = (row, program) =>
    !isDone(program, options) && (program.wanted !== undefined || (program.busy === 0 && !isBeingListed(row)));
  const work = async (worker) => {
    while (!over()) {
      const free = rows.filter((row) => row.programs.some((program) => isFree(row, program)));
      if (free.length === 0) {
        if (!rows.some(({ busy }) => busy > 0)) return;
        await new Promise((resolve) => setTimeout(resolve, 500)); // the others may leave something
        continue;
      }
      const row = leastServed(free);
      const program = leastServed(row.programs.filter((one) => isFree(row, one)));
      const started = Date.now();
      row.busy += 1;
      program.busy += 1;
      // These list and start for minutes, whatever they run.
      const secondsPerStart = options.secondsPerStart * (row.inShards ? 5 : 1);
      const turn = { ...options, secondsPerStart, worker, over, seconds: () => (Date.now() - started) / 1000 };
      if (program.wanted === undefined && existsSync(program.list)) withList(program, options, row.inShards);
      if (program.wanted === undefined) await list(row, program, turn);
      if (!over()) await some(row, program, turn);
      row.busy -= 1;
      program.busy -= 1;
      row.spent += turn.seconds();
      program.spent += turn.seconds();
      options.told(row, program);
    }
  };
  await Promise.all(Array.from({ length: options.workers }, (_, worker) => work(worker)));
}

const inside = '/kernloop';
const insideWork = '/kernloop-work';

/** Starts a command on the software GPU. */
export function start(row, command, { worker, softgpu, threads }) {
  const work = join(row.folder, 'work', String(worker));
  mkdirSync(work, { recursive: true });
  const env = {
    LD_LIBRARY_PATH: inside,
    LD_PRELOAD: softgpu.preload ?? 'libkernloop-hip.so',
    ...(softgpu.preload && { KERNLOOP_SOFTGPU_LINUX: '6.12' }),
    KERNLOOP_SOFTGPU: row.target,
    KERNLOOP_SOFTGPU_THREADS: String(threads),
    OMP_NUM_THREADS: '1',
    PYTHONUNBUFFERED: '1',
    TMPDIR: insideWork,
  };
  const mounts = [
    [softgpu.folder, inside, 'ro'],
    [work, `${insideWork}`, 'rw'],
  ];
  // Each worker has a mount namespace of its own, in which the same place shows its own folder.
  return { work, child: enter(row.root, command, { mounts, env, merged: true }) };
}

/** One that died of a signal below the shell. */
const signalOf = (code) => Object.keys(constants.signals).find((name) => constants.signals[name] === code - 128);

/** The cases of a program, as the program lists them on the first target that comes to it. What cannot be listed is a result. */
async function list(row, program, turn) {
  const found = row.kind.list ? await asked(row, program, turn) : { cases: [basename(program.path)], disabled: [] };
  if (found === undefined) return;
  if (found.failed !== undefined) {
    program.wanted = program.waiting = [];
    keep(program, { case: startOfProcess, outcome: found.outcome, why: found.failed });
    return;
  }
  mkdirSync(dirname(program.list), { recursive: true });
  writeFileSync(program.list, JSON.stringify(found));
  withList(program, turn, row.inShards);
}

/** The program with its kept list, and what is drawn of it: spread, so that what time allows is a sample of the whole. */
function withList(program, { sample, offset }, inShards) {
  const { cases, disabled } = JSON.parse(readFileSync(program.list, 'utf8'));
  const wanted = spread(drawn(cases, sample, offset));
  const waiting = [...new Set(wanted)].filter((name) => !program.results.has(name));
  const shards = inShards && waiting.length > 0 ? shardsOf(cases, { sample, offset }) : [];
  return Object.assign(program, { listed: cases, disabled: disabled.length, wanted, waiting, shards });
}

async function asked(row, program, turn) {
  const { child } = start(row, row.kind.list(program.path, row.filter), turn);
  let late = false;
  const watch = setInterval(() => {
    late ||= turn.seconds() > turn.secondsPerStart;
    if (late || turn.over()) child.kill('SIGKILL');
  }, 500);
  const { code, text } = await ended(child);
  clearInterval(watch);
  const found = row.kind.cases(text);
  if (found.cases.length > 0 && code === 0) return found;
  if (late) return { outcome: 'late', failed: `its cases were not listed within ${turn.secondsPerStart} s` };
  if (turn.over()) return undefined;
  const last = text.trimEnd().split('\n').slice(-2).join(' | ').slice(0, 300);
  return {
    outcome: 'ended',
    failed: `it lists no case: ${signalOf(code) ?? `exit code ${code}`}; last lines: ${last}`,
  };
}

/** A process of some cases; each that is wrong runs once more, alone. */
async function some(row, program, turn) {
  const shard = program.isOneByOne ? undefined : program.shards?.shift();
  const names = shard
    ? takeOf(shard, program)
    : handOut(program.waiting ?? [], program.isOneByOne ? 1 : row.kind.limit);
  if (names.length === 0) return;
  const wanted = new Set(names);
  for (const found of await oneProcess(row, program, names, turn, shard)) {
    const { oneByOne = false, record } = ofStart(found, names, program.results.size);
    program.isOneByOne ||= oneByOne;
    if (record === undefined) continue;
    if (!wanted.has(record.case) && !record.case.startsWith('(')) continue; // of a filter that matches more
    const again =
      ['wrong', 'ended'].includes(record.outcome) && names.length > 1 && wanted.has(record.case) && !turn.over();
    keep(program, again ? await alone(row, program, record, turn) : record);
  }
  program.waiting.push(...names.filter((name) => !program.results.has(name)));
}

/** Takes a shard's cases that still wait. The cases that its process leaves are run by name, so that a case that ends the process ends it once. */
function takeOf(shard, program) {
  const inShard = new Set(shard.names);
  const names = program.waiting.filter((name) => inShard.has(name));
  program.waiting = program.waiting.filter((name) => !inShard.has(name));
  return names;
}

async function alone(row, program, first, turn) {
  const started = Date.now();
  const seconds = () => (Date.now() - started) / 1000;
  const second = (await oneProcess(row, program, [first.case], { ...turn, seconds })).find(
    (record) => record.case === first.case,
  );
  if (second === undefined || second.outcome === first.outcome) return first;
  if (second.outcome === 'refused' || second.outcome === 'late') return { ...second, seconds: first.seconds };
  return { ...first, why: `${second.outcome} when run again alone; at first: ${first.why}` };
}

/** The records of one process. It is stopped after `secondsPerTurn` between two cases, and in a case that takes too long. */
function oneProcess(row, program, names, turn, shard) {
  const { kind } = row;
  const secondsPerTurn = shard ? Infinity : turn.secondsPerTurn;
  const work = join(row.folder, 'work', String(turn.worker));
  mkdirSync(work, { recursive: true });
  if (kind.flags && !shard) writeFileSync(join(work, 'flags'), `${kind.flags(names)}\n`);
  const command = shard ? kind.runShard(program.path, row.filter, shard) : kind.run(program.path, names);
  const { child } = start(row, command, turn);
  const transcript = new Transcript(kind.words);
  const records = [];
  let since = Date.now();
  let first;
  let running;
  let late;
  let killed = false;
  const kill = () => {
    killed = true;
    child.kill('SIGKILL');
  };
  const take = (found) => {
    for (const record of found) records.push({ ...record, seconds: Math.round((Date.now() - since) / 100) / 10 });
    if (transcript.current === running && found.length === 0) return;
    running = transcript.current;
    since = Date.now();
    first ??= since;
  };
  const look = () => {
    const isBetween = transcript.current === undefined && transcript.begun > 0;
    const enough = transcript.stopped || (Date.now() - first > secondsPerTurn * 1000 && records.length > 0);
    if (turn.over() || (isBetween && enough && records.length < names.length)) return kill();
    const limit = transcript.begun === 0 ? turn.secondsPerStart : turn.secondsPerCase;
    if (Date.now() - since < limit * 1000) return;
    late = `${transcript.begun === 0 ? 'no case began' : 'no end'} within ${limit} s`;
    kill();
  };
  const watch = setInterval(look, 500);
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (data) => {
      if (killed) return;
      take(transcript.feed(String(data)));
      look();
    });
    child.stderr.on('data', (data) => {
      if (!killed) take(transcript.feed(String(data)));
    });
    child.once('error', reject);
    child.once('close', (code) => {
      clearInterval(watch);
      const signal = code === null ? 'SIGKILL' : signalOf(code);
      const inCase = transcript.current !== undefined;
      killed ||= turn.over();
      take(transcript.close({ code, signal, late, killed }));
      if (!killed && !inCase && !transcript.stopped && transcript.begun > 0)
        records.push(...leftBehind(names, records, { code, signal }));
      const wanted = new Set(names);
      resolve(
        kind.namesLast
          ? ofTheNext(
              records,
              program.listed.filter((name) => wanted.has(name)),
            )
          : records,
      );
    });
  });
}
