// Cases of a GoogleTest program, repeated in one process.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outcomes, Transcript } from './judge.mjs';
import { kinds } from './programs.mjs';
import { start } from './run.mjs';

/** By outcome, how many repetitions; and the reason of each that was not right. */
export function countsOf(records) {
  const counts = Object.fromEntries(
    outcomes.map((outcome) => [outcome, records.filter((record) => record.outcome === outcome).length]),
  );
  const others = records.filter(({ outcome }) => outcome !== 'right');
  return { run: records.length, ...counts, others: others.map((one) => `${one.case}: ${one.outcome}: ${one.why}`) };
}

/** The sums of several. */
export const together = (all) =>
  Object.fromEntries(
    ['run', ...outcomes, 'others'].map((key) => [
      key,
      key === 'others' ? all.flatMap((one) => one.others) : all.reduce((sum, one) => sum + one[key], 0),
    ]),
  );

/** Runs `names` of `program` up to `repeats` times each: the records of what ended before `seconds` were over. */
export function repeatedIn(row, program, names, { repeats, seconds, ...turn }) {
  const work = join(row.folder, 'work', String(turn.worker));
  mkdirSync(work, { recursive: true });
  writeFileSync(join(work, 'flags'), `${kinds.gtest.flags(names)}\n--gtest_repeat=${repeats}\n`);
  const { child } = start(row, kinds.gtest.run(program), turn);
  const transcript = new Transcript(kinds.gtest.words);
  const records = [];
  let killed = false;
  const take = (data) => {
    if (killed) return;
    records.push(...transcript.feed(String(data)));
    if (!transcript.stopped) return;
    killed = true;
    child.kill('SIGKILL');
  };
  const limit = setTimeout(() => {
    killed = true;
    child.kill('SIGKILL');
  }, seconds * 1000);
  return new Promise((resolve, reject) => {
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(limit);
      records.push(...transcript.close({ code, signal: code > 128 ? `signal ${code - 128}` : undefined, killed }));
      resolve(records);
    });
  });
}
