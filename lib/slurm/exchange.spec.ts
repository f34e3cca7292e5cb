import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeJson } from '../support/files';
import { unlessGivenUp } from '../support/given-up';
import { answerFile, Exchange, giveUpOrphans, throwUnlessAsked } from './exchange';

describe('the folder of a job', () => {
  let workspace: string;
  beforeEach(() => (workspace = mkdtempSync(join(tmpdir(), 'kernloop-exchange-'))));
  afterEach(() => {
    unlessGivenUp(() => undefined);
    rmSync(workspace, { recursive: true, force: true });
  });
  const request = { work: 'stage', stage: 'validate', cwd: '/', options: {}, env: {} };

  it('takes the answer of a job that is waited for, and no result of one that was given up', () => {
    const exchange = new Exchange(workspace, 'validate-k');
    exchange.ask(request);
    unlessGivenUp(() => throwUnlessAsked(exchange.folder, 0));
    const report = join(workspace, 'report.json');
    writeJson(report, { verdict: 'pass' });
    expect(existsSync(report)).toBe(true);
    rmSync(report);

    exchange.remove();
    const givenUp = expect.objectContaining({ code: 'INTERRUPTED' }) as unknown;
    expect(() => writeJson(report, { verdict: 'fail' })).toThrow(givenUp as Error);
    // The late answer must not recreate the folder.
    expect(() => writeJson(answerFile(exchange.folder, 0), { value: null })).toThrow(givenUp as Error);
    expect(readdirSync(workspace)).toEqual(['.kernloop']);
    expect(existsSync(exchange.folder)).toBe(false);
  });

  it('is not that of another try', () => {
    const [first, second] = [new Exchange(workspace, 'tune-k'), new Exchange(workspace, 'tune-k')];
    for (const each of [first, second]) each.ask(request);
    first.remove();
    expect(() => throwUnlessAsked(first.folder, 0)).toThrow();
    expect(() => throwUnlessAsked(second.folder, 0)).not.toThrow();
    expect(first.name).not.toBe(second.name);
  });

  it('goes where its submitter was killed, and stays where that lives or is on another machine', () => {
    const live = new Exchange(workspace, 'validate-k');
    const jobs = join(workspace, '.kernloop', 'slurm');
    const ended = spawnSync('true').pid;
    const kept = [`job-elsewhere-${ended}-abcdef`, `job-${hostname()}-abcdef`, 'notes'];
    for (const name of [...kept, `job-${hostname()}-${ended}-abcdef`]) mkdirSync(join(jobs, name));
    giveUpOrphans(workspace);
    expect(
      readdirSync(jobs)
        .map((name) => join(jobs, name))
        .sort(),
    ).toEqual([live.folder, ...kept.map((name) => join(jobs, name))].sort());
    expect(() => giveUpOrphans(join(workspace, 'none'))).not.toThrow();
  });
});
