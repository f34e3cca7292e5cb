import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isErrorCode } from './error-codes';

const native = join(__dirname, '..', '..', 'native');
/** softgpu is a runtime of its own: its errors are HSA's. */
const folders = ['archive', 'capture', 'codeobject', 'cuda', 'recorder', 'replay'];
const left = new Set(['test', 'tests', 'bench', 'fake']);

/** `Error{"CODE", …`, `Refusal{"CODE", …`, `return {"CODE", …`, `refuse("CODE", …`. */
const pattern = /(?:Error|Refusal|return|refuse|refusal|abort|give_up|decline)\s*[({]+\s*"([A-Z][A-Z_]{3,})"\s*,/g;

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return left.has(entry.name) ? [] : sourcesBelow(path);
    return /\.(cpp|h)$/.test(entry.name) ? [path] : [];
  });
}

describe('the table of error codes', () => {
  const codes = new Map<string, string>();
  for (const file of folders.flatMap((folder) => sourcesBelow(join(native, folder)))) {
    for (const [, code = ''] of readFileSync(file, 'utf8').matchAll(pattern)) codes.set(code, file);
  }

  it('has every code that the native programs report, so that each is documented and ends with its exit code', () => {
    expect(codes.size).toBeGreaterThan(50);
    const missing = [...codes].filter(([code]) => !isErrorCode(code)).map(([code, file]) => `${code} (${file})`);
    expect(missing).toEqual([]);
  });
});
