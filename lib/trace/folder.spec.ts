import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { thrown } from '../testing/failure';
import { TestWorkspace } from '../testing/workspace';
import { findTraceFolder, parseFolderName, readTraceFolder } from './folder';
import { readKernelInfo } from './kernel-info';
import { parseTensorTrace } from './tensor-trace';

describe('the folder of a trace', () => {
  const workspace = new TestWorkspace();
  afterAll(() => workspace.dispose());
  const write = (path: string, content: string): void => {
    mkdirSync(dirname(workspace.path(path)), { recursive: true });
    writeFileSync(workspace.path(path), content);
  };

  it.each([
    ['Nov22_093015_4711', { month: 'Nov', day: 22, time: '09:30:15', pid: 4711 }],
    ['Jan_23_06_27_37_268336', { month: 'Jan', day: 23, time: '06:27:37', pid: 268336 }],
    ['a-copy', null],
  ])('is called %s', (name, parts) => expect(parseFolderName(name)).toEqual(parts));

  it('is found in the folder that --tracedir named, unless there are several', () => {
    write('dir/Nov22_093015_4711/event.log', '[init] pid 4711\n');
    expect(findTraceFolder(workspace.path('dir'))).toBe(workspace.path('dir/Nov22_093015_4711'));
    write('dir/Nov22_093016_4712/event.log', '');
    expect(thrown(() => findTraceFolder(workspace.path('dir'))).what).toContain('Nov22_093015_4711, Nov22_093016_4712');
    write('empty/other.txt', '');
    expect(thrown(() => findTraceFolder(workspace.path('empty'))).what).toContain('holds no trace');
  });

  it('has its results in the order of their times, and its kernels with their registers', () => {
    write('one/result/10.500000.bin', 'x');
    write('one/result/9.500000.bin', 'xy');
    write('one/result/9.500000.dmat', '');
    write('one/kernel/0_bf524e8c48fdebc3962c3b36823d8d68b093ebb6/kernel.info', 'k\n3\n1\n1,16\n');
    write(
      'one/kernel/0_bf524e8c48fdebc3962c3b36823d8d68b093ebb6/process.log',
      'Used 12 registers\nUsed 22 registers, 1 barriers\n',
    );
    const { results, kernels } = readTraceFolder(workspace.path('one'));
    expect(results.map(({ seconds, bytes }) => [seconds, bytes])).toEqual([
      [9.5, 2],
      [10.5, 1],
    ]);
    expect(kernels).toMatchObject([{ index: 0, registers: 22, info: { name: 'k', parameters: 3, hook: null } }]);
  });
});

describe('kernel.info', () => {
  it('has a line for each map, and in the artifact one more', () => {
    expect(readKernelInfo('_Z1kPf\n2\n2\n1,16\n0,-1\nhook.py\n', 'kernel.info')).toEqual({
      name: '_Z1kPf',
      parameters: 2,
      maps: [
        { level: 'warp', bytes: 16 },
        { level: 'thread', bytes: 'dynamic' },
      ],
      hook: 'hook.py',
    });
  });

  it.each(['', 'k\n', 'k\nx\n1\n', 'k\n1\n2\n1,16\n', 'k\n1\n1\n2,16\n'])(
    'that is cut off or wrong is refused: %j',
    (text) => {
      expect(thrown(() => readKernelInfo(text, 'kernel.info')).code).toBe('TRACE_INVALID');
    },
  );
});

describe('tensor.trace', () => {
  it('has calls with their tensors, and names what is no line of it', () => {
    const line =
      '[call]  1755000000123456789  torch.Size([4, 1024])  16384  140000000000000  x  forward  /a b/model.py:12';
    const { calls, unknown } = parseTensorTrace(`${line}\nother\n`);
    expect(calls).toEqual([
      {
        timeNs: 1755000000123456789n,
        shape: [4, 1024],
        bytes: 16384,
        address: 140000000000000n,
        variable: 'x',
        function: 'forward',
        place: '/a b/model.py:12',
      },
    ]);
    expect(unknown).toEqual([{ line: 2, text: 'other' }]);
  });
});
