import { KernloopError } from '../support/error';
import type { Device } from './device';
import type { Environment } from '../support/environment';

/**
 * Variables that load the capture agent into the app. If the same variable is set already (by a profiler or another
 * tool), one of the two would silently not be loaded, so this is refused.
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
