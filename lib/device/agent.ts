import { KernloopError } from '../support/error';
import type { Device } from './device';
import type { Environment } from '../support/environment';

/**
 * Variables that load the capture agent into the app. Whoever set the same variable before (a profiler, or another tool) would
 * silently lose its place, or take ours: that is refused.
 */
export function agentEnvironment(device: Device, program: string, appEnv: Environment): Record<string, string> {
  const { variable, library } = device.agent;
  const present = appEnv[variable];
  if (present && present !== library) {
    throw new KernloopError(
      'TOOL_CONFLICT',
      `${variable} is set to ${present}: that tool and the capture agent need the same place in the app`,
      `unset ${variable} (in the shell, and in "env" of kernloop.json), or end the profiler that set it`,
    );
  }
  return { ...device.agent.environment(program, appEnv), [variable]: library };
}
