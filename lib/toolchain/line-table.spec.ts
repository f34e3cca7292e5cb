import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLineTable } from './line-table';

const source = `
#include <hip/hip_runtime.h>
__device__ float square(float x) {
  return x * x;
}
__global__ void k(float* x, int n) {
  for (int i = threadIdx.x; i < n; i += 64) {
    x[i] = square(x[i]) + 1.0f;
  }
}
__global__ void other(int* x) {
  atomicAdd(x, 1);
}
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kernloop-lines-'));
  writeFileSync(join(folder, 'k.hip'), source);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Compiles each set of options once. */
function compiled(...options: string[]): string {
  const output = join(folder, `k${options.join('')}.hsaco`);
  if (existsSync(output)) return output;
  const device = ['--cuda-device-only', '--no-gpu-bundle-output', '--offload-arch=gfx90a', '-c', 'k.hip', '-o', output];
  execFileSync('hipcc', [...options, ...device], { cwd: folder, env: { ...process.env, HIP_PLATFORM: 'amd' } });
  return output;
}

/** Rows as LLVM prints them: `0x1900 8 15 1 0 0 is_stmt`. */
function rowsOfLlvm(file: string): { address: number; line: number; column: number; ends: boolean }[] {
  const text = execFileSync('/usr/lib/llvm-15/bin/llvm-dwarfdump', ['--debug-line', file], { encoding: 'utf8' });
  return [...text.matchAll(/^(0x[0-9a-f]{16}) +(\d+) +(\d+) +\d+.*$/gm)].map(([row, address, line, column]) => ({
    address: Number(address),
    line: Number(line),
    column: Number(column),
    ends: row.includes('end_sequence'),
  }));
}

/** An ELF file with one section and the section names. */
function elfWith(name: string, content: Buffer): Buffer {
  const names = Buffer.from(`\0${name}\0.shstrtab\0`);
  const [contentAt, namesAt] = [64, 64 + content.length];
  const headersAt = namesAt + names.length;
  const section = (nameAt: number, type: number, offset: number, size: number): Buffer => {
    const header = Buffer.alloc(64);
    header.writeUInt32LE(nameAt, 0);
    header.writeUInt32LE(type, 4);
    header.writeBigUInt64LE(BigInt(offset), 24);
    header.writeBigUInt64LE(BigInt(size), 32);
    return header;
  };
  const file = Buffer.alloc(64);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
  file.writeBigUInt64LE(BigInt(headersAt), 40);
  file.writeUInt16LE(64, 58);
  file.writeUInt16LE(2, 60);
  file.writeUInt16LE(1, 62);
  const headers = [section(1, 1, contentAt, content.length), section(name.length + 2, 3, namesAt, names.length)];
  return Buffer.concat([file, content, names, ...headers]);
}

describe('readLineTable', () => {
  it.each([
    ['-gdwarf-4', '-O3'],
    ['-gdwarf-5', '-O0'],
    ['-gline-tables-only', '-O2'],
  ])('agrees with LLVM on every instruction (%s %s)', (...options) => {
    const file = compiled(...options);
    const table = readLineTable(readFileSync(file));
    const rows = rowsOfLlvm(file);
    expect(rows.length).toBeGreaterThan(20);
    let compared = 0;
    const withCode = new Set<number>();
    for (const [index, { address, line, column, ends }] of rows.entries()) {
      const next = rows[index + 1];
      // The last of several rows at one address counts.
      if (ends || !next || next.address === address) continue;
      if (line > 0) withCode.add(line);
      for (let at = address; at < next.address; at += 4) {
        const found = table?.at(at);
        expect([at, found?.line ?? 0, found?.column]).toEqual([at, line, line > 0 ? column : undefined]);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(20);
    expect(new Set([...(table?.places() ?? [])].map(({ line }) => line))).toEqual(withCode);
    const last = rows.at(-1);
    expect(table?.at(last?.address ?? 0)).toBeUndefined();
    expect(table?.at(4)).toBeUndefined();
  });

  it('names the file', () => {
    const file = compiled('-gdwarf-5', '-O0');
    const row = rowsOfLlvm(file).find(({ line }) => line === 8);
    const place = { file: join(folder, 'k.hip'), line: 8, column: row?.column };
    expect(readLineTable(readFileSync(file))?.at(row?.address ?? 0)).toEqual(place);
  });

  it('gives up on a line program of more rows than can be', () => {
    const header = [
      ...[4, 0], // version
      ...[13, 0, 0, 0], // remaining bytes of the header
      ...[4, 1, 1, 0xfb, 14, 1], // no standard opcodes
      ...[0], // folders
      ...[...Buffer.from('k'), 0, 0, 0, 0, 0], // files
    ];
    const setAddress = [0, 9, 2, 0, 0x10, 0, 0, 0, 0, 0, 0];
    const endSequence = [0, 1, 1];
    const tableOf = (rows: number): Buffer => {
      const unit = Buffer.from([...header, ...setAddress, ...Array<number>(rows).fill(20), ...endSequence]);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(unit.length);
      return elfWith('.debug_line', Buffer.concat([length, unit]));
    };
    expect(readLineTable(tableOf(100))?.at(0x1004)).toEqual({ file: 'k', line: 1, column: 0 });
    expect(readLineTable(tableOf(2 ** 20 + 1))).toBeNull();
  });

  it('is null without line information', () => {
    expect(readLineTable(readFileSync(compiled('-O1')))).toBeNull();
    expect(readLineTable(Buffer.from('not an ELF file'))).toBeNull();
  });

  it('ends without an error on whatever bytes it is given', () => {
    let state = 1;
    const random = (below: number): number => (state = (state * 48271) % 0x7fffffff) % below;
    const original = readFileSync(compiled('-gdwarf-5', '-O0'));
    for (let round = 0; round < 1500; round += 1) {
      const bytes = Buffer.from(original.subarray(0, round % 3 === 0 ? random(original.length) : original.length));
      for (let change = 0; change < 24 && bytes.length > 0; change += 1) bytes[random(bytes.length)] = random(256);
      const found = readLineTable(bytes)?.at(0x1900);
      expect(found === undefined || Number.isFinite(found.line)).toBe(true);
    }
  });
});
