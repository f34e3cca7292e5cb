// Wrong variants of the examples' kernels: ones that do nothing, and ones that are off by one unit in the last place.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The statement whose result is made one ULP larger; kernels with integer results have none. */
const results = {
  scale_batch: [/array\[i\] \*= factor;/, 'array[i] = nextafterf(array[i] * factor, 3e38f);'],
  saxpy: [/y\[i\] = a \* x\[i\] \+ y\[i\];/, 'y[i] = nextafterf(fmaf(a, x[i], y[i]), 3e38f);'],
  table_lookup: [/out\[i\] = (table\[.*?\]);/, 'out[i] = nextafterf($1, 3e38f);'],
  matmul_tiled: [/c\[row \* n \+ column\] = sum;/, 'c[row * n + column] = nextafterf(sum, 3e38f);'],
  axpby: [
    /y\[first \+ k\] = alpha \* x\[first \+ k\] \+ beta \* y\[first \+ k\];/,
    'y[first + k] = nextafter(alpha * x[first + k] + beta * y[first + k], 1e300);',
  ],
  damp: [/out\[i\] = (in\[i\] \* expf\(.*?\));/, 'out[i] = nextafterf($1, 3e38f);'],
  add_scaled: [/y\[i\] \+= (scale \* x\[i\]);/, 'y[i] = nextafterf(fmaf(scale, x[i], y[i]), 3e38f);'],
  softmax_rows: [/out\[i\] = (expf\(.*?\) \/ sum);/, 'out[i] = nextafterf($1, 3e38f);'],
};

function editSources(reproducer, edit) {
  const files = readdirSync(reproducer, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(cu|cuh|h)$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => !/\/(pristine|build|capture)\//.test(file));
  const before = files.map((file) => [file, readFileSync(file, 'utf8')]);
  const changed = before.filter(([file, text]) => {
    const edited = edit(text);
    if (edited === text) return false;
    writeFileSync(file, edited);
    return true;
  });
  return { changed: changed.length, restore: () => changed.forEach(([file, text]) => writeFileSync(file, text)) };
}

/** The kernel's body begins with a return. */
export const doNothing = (reproducer, kernel) =>
  editSources(reproducer, (text) =>
    text.replace(new RegExp(`(__global__[^;{]*\\b${kernel}\\s*\\([^{;]*\\)\\s*\\{)`), '$1\n  if (true) return;'),
  );

export const hasUlpVariant = (kernel) => kernel in results;
export const oneUlpWrong = (reproducer, kernel) =>
  editSources(reproducer, (text) => text.replace(results[kernel][0], results[kernel][1]));

/** Offset of the parameters in the constant bank: alignment counts from there (native/codeobject/test/data/cubin/README.md). */
function parameterBase(target) {
  const version = Number(/\d+/.exec(target)?.[0] ?? 90);
  return version >= 100 ? 0x380 : version >= 90 ? 0x210 : 0x160;
}

/** For kernels without source: CUDA C++ of an empty kernel with the captured name and parameter layout. */
export function emptyKernel(capture, target) {
  const base = parameterBase(target);
  let end = base;
  const parameters = capture.kernarg.slots.map(({ offset, size }, index) => {
    const place = base + offset;
    let align = 128;
    while (align > 1 && (place % align || size % align || Math.ceil(end / align) * align !== place)) align /= 2;
    end = place + size;
    return { name: `P${index}`, text: `struct __align__(${align}) P${index} { char bytes[${size}]; };` };
  });
  const list = parameters.map(({ name }, index) => `${name} p${index}`).join(', ');
  return `${parameters.map(({ text }) => text).join('\n')}\nextern "C" __global__ void ${capture.kernel.symbol}(${list}) {}\n`;
}

export function writeEmptyKernel(capture, target, folder) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'empty.cu');
  writeFileSync(file, emptyKernel(capture, target));
  return file;
}
