import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultDeps } from '../deps/deps';
import type { FindingEvent } from '../replay/replay-events';
import { sha256 } from '../support/files';
import { reproducerForEachTest } from '../testing/workspace';
import { describeCode } from '../toolchain/described-code';
import { withoutRacesOfTheHeap } from './races';

const code = join(__dirname, '..', '..', 'native', 'codeobject', 'test', 'data', 'allocates.hsaco');
const digest = sha256(readFileSync(code));

const race = (offset: number, other: number, fields: object = {}): FindingEvent => {
  const access = (at: number) => ({
    access: 'write' as const,
    pc: '0x0',
    pc_offset: '0x0',
    instruction: '',
    code_object: digest,
    offset: `0x${at.toString(16)}`,
    workgroup: [0, 0, 0],
    wave: 0,
  });
  return {
    ...access(offset),
    ...{ event: 'finding', kind: 'race', kernel: 'k', lane: 0, address: '0x1', bytes: 4, in_lds: false, text: '' },
    other: access(other),
    ...fields,
  };
};

describe('a race of the device heap', () => {
  const made = reproducerForEachTest();
  const [alloc, dealloc, kernel] = [0x3700, 0x27c0, 0x2000];

  it('is left out only where both accesses are of its code, and the memory is its own', async () => {
    const path = made.workspace.path('variant.hsaco');
    copyFileSync(code, path);
    const facts = await describeCode(readFileSync(code), defaultDeps());
    const variant = { code: { kind: 'variant' as const, path, shown: 'variant.hsaco', sha256: digest }, facts };
    const kept = [
      race(alloc, kernel),
      race(kernel, dealloc),
      race(kernel, kernel),
      race(alloc, dealloc, { region: 'r0' }),
      race(alloc, dealloc, { in_lds: true }),
      race(alloc, dealloc, { code_object: '00' }),
      race(alloc, dealloc, { other: undefined }),
    ];
    expect(withoutRacesOfTheHeap([race(alloc, dealloc), ...kept, race(alloc, alloc)], variant)).toEqual(kept);
  });
});
