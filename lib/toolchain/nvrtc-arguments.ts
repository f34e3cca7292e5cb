import { KernloopError } from '../support/error';

/** Options that write other files or read files of another run; each may have a value after `=`. */
const leftOut =
  /^(--?dlto|--?dlink-time-opt|--?create-pch|--?use-pch|--?pch.*|--?pch-dir|--?time|--?fdevice-time-trace|--?instantiate-templates-in-pch)(=|$)/;
const relocatable = /^(-rdc=true|--relocatable-device-code=true|-dc|--device-c)$/;
const architecture = /^(?:-arch|--gpu-architecture)(?:=(.*))?$/;

/** Options of an app's program for a cubin of one target: the architecture is replaced, the rest stays. */
export function nvrtcArguments(options: readonly string[], target: string): { args: string[]; notes: string[] } {
  const args: string[] = [];
  const notes: string[] = [];
  let compiledFor: string | null = null;
  for (let at = 0; at < options.length; at += 1) {
    const option = options[at] ?? '';
    const named = architecture.exec(option);
    if (named) {
      // NVRTC also accepts the value as the next option.
      if (named[1] === undefined) at += 1;
      compiledFor = named[1] ?? options[at] ?? null;
    } else if (relocatable.test(option)) {
      throw new KernloopError(
        'RDC_UNSUPPORTED',
        `the app compiles the kernel as relocatable code (${option}), and links it with other programs`,
        'the captured code can still be replayed with --variant none',
      );
    } else if (leftOut.test(option)) {
      notes.push(`${option} left out: the program is compiled for itself`);
    } else {
      args.push(option);
    }
  }
  const digits = (text: string): string => text.replace(/^(sm|compute|lto)_/, '');
  if (compiledFor === null || digits(compiledFor) !== digits(target)) {
    const named = compiledFor ?? "NVRTC's default";
    notes.push(
      `the app compiles for ${named} and the driver compiles that PTX for ${target}; here it is ${target} at once, so __CUDA_ARCH__ differs`,
    );
  }
  for (const path of headersOutside(args)) {
    notes.push(`headers are read from ${path}, as in the app: they are not part of the reproducer`);
  }
  return { args: [`--gpu-architecture=${target}`, ...args], notes };
}

/** Include folders, and headers that are included first. */
function headersOutside(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const joined = /^(?:-I|--?include-path=|--?pre-include=|-include=)(.+)$/.exec(arg)?.[1];
    const next = /^(?:-I|--?include-path|--?pre-include|-include)$/.test(arg) ? args[index + 1] : undefined;
    return joined ?? next ?? [];
  });
}
