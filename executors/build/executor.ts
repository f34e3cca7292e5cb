import type { ExecutorContext } from '@nx/devkit';
import { openApp } from '../../lib/app/app';
import { buildApp } from '../../lib/app/build';
import { defaultDeps } from '../../lib/deps/deps';
import { absoluteOptions, reportingErrors, type TaskOptions } from '../run-stage';
import { buildOptionsSchema } from './options';

export default function build(options: TaskOptions, context: ExecutorContext): Promise<{ success: boolean }> {
  return reportingErrors(async () => {
    const { app } = buildOptionsSchema.parse(absoluteOptions(options, context.root));
    await buildApp(openApp(app), defaultDeps());
    return true;
  });
}
