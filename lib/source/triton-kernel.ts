import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeObjectExtensions } from '../language/languages';
import { sha256OfFile } from '../support/files';
import type { Environment } from '../support/environment';

/** What says that a kernel was compiled by Triton, and the Python files known from it. */
export interface TritonEvidence {
  /** As the end of a sentence: "the name … is one that …". */
  because: string;
  files: string[];
}

export interface TritonQuery {
  symbol: string;
  /** sha256 of the captured code object. */
  codeObject: string;
  /** What the line tables of the code object name. */
  debugFiles: readonly string[];
  /** Environment of the app over that of Kernloop. */
  environment: Environment;
}

/** Folders of Triton's cache that are looked into, at most. */
const maxCacheFolders = 20_000;
const maxIrBytes = 1 << 20;

/** A name without C++ mangling alone says nothing: `extern "C"` and assembly have such names too. Null where nothing tells. */
export function tritonEvidence(query: TritonQuery): TritonEvidence | null {
  const { symbol, debugFiles } = query;
  // Triton mangles nothing as C++ does.
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

/** `triton_poi_fused_add_0`: pointwise, reduction, persistent reduction, template, foreach, split scan. */
const inductorName = /^triton_(poi|red|per|tem|for|unk|split_scan|mix_order)_/;

/**
 * Triton 1 and 2: the number of each argument from 0 on, then `d` (divisible), `de` (by 8 too) or `c` (constant): `add_kernel_0d1d2d3de`.
 * `conv_3d` is no such name.
 */
const specialisedName = /_0(?:c|de?)1(?:c|de?)?(?:\d+(?:c|de?)?)*$/;

/** The cache has a folder for each compiled kernel, in it `<name>.hsaco` or `<name>.cubin`, and the stages before it. */
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

/** Triton's IR has locations: `loc("/app/kernels.py":12:0)`. */
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
