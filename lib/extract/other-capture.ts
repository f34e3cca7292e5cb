import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { CaptureJson } from '../archive/capture-files';
import { capturedValues } from '../reproducer/configured-launch';
import { kernelArgs } from '../reproducer/kernel-args';
import type { KernelArg } from '../reproducer/kernel-json';
import { commandText } from '../support/command-text';
import type { Value } from '../support/expression';
import { formatCount } from '../support/format';

const mostScalars = 3;

/**
 * Text on what a capture has otherwise than the one that is there: `n = 4096, there 1024`. `args`: the parameters of the
 * kernel that is there, by its kernel.json, which has their names.
 */
export function otherwise(there: CaptureJson, one: CaptureJson, args = kernelArgs(there, null)): string {
  const differing = (textOf: (capture: CaptureJson) => string | undefined): string[] => {
    const [here, other] = [textOf(one), textOf(there)];
    return here === undefined || other === undefined || here === other ? [] : [`${here}, there ${other}`];
  };
  const found = [
    ...differing(({ kernel }) => kernel.name),
    ...(one.kernel.code_object === there.kernel.code_object ? [] : ['another build of the kernel']),
    ...[launchOf, sharedOf, dispatchOf, commandOf].flatMap(differing),
    ...scalarsOf(there, one, args).slice(0, mostScalars),
  ];
  if (found.length > 0) return found.join('; ');
  const [here, other] = [memoryOf(one), memoryOf(there)];
  return isDeepStrictEqual(here, other) ? 'another run, with the same memory' : 'other memory';
}

const launchOf = ({ geometry }: CaptureJson): string =>
  `${geometry.grid_blocks.join('×')} blocks of ${geometry.block_threads.join('×')} threads`;

/** Captures have static and dynamic memory in one sum; the part that is static belongs to the build. */
const sharedOf = ({ geometry, kernel }: CaptureJson): string | undefined =>
  kernel.group_segment_bytes === undefined
    ? undefined
    : `${formatCount(geometry.group_segment_bytes - kernel.group_segment_bytes)} bytes of dynamic shared memory`;

const dispatchOf = ({ dispatch }: CaptureJson): string =>
  `dispatch ${dispatch.ordinal} of its kernel (${dispatch.index} of all)`;

const commandSchema = z.array(z.string()).min(1);

function commandOf({ app }: CaptureJson): string | undefined {
  const { data } = commandSchema.safeParse(app['command']);
  return data && `run as \`${commandText(data)}\``;
}

const memoryOf = ({ regions, module_variables: variables }: CaptureJson): unknown =>
  [...regions, ...variables].map(({ size, pre }) => ({ size, pre }));

/** Scalar parameters with other values. */
function scalarsOf(there: CaptureJson, one: CaptureJson, args: readonly KernelArg[]): string[] {
  const named = args.map((arg) => ({ ...arg, name: arg.name ?? `argument ${arg.index}` }));
  const [here, other] = [capturedValues(one, named), capturedValues(there, named)];
  return named.flatMap(({ name }) => {
    const [value, before] = [shown(here[name]), shown(other[name])];
    return value === undefined || before === undefined || value === before
      ? []
      : [`${name} = ${value}, there ${before}`];
  });
}

/** A float of 32 bits in the digits that it has. */
const shown = (value: Value | undefined): string | undefined =>
  typeof value === 'number' && !Number.isInteger(value) ? String(Number(value.toPrecision(8))) : value?.toString();
