import { KernloopError } from '../support/error';
import type { AgentSlot } from './device';
import type { Environment } from '../support/environment';

/** ROCr before ROCm 7 loads the libraries that HSA_TOOLS_LIB names; the software GPU does the same. */
export function hsaAgent(library: string): AgentSlot {
  return { variable: 'HSA_TOOLS_LIB', library, environment: () => ({}) };
}

const rocprofilerTools = 'ROCP_TOOL_LIBRARIES';

/**
 * A ROCr that has registered with rocprofiler-register ignores HSA_TOOLS_LIB unless this is set, even without an
 * installed rocprofiler-sdk.
 */
const toolsBesideRocprofiler = 'HSA_TOOLS_ROCPROFILER_V1_TOOLS';

/**
 * Agent for ROCm, also loaded through rocprofiler-sdk: the only way since ROCm 7. The software GPU does not use it: a
 * HIP runtime of ROCm 7 would start rocprofiler-sdk, which ends the process on a machine without an AMD GPU.
 */
export function rocmAgent(library: string): AgentSlot {
  const environment = (_program: string, appEnv: Environment): Record<string, string> => {
    const present = appEnv[rocprofilerTools];
    if (present && present !== library) {
      throw new KernloopError(
        'TOOL_CONFLICT',
        `${rocprofilerTools} is set to ${present}: that tool and the capture agent need the same place in the app`,
        `unset ${rocprofilerTools} (in the shell, and in "env" of kernloop.json), or end the profiler that set it`,
      );
    }
    return { [rocprofilerTools]: library, [toolsBesideRocprofiler]: '1' };
  };
  return { ...hsaAgent(library), environment };
}
