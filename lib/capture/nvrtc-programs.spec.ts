import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Device } from '../device/device';
import { nativePathsIn } from '../native/native-paths';
import { sha256OfFile } from '../support/files';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { captureJson } from '../testing/workspace';
import { twoUnitsCubin } from '../toolchain/testing/fake-nvcc';
import { readNvrtcJson } from '../archive/nvrtc-json';
import { keepNvrtcProgram } from './nvrtc-programs';
import { nvrtcEnvironment } from '../recorder/nvrtc-environment';

/** Name of a kernel of the cubin in `cuobjdump -elf`. */
const symbol = '__nv_static_25__2c443d97_4_a_cu_43cf90c4__Z5alonePfi';

describe('programs that an app compiled at run time', () => {
  let folder = '';
  let captureFolder = '';
  let deps: FakeDeps;
  /** Path of the code that kernloop-archive returns as captured. */
  let capturedCode: string;

  beforeEach(() => {
    const root = mkdtempSync(join(tmpdir(), 'kernloop-nvrtc-test-'));
    [folder, captureFolder] = [join(root, 'programs'), join(root, 'capture')];
    mkdirSync(folder);
    mkdirSync(captureFolder);
    capturedCode = twoUnitsCubin;
    const archive = ({ args }: { args: readonly string[] }): number => {
      copyFileSync(capturedCode, args[args.indexOf('--output') + 1] ?? '');
      return 0;
    };
    deps = fakeDeps({ 'kernloop-archive': archive }, nativePathsIn('/nowhere'));
  });
  afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

  function captured(codeObject: string, name = symbol): void {
    const kernel = { name: 'alone(float*, int)', symbol: name, code_object: codeObject };
    writeFileSync(join(captureFolder, 'capture.json'), JSON.stringify(captureJson({ kernel })));
  }

  function program(stem: string, source: string, outputs: { cubin?: string | Buffer; ptx?: string }): void {
    const json = {
      ...{ schema: 'kernloop.nvrtc-program/1', library: '/x/libnvrtc.so.13', version: [13, 1], name: 'k.cu' },
      ...{ source: Buffer.from(source).toString('base64'), headers: [], options: ['-DX'], name_expressions: [] },
    };
    writeFileSync(join(folder, `${stem}.json`), JSON.stringify(json));
    if (outputs.cubin !== undefined) {
      const bytes = typeof outputs.cubin === 'string' ? readFileSync(outputs.cubin) : outputs.cubin;
      writeFileSync(join(folder, `${stem}.cubin`), bytes);
    }
    if (outputs.ptx !== undefined) writeFileSync(join(folder, `${stem}.ptx`), outputs.ptx);
  }

  async function kept(): Promise<{ by: string; source: string } | null> {
    await keepNvrtcProgram(folder, captureFolder, deps);
    const found = readNvrtcJson(captureFolder);
    return found && { by: found.matched_by, source: Buffer.from(found.source, 'base64').toString() };
  }

  /** Another file with the same instructions: one extra byte after all sections. */
  const sameInstructions = (): Buffer => Buffer.concat([readFileSync(twoUnitsCubin), Buffer.from([0])]);
  const ptx = (name: string): string => `.version 9.0\n.visible .entry ${name}(\n)\n{ ret; }\n`;

  it('are told by the cubin that the driver loaded', async () => {
    captured(sha256OfFile(twoUnitsCubin));
    program('7-0', 'other', { ptx: ptx(symbol) });
    program('7-1', 'right', { cubin: twoUnitsCubin });
    expect(await kept()).toEqual({ by: 'code_object', source: 'right' });
  });

  it('are told by the instructions where the file differs', async () => {
    captured('c'.repeat(64));
    program('7-0', 'other', { ptx: ptx(symbol) });
    program('7-1', 'right', { cubin: sameInstructions() });
    expect(await kept()).toEqual({ by: 'machine_code', source: 'right' });
  });

  it('are told by the name where only PTX was made', async () => {
    captured('c'.repeat(64), 'tiny');
    program('7-0', 'other', { ptx: ptx('tiny2') });
    program('7-1', 'also other', { ptx: '// .entry tiny(\n' });
    program('7-2', 'right', { ptx: ptx('tiny') });
    // Two processes compiled the same program.
    program('8-0', 'right', { ptx: ptx('tiny') });
    expect(await kept()).toEqual({ by: 'symbol', source: 'right' });
    expect(deps.said.warn).toEqual([]);
  });

  it('are not guessed', async () => {
    captured('c'.repeat(64), 'tiny');
    program('7-0', 'one', { ptx: ptx('tiny') });
    program('7-1', 'two', { ptx: ptx('tiny') });
    expect(await kept()).toBeNull();
    expect(deps.said.warn.join()).toContain('2 programs');
  });

  it('have nothing to do with a kernel that nvcc compiled', async () => {
    captured('c'.repeat(64), 'saxpy');
    program('7-0', 'one', { cubin: twoUnitsCubin, ptx: ptx('tiny') });
    expect(await kept()).toBeNull();
    expect(deps.said.warn).toEqual([]);
  });

  it('are left out with a warning where the record is damaged', async () => {
    captured(sha256OfFile(twoUnitsCubin));
    program('7-0', 'one', { cubin: twoUnitsCubin });
    writeFileSync(join(folder, '7-0.json'), '{"schema":"kernloop.nvrtc-program/1"');
    expect(await kept()).toBeNull();
    expect(deps.said.warn.join()).toContain('cannot be read');
    expect(existsSync(join(captureFolder, 'nvrtc.json'))).toBe(false);
  });

  it('are recorded where that is asked for, on a device that has NVRTC, beside audit libraries of the user', () => {
    const on = { KERNLOOP_NVRTC_RECORD: 'on' };
    const native = nativePathsIn(join(folder, 'native'));
    const device = (hasNvrtc: boolean): Device => ({ hasNvrtc }) as Device;
    expect(nvrtcEnvironment(device(true), '/f', on, native)).toEqual({});
    mkdirSync(join(folder, 'native/lib'), { recursive: true });
    writeFileSync(native.nvrtcAudit, '');
    expect(nvrtcEnvironment(device(false), '/f', on, native)).toEqual({});
    expect(nvrtcEnvironment(device(true), '/f', on, native)).toEqual({
      LD_AUDIT: native.nvrtcAudit,
      KERNLOOP_NVRTC_DIR: '/f',
    });
    expect(nvrtcEnvironment(device(true), '/f', {}, native)).toEqual({});
    const users = { ...on, LD_AUDIT: '/opt/a.so:/opt/b.so' };
    expect(nvrtcEnvironment(device(true), '/f', users, native)).toMatchObject({
      LD_AUDIT: `/opt/a.so:/opt/b.so:${native.nvrtcAudit}`,
    });
  });
});
