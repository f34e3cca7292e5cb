// Results of the runs: figures of each row, the table, and the evidence.
import { outcomes } from './judge.mjs';

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

/** By outcome: the names (`program: case`) with the reason, of all that need one. */
function named(records, outcome) {
  const list = {};
  for (const { program, record } of records) {
    if (record.outcome !== outcome) continue;
    (list[record.why] ??= []).push(`${program}: ${record.case}`);
  }
  return list;
}

/** By the suite's own reason: how many cases it skipped. A suite skips thousands, whose names nobody reads. */
const countedSkips = (records) =>
  Object.fromEntries(Object.entries(named(records, 'skipped')).map(([why, cases]) => [why, cases.length]));

/**
 * The figures of one row. `drawn` cases are `run` or `not_run`; those that were run are one of the outcomes each. What came of a process and not
 * of a case (it did not start, it died after its last case) is counted apart, as `processes`.
 */
export function figuresOf(row) {
  const nameOf = (program) => program.path.split('/').at(-1);
  const records = row.programs.flatMap((program) =>
    [...program.results.values()].map((record) => ({ program: nameOf(program), record })),
  );
  const isCase = ({ record }) => !record.case.startsWith('(');
  const cases = records.filter(isCase);
  const count = (outcome) => cases.filter(({ record }) => record.outcome === outcome).length;
  const listed = row.programs.filter((program) => program.listed !== undefined);
  const drawn = sum(listed.map((program) => new Set([...program.wanted, ...casesOf(program)]).size));
  const counts = Object.fromEntries(outcomes.map((outcome) => [outcome, count(outcome)]));
  const reasons = outcomes
    .filter((outcome) => outcome !== 'right')
    .map((outcome) => [outcome, outcome === 'skipped' ? countedSkips(cases) : named(cases, outcome)]);
  return {
    ...{ release: row.release, suite: row.suite, target: row.target, packages: row.packages, code: row.code },
    ...{ programs: row.programs.length, programs_listed: listed.length },
    ...{
      listed: sum(listed.map((program) => program.listed.length)),
      disabled: sum(listed.map((program) => program.disabled ?? 0)),
    },
    ...{ drawn, run: cases.length, not_run: drawn - cases.length, ...counts },
    processes: records.filter((one) => !isCase(one)).map(({ program, record }) => ({ program, ...record })),
    why: Object.fromEntries(reasons),
  };
}

const casesOf = (program) => [...program.results.keys()].filter((name) => !name.startsWith('('));

/** Counts that do not add up are an error of this script, and said so. */
export function checked(figures) {
  const { run, drawn, not_run, release, suite, target } = figures;
  if (sum(outcomes.map((outcome) => figures[outcome])) !== run || run + not_run !== drawn || not_run < 0)
    throw new Error(`the figures of ${release}, ${suite}, ${target} do not add up: ${JSON.stringify(figures)}`);
  return figures;
}

/** `refused` of the table: each instruction, packet or function, with its cases. */
function refusals({ why }) {
  const entries = Object.entries(why.refused).map(([reason, cases]) => [reason.split('; the suite:')[0], cases.length]);
  const totals = {};
  for (const [reason, cases] of entries) totals[reason] = (totals[reason] ?? 0) + cases;
  return Object.entries(totals).sort(([, a], [, b]) => b - a);
}

const columns = ['right', 'wrong', 'refused', 'late', 'ended', 'skipped', 'not_run'];
const heads = ['right', 'wrong', 'refused', 'out of time', 'ended early', 'skipped by the suite', 'not run'];

/** Markdown: a line for each row, and for each suite that is not installed. */
export function tableOf(rows, missing) {
  const lines = [
    `| release | suite | target | ${heads.join(' | ')} |`,
    `|---|---|---|${heads.map(() => '--:|').join('')}`,
    ...rows.map(
      (row) =>
        `| ${row.release} | ${row.suite} | ${row.target} | ${columns.map((name) => notRun(row, name)).join(' | ')} |`,
    ),
    `| | all | | ${columns.map((name) => sum(rows.map((row) => row[name]))).join(' | ')} |`,
  ];
  for (const { release, suite, why } of missing)
    lines.push(`| ${release} | ${suite} | not installed: ${why} |${' |'.repeat(heads.length)}`);
  return lines.join('\n');
}

/** Programs that were not come to have cases that nobody has counted. */
function notRun(row, name) {
  const unlisted = row.programs - row.programs_listed;
  return name === 'not_run' && unlisted > 0 ? `${row.not_run} and ${unlisted} of ${row.programs} programs` : row[name];
}

/** Cases that need a look, by name: wrong ones first. */
export function detailsOf(rows) {
  const lines = [];
  for (const row of rows) {
    const where = `${row.release} ${row.suite} ${row.target}`;
    for (const outcome of ['wrong', 'ended', 'late'])
      for (const [reason, cases] of Object.entries(row.why[outcome]))
        lines.push(
          `${outcome}: ${where}: ${cases.slice(0, 3).join(', ')}${cases.length > 3 ? `, ${cases.length - 3} more` : ''}: ${reason}`,
        );
    for (const [reason, cases] of refusals(row)) lines.push(`refused: ${where}: ${cases} cases: ${reason}`);
    for (const { program, case: name, outcome, why } of row.processes)
      lines.push(`${outcome}: ${where}: ${program} ${name}: ${why}`);
  }
  const order = ['wrong', 'ended', 'refused', 'late'];
  return lines.sort((a, b) => order.indexOf(a.split(':')[0]) - order.indexOf(b.split(':')[0])).join('\n');
}

const keyOf = ({ release, suite, target }) => [release, suite, target].join(' ');

/**
 * Adds to the evidence what an earlier one has of rows and suites that this run did not come to, and its remarks and repetitions. Such rows name their
 * date, commit and software GPU.
 */
export function withEarlier(now, earlier) {
  if (earlier === undefined) return now;
  const { date, commit, kernloop } = earlier;
  const before = earlier.rows.map((row) => (row.run > 0 ? { of: { date, commit, kernloop }, ...row } : row));
  const old = new Map(before.map((row) => [keyOf(row), row]));
  const rows = now.rows.map((row) => (row.run > 0 ? row : (old.get(keyOf(row)) ?? row)));
  const asked = new Set([...now.rows, ...now.not_installed].map(({ release, suite }) => `${release} ${suite}`));
  const isOther = ({ release, suite }) => !asked.has(`${release} ${suite}`);
  const known = new Set(now.rows.map(keyOf));
  const { remarks, look_back, repetitions } = earlier;
  return {
    ...now,
    ...(remarks && { remarks }),
    ...(look_back && { look_back }),
    ...(repetitions && { repetitions }),
    versions: { ...earlier.versions, ...now.versions },
    not_installed: [...now.not_installed, ...earlier.not_installed.filter(isOther)],
    rows: [...rows, ...before.filter((row) => !known.has(keyOf(row)))],
  };
}

/** JSON of the evidence, a row a line. */
export function evidenceOf({ rows, ...head }) {
  const text = JSON.stringify(head, null, 2).replace(/\n}$/, '');
  return `${text},\n  "rows": [\n${rows.map((row) => `    ${JSON.stringify(row)}`).join(',\n')}\n  ]\n}\n`;
}
