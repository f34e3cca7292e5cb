// A made app of many units that all include one header of templates, and instantiate it each for themselves. A script builds it, as much of HPC is
// built: there is no compile database.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const cuda = {
  extension: 'cu',
  header: 'tiles.cuh',
  compile: 'nvcc -gencode arch=compute_90,code=sm_90 -O3 -std=c++17',
  link: 'nvcc',
  device: 'cuda',
  include: '#include <cub/block/block_radix_sort.cuh>\n#include <cstdio>',
  body: `  using Sort = cub::BlockRadixSort<T, 256, Items>;
  __shared__ typename Sort::TempStorage storage;
  T own[Items];
  const int first = (blockIdx.x * 256 + threadIdx.x) * Items;
  for (int i = 0; i < Items; ++i) own[i] = x[first + i] * T(Unit % 7 + 1);
  Sort(storage).Sort(own);
  for (int i = 0; i < Items; ++i) x[first + i] = own[i];`,
  api: 'cuda',
  types: ['float', 'int', 'double', 'unsigned'],
};

const hip = {
  ...cuda,
  extension: 'hip',
  header: 'tiles.h',
  compile: 'hipcc --offload-arch=gfx90a -O3',
  link: 'hipcc --offload-arch=gfx90a',
  device: 'softgpu',
  include: '#include <hip/hip_runtime.h>\n#include <cstdio>',
  body: `  const int first = (blockIdx.x * 256 + threadIdx.x) * Items;
  T own[Items];
  for (int i = 0; i < Items; ++i) own[i] = x[first + i] * T(Unit % 7 + 1);
  for (int i = 1; i < Items; ++i)
    for (int j = i; j > 0 && own[j - 1] > own[j]; --j) { const T t = own[j]; own[j] = own[j - 1]; own[j - 1] = t; }
  for (int i = 0; i < Items; ++i) x[first + i] = own[i];`,
  api: 'hip',
  types: ['float'],
};

export const languages = { cuda, hip };

/** Writes it; the kernel that is captured comes from the unit `wanted` alone. */
export function writeManyUnits(folder, language, { units, wanted, items }) {
  const { extension, header, compile, link, include, body, api, types } = language;
  const write = (path, text) => writeFileSync(join(folder, path), text);
  mkdirSync(join(folder, 'src'), { recursive: true });
  write(
    `src/${header}`,
    `#pragma once\n${include}\nnamespace tiles {\ntemplate <class T, int Items, int Unit> __global__ void sort_tiles(T* x) {\n${body}\n}\n}\n`,
  );
  for (let unit = 0; unit < units; unit += 1) {
    const launches = types.flatMap((type) =>
      items.map(
        (count) =>
          `  if (kind == ${kindOf(type, count)}) tiles::sort_tiles<${type}, ${count}, ${unit}><<<2, 256>>>((${type}*)x);`,
      ),
    );
    write(
      `src/unit${unit}.${extension}`,
      `#include "${header}"\nvoid run${unit}(int kind, void* x) {\n${launches.join('\n')}\n}\n`,
    );
  }
  write(`src/main.${extension}`, mainOf(language, units, wanted, items));
  write(
    'compile.sh',
    `#!/bin/bash\nobject=out/$(basename "$1" .${extension}).o\n[ "$object" -nt "$1" ] && [ "$object" -nt src/${header} ] && exit 0\nexec ${compile} -c "$1" -o "$object"\n`,
  );
  write(
    'build.sh',
    `#!/bin/bash -e\ncd "$(dirname "$0")"\nmkdir -p out\nls src/*.${extension} | xargs -P "$(nproc)" -n 1 ./compile.sh\n${link} out/*.o -o app\n`,
  );
  for (const script of ['compile.sh', 'build.sh']) chmodSync(join(folder, script), 0o755);
  write(
    'kernloop.json',
    JSON.stringify({
      name: 'many-units',
      device: language.device,
      build: { command: ['./build.sh'], outputs: ['app'] },
      command: ['./app'],
      env: api === 'hip' ? { HIP_PLATFORM: 'amd' } : {},
      source: 'src',
      kernels: [{ name: 'sort_tiles', match: `sort_tiles<${types[0]}, ${items[0]}, ${wanted}>` }],
    }),
  );
}

const kindOf = (type, count) => `${type.length * 100 + count}`;

/** Runs a few of the units, the wanted one among them. */
function mainOf({ include, api, types }, units, wanted, items) {
  const called = [...new Set([0, wanted, units - 1])];
  return `${include}
${called.map((unit) => `void run${unit}(int, void*);`).join('\n')}
int main() {
  const int n = 2 * 256 * ${Math.max(...items)};
  static float host[n];
  for (int i = 0; i < n; ++i) host[i] = (i * 7919) % 1000;
  void* x;
  if (${api}Malloc(&x, sizeof host) != ${api}Success) return 1;
${called
  .map(
    (unit) =>
      `  if (${api}Memcpy(x, host, sizeof host, ${api}MemcpyHostToDevice) != ${api}Success) return 1;\n  run${unit}(${kindOf(types[0], items[0])}, x);`,
  )
  .join('\n')}
  if (${api}Memcpy(host, x, sizeof host, ${api}MemcpyDeviceToHost) != ${api}Success) return 1;
  for (int i = 1; i < ${items[0]}; ++i) if (host[i - 1] > host[i]) return 2;
  printf("sorted\\n");
  return 0;
}
`;
}
