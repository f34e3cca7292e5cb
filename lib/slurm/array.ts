import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../support/files';
import type { Deps } from '../deps/deps';
import { throwIfInterrupted } from '../support/interrupted';
import { SlurmClient, type JobFacts } from './client';
import { hiddenExit, JobMarks, wrapped, wrapper } from './command';
import { endError } from './end';
import { clientEnvironment } from './environment';
import { Exchange, valueOf, type JobRequest } from './exchange';
import { cancelLimitMs, jobCommand, missing, QueueWait, retrying, submission, visiblePaths, type Job } from './job';

/** Like runJob, with one task of a job array per request. Only lost tasks are submitted again. */
export async function runArray(job: Job, requests: readonly JobRequest[], deps: Deps): Promise<unknown[]> {
  const answers = new Map<number, unknown>();
  await retrying(job.runner, deps, () => attempt(job, requests, answers, deps));
  return requests.map((_, task) => answers.get(task));
}

/** One attempt in a new folder: lost tasks that still run unseen find theirs gone. */
async function attempt(
  job: Job,
  requests: readonly JobRequest[],
  answers: Map<number, unknown>,
  deps: Deps,
): Promise<void> {
  const exchange = new Exchange(job.workspaceRoot, job.label);
  const client = new SlurmClient(deps.env);
  const open = [...requests.keys()].filter((task) => !answers.has(task));
  try {
    requests.forEach((request, task) => exchange.ask(request, task));
    writeFileAtomic(join(exchange.folder, 'job.sh'), `#!/bin/sh\n${wrapper}`);
    await submit(job, open, exchange, answers, client, deps);
  } finally {
    if (deps.signal.aborted && !(await client.cancel(exchange.name, cancelLimitMs)))
      deps.report.warn(`the job ${exchange.name} may still run: \`scancel --name=${exchange.name}\``);
    exchange.remove();
  }
}

async function submit(
  job: Job,
  open: readonly number[],
  exchange: Exchange,
  answers: Map<number, unknown>,
  client: SlurmClient,
  deps: Deps,
): Promise<void> {
  const { folder, name } = exchange;
  const wait = new QueueWait(job.runner, name, client, () => open.some((task) => existsSync(logFile(folder, task))));
  const submitted = deps.run(
    'sbatch',
    [
      ...['--wait', '--no-requeue', ...submission(job, name, deps), `--array=${open.join(',')}`],
      ...['--input=/dev/null', `--output=${folder}/%a.log`, `--error=${folder}/%a.log`],
      ...[join(folder, 'job.sh'), ...wrapped(visiblePaths(job, folder), jobCommand(folder))],
    ],
    { env: clientEnvironment(deps.env), onStderr: (chunk) => deps.report.output(chunk) },
  );
  let ended: Awaited<typeof submitted.result>;
  try {
    ended = await submitted.result;
  } finally {
    await wait.end();
  }
  throwIfInterrupted(deps.signal);
  if (ended.startError !== null) throw missing('sbatch', ended);
  if (wait.error) throw wait.error;
  const facts = ended.exitCode === 0 ? [] : await client.find(name);
  // Tasks that started before the error would continue.
  if (ended.exitCode !== 0) await client.cancel(name, facts === null ? 0 : cancelLimitMs);
  let failure: Error | undefined;
  for (const task of open) {
    const log = textOr(logFile(folder, task));
    const marks = new JobMarks();
    for (const line of log.split('\n')) if (!marks.take(line) && line !== '') deps.report.info(line);
    // The last of several tries.
    const own = facts
      ?.filter(({ id }) => id.endsWith(`_${task}`))
      .sort(byNumber)
      .at(-1);
    const answer = await exchange.answer(ended.exitCode === 0 || own?.state === 'COMPLETED', task);
    if (answer) answers.set(task, valueOf(answer));
    else {
      const known = own ?? (facts === null ? null : await accounted(marks, client));
      const node = marks.node ?? own?.nodes;
      const nodeIsDown = node ? await client.isDown(node) : false;
      const text = marks.id === undefined ? ended.stderrTail : log;
      const exitCode = marks.hidden.length > 0 ? hiddenExit : ended.exitCode;
      failure ??= endError({ exitCode, text, marks, facts: known, nodeIsDown }, job.runner);
    }
  }
  if (failure) throw failure;
}

async function accounted({ id }: JobMarks, client: SlurmClient): Promise<JobFacts | undefined> {
  return id === undefined ? undefined : ((await client.accounted(id)) ?? undefined);
}

const byNumber = (one: JobFacts, other: JobFacts): number => parseInt(one.id, 10) - parseInt(other.id, 10);

const logFile = (folder: string, task: number): string => join(folder, `${task}.log`);

function textOr(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
