import { KernloopError } from '../support/error';
import type { CompileArgument } from './compile-arguments';

/**
 * `--offload-arch` for the captured code object: the value of the app's own command for that processor, so that a
 * feature which it leaves open (`gfx90a` against `gfx90a:xnack-`) stays open, or the processor alone.
 */
export function offloadTarget(isa: string, args: readonly CompileArgument[]): string {
  const processor = processorOf(isa);
  const targets = args
    .filter(({ kind, option }) => kind === 'arch' && !option.startsWith('--no-'))
    .flatMap(({ value }) => (value ?? '').split(','));
  const matching = targets.filter((target) => target.split(':')[0] === processor);
  const features = new Set(isa.split('--')[1]?.split(':').slice(1) ?? []);
  return (
    matching.find((target) =>
      target
        .split(':')
        .slice(1)
        .every((feature) => features.has(feature)),
    ) ?? processor
  );
}

/**
 * Target of captured code: that of the device, whose features it names, unless the code is for a generic processor
 * (`amdgcn-amd-amdhsa--gfx10-3-generic`), which runs on several.
 */
export function genericOr(device: string, code: string | null): string {
  return code !== null && /--gfx[\w-]+-generic(?::|$)/.test(code) ? code : device;
}

/** Processor of a target: `amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-` is for gfx90a. */
export function processorOf(isa: string): string {
  const target = isa.split('--')[1] ?? isa;
  const processor = target.split(':')[0] ?? '';
  if (!processor.startsWith('gfx')) {
    throw new KernloopError(
      'CAPTURE_INVALID',
      `"${isa}" is no AMD target`,
      'validate a code object of your own with --variant: only AMD code objects are recompiled',
    );
  }
  return processor;
}
