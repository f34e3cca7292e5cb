import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CompileRequest } from '../compile-request';
import { overlayTemplate } from '../overlay';

/** A folder as a judge makes one for each candidate of a HIP kernel, and the request that compiles it. */
export function candidateFolder(reproducer: string, text: string, header: string): CompileRequest {
  const file = (path: string, content: string): void => {
    mkdirSync(dirname(join(reproducer, path)), { recursive: true });
    writeFileSync(join(reproducer, path), content);
  };
  file('kernel_variant.hip', text);
  file('deps/k.hip', '// ../kernel_variant.hip is compiled in the place of this file.\n');
  file('deps/inc/check.h', header);
  file('build/note', '');
  const recipe: CompileRequest['recipe'] = {
    ...{ schema: 'kernloop.recipe/1', language: 'hip', symbol: '_Z5scalePfi', environment: {}, target: 'gfx90a' },
    ...{ compiler: { name: 'hipcc', version: '15' }, arguments: ['-O3', '-DSCALE=3.0f', '-I{deps}/inc', '-x', 'hip'] },
    ...{ main: 'k.hip', variant: { file: 'kernel_variant.hip', stands_for: 'k.hip' } },
    ...{ signature: null, aliases: {}, notes: [] },
  };
  return {
    ...{ reproducer, recipe, overlay: overlayTemplate(recipe), limitSeconds: 120, signature: null, lineInfo: true },
    ...{ compiler: { path: '/usr/bin/hipcc', version: '15' }, output: join(reproducer, 'build', 'variant.hsaco') },
    scratch: join(reproducer, 'build'),
  };
}
