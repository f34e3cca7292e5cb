import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeObjectExtensions } from '../language/languages';
import { sha256OfFile } from '../support/files';
import type { Environment } from '../support/environment';

/** Evidence that Triton compiled a kernel, and the Python files it names. */
export interface TritonEvidence {
  /** End of a sentence: "the name … is one that …". */
  because: string;
  files: string[];
}

export interface TritonQuery {
  symbol: string;
  /** sha256 of the captured code object. */
  codeObject: string;
  /** Files that the line tables of the code object name. */
  debugFiles: readonly string[];
  /** Environment of the app merged over Kernloop's. */
  environment: Environment;
}

/** Maximum number of Triton's cache folders searched. */
const maxCacheFolders = 20_000;
const maxIrBytes = 1 << 20;

/** Finds evidence beyond an unmangled name, which `extern "C"` and assembly kernels have too. Null if there is none. */
export function tritonEvidence(query: TritonQuery): TritonEvidence | null {
  const { symbol, debugFiles } = query;
  // Triton does not mangle names as C++ does.
  if (symbol.startsWith('_Z')) return null;
  const python = debugFiles.filter((file) => file.endsWith('.py'));
  if (python.length > 0) return { because: 'its line table names Python files', files: python };
  const cached = cachedKernel(query);
  if (cached !== null) return cached;
  if (inductorName.test(symbol)) return { because: 'TorchInductor gives such names to Triton kernels', files: [] };
  if (specialisedName.test(symbol))
    return { because: 'Triton ends names like this, with what it knows of each argument', files: [] };
  return null;
}

/** Prefixes as in `triton_poi_fused_add_0`: pointwise, reduction, persistent, template, foreach, split scan. */
const inductorName = /^triton_(poi|red|per|tem|for|unk|split_scan|mix_order)_/;

/**
 * Suffix of Triton 1 and 2: the number of each argument from 0 on, then `d` (divisible), `de` (by 8 too) or `c`
 * (constant): `add_kernel_0d1d2d3de`. `conv_3d` does not match.
 */
const specialisedName = /_0(?:c|de?)1(?:c|de?)?(?:\d+(?:c|de?)?)*$/;

/** The cache has a folder per compiled kernel with `<name>.hsaco` or `<name>.cubin` and the stages before it. */
function cachedKernel({ symbol, codeObject, environment }: TritonQuery): TritonEvidence | null {
  const cache = environment.TRITON_CACHE_DIR ?? join(environment.HOME ?? '/nonexistent', '.triton', 'cache');
  if (symbol.includes('/') || !existsSync(cache)) return null;
  for (const entry of readdirSync(cache).sort().slice(0, maxCacheFolders)) {
    const folder = join(cache, entry);
    const binary = codeObjectExtensions.map((extension) => join(folder, `${symbol}.${extension}`)).find(existsSync);
    if (binary !== undefined && sha256OfFile(binary) === codeObject)
      return { because: `${binary} is its code`, files: pythonFiles(join(folder, `${symbol}.ttir`)) };
  }
  return null;
}

/** Reads locations of Triton's IR: `loc("/app/kernels.py":12:0)`. */
function pythonFiles(path: string): string[] {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return [];
  const found = firstBytes(path).matchAll(/loc\("([^"\n]{1,4096}\.py)":/g);
  return [...new Set([...found].map(([, file]) => file ?? ''))];
}

function firstBytes(path: string): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(maxIrBytes);
    return bytes.toString('utf8', 0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}
