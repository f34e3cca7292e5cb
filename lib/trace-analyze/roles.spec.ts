import { thrown } from '../testing/failure';
import type { TraceMap } from '../trace/probe-file';
import { analysisOf, roleArguments, rolesOf } from './roles';

const map = (...names: string[]): TraceMap => ({
  name: 'm',
  level: 'thread',
  size: 8 * names.length,
  capacity: 1,
  fields: names.map((name) => ({ name, type: 'u64' })),
});

describe('what a map is analysed for', () => {
  it.each([
    [['start', 'elapsed', 'cuid'], 'block-sched'],
    [['lstart', 'elapse', 'smid'], 'block-sched'],
    [['clock', 'addr'], 'heat-map'],
    [['mem_clock', 'addr'], 'heat-map'],
    [['clock'], 'progress'],
    [['lclock'], 'progress'],
    [['sync_bytes', 'async_bytes'], 'totals'],
    [['count'], 'totals'],
    [['clock', 'value'], 'totals'],
  ])('with fields %j is %s', (names, analysis) => {
    const fields = map(...names);
    expect(analysisOf(fields, rolesOf(fields, []))).toBe(analysis);
  });

  it('follows what is told of the fields, and asks where it has to', () => {
    const fields = map('t', 'where');
    const roles = rolesOf(fields, ['clock=t', 'address=where']);
    expect(roleArguments('heat-map', fields, roles)).toEqual(['--clock', 't', '--address', 'where']);
    const error = thrown(() => roleArguments('heat-map', fields, rolesOf(fields, ['clock=t'])));
    expect([error.code, error.hint]).toEqual(['TRACE_MAPS', expect.stringContaining('--field address=NAME')]);
  });
});
