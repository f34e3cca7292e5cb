import { relative } from 'node:path';
import { openReproducer } from '../reproducer/reproducer';
import { reproducerForEachTest, writeVariant } from '../testing/workspace';
import type { ReplaySession } from '../replay/session';
import type { DispatchReport } from './report-json';
import { placeOfVerdict } from './place';

describe('the place that a failing verdict names', () => {
  const made = reproducerForEachTest();
  const root = 'kernels/app/saxpy';
  const file = (): string => relative(process.cwd(), made.workspace.path(root, 'kernel_variant.hip'));
  const captured = 'void k() {\n  load();\n  barrier();\n  store();\n}\n';
  const placeOf = (edited: string, found: object = {}, path?: string): string | null => {
    made.workspace.write(`${root}/pristine/kernel_variant.hip`, captured);
    made.workspace.write(`${root}/kernel_variant.hip`, edited);
    const built = writeVariant(made.workspace);
    const session = { code: { kind: 'variant', path: path ?? built }, reproducer: openReproducer(made.reproducer) };
    return placeOfVerdict([found as DispatchReport], session as unknown as ReplaySession);
  };

  it('is the line of the edit, not that of the kernel', () => {
    expect(placeOf(captured.replace('store', 'keep'))).toBe(`edited at ${file()}:4`);
  });

  it('is the line behind what was removed', () => {
    expect(placeOf(captured.replace('  barrier();\n', ''))).toBe(`edited at ${file()}:3`);
  });

  it('tells how many others there are', () => {
    const edited = captured.replace('load', 'fetch').replace('store', 'keep');
    expect(placeOf(edited)).toBe(`edited at ${file()}:2, and 1 more place`);
  });

  it('is the access that is wrong by itself, if its line is known', () => {
    const race = (source: string | null) => ({ races: [{ accesses: [{ source }] }] });
    const edited = captured.replace('load', 'fetch');
    expect(placeOf(edited, race('kernel_variant.hip:4'))).toBe(`at ${file()}:4`);
    expect(placeOf(edited, race(null))).toBe(`edited at ${file()}:2`);
    const past = { past_lds: [{ source: 'kernel_variant.hip:2', in_captured: false }] };
    expect(placeOf(edited, past)).toBe(`at ${file()}:2`);
  });

  it('is none without an edit, and none of code that was built elsewhere', () => {
    expect(placeOf(captured)).toBeNull();
    expect(placeOf(captured.replace('load', 'fetch'), {}, '/elsewhere/variant.hsaco')).toBeNull();
  });
});
