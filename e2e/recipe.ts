import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { repository } from './harness';

const step = z.looseObject({ run: z.string().optional(), uses: z.string().optional() });
const job = z.looseObject({
  env: z.record(z.string(), z.string()).default({}),
  steps: z.array(step),
});
const workflow = z.looseObject({ env: z.record(z.string(), z.string()), jobs: z.record(z.string(), job) });

/** A workflow that users copy, with each `${{ … }}` replaced as GitHub does. */
export class Recipe {
  private readonly workflow: z.output<typeof workflow>;

  constructor(path: string) {
    this.workflow = workflow.parse(parse(readFileSync(join(repository, path), 'utf8')));
  }

  /** Lines that the steps of a job run, and their variables. Steps that set up the machine are left out. */
  job(name: string, values: Readonly<Record<string, string>>): { lines: string[]; env: Record<string, string> } {
    const { [name]: found } = this.workflow.jobs;
    if (found === undefined) throw new Error(`no job ${name}`);
    const filled = Object.entries({ ...this.workflow.env, ...found.env }).map(([key, text]): [string, string] => [
      key,
      text.replace(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => {
        const value = values[expression];
        if (value === undefined) throw new Error(`nobody says what ${expression} is`);
        return value;
      }),
    ]);
    const lines = found.steps.flatMap(({ run }) =>
      run === undefined || /^(npm ci|sudo apt-get )/.test(run) ? [] : [run],
    );
    return { lines, env: Object.fromEntries(filled) };
  }
}
