import type { AgentSlot } from './device';

/** ROCr loads the libraries that HSA_TOOLS_LIB names; the software GPU does the same. */
export function hsaAgent(library: string): AgentSlot {
  return { variable: 'HSA_TOOLS_LIB', library, environment: () => ({}) };
}
