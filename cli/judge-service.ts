import { defaultDeps, type Deps } from '../lib/deps/deps';
import { serviceOptionsSchema } from '../lib/judge/service/options';
import { serveJudge } from '../lib/judge/service/serve';
import { exitCodes } from '../lib/support/error-codes';
import { environmentLayer, flagLayer, resolveOptions } from '../lib/support/options';

export const serviceOptions = serviceOptionsSchema;

/** `kernloop judge --serve` and `--stdio`, until a signal or the end of input ends it, which is no failure. */
export async function runJudgeService(flags: Record<string, unknown>, overrides: Partial<Deps>): Promise<number> {
  const deps = defaultDeps(overrides);
  const layers = [flagLayer(flags), environmentLayer('judge', serviceOptionsSchema, deps.env)];
  const { values } = resolveOptions(serviceOptionsSchema, layers);
  const { stdin, stdout } = process;
  await serveJudge(values, deps, { input: stdin, output: stdout });
  if (values.stdio) stdin.destroy();
  return exitCodes.pass;
}
