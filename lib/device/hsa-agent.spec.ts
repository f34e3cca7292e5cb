import { KernloopError } from '../support/error';
import { hsaAgent, rocmAgent } from './hsa-agent';

describe('the place of the agent on AMD', () => {
  it('is both ways in on ROCm, and one on the software GPU', () => {
    expect(rocmAgent('/agent.so')).toMatchObject({ variable: 'HSA_TOOLS_LIB', library: '/agent.so' });
    expect(rocmAgent('/agent.so').environment('app', {})).toEqual({
      ROCP_TOOL_LIBRARIES: '/agent.so',
      HSA_TOOLS_ROCPROFILER_V1_TOOLS: '1',
    });
    expect(hsaAgent('/agent.so').environment('app', {})).toEqual({});
  });

  it('takes it from nobody', () => {
    const agent = rocmAgent('/agent.so');
    expect(() => agent.environment('app', { ROCP_TOOL_LIBRARIES: '/profiler.so' })).toThrow(KernloopError);
    expect(agent.environment('app', { ROCP_TOOL_LIBRARIES: '/agent.so' })).toMatchObject({
      ROCP_TOOL_LIBRARIES: '/agent.so',
    });
  });
});
