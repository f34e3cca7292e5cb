import { join } from 'node:path';
import { z } from 'zod';
import type { CaptureJson } from '../archive/capture-files';
import { chart, facts, formatNumber, moment, tableOf } from '../page/parts';
import { markup, type Html } from '../page/html';
import { profileSchema } from '../profile/profile-json';
import { variableName } from '../source/mangled-name';
import { commandText } from '../support/command-text';
import { counted } from '../support/format';
import { ourProgram } from '../support/typed-command';
import type { Reproducer } from '../reproducer/reproducer';
import { lacking, readLeft, type Body, type Left } from './left';
import type { PlaceNames } from './place-names';

/** Describes the capture in enough detail to recognize the launch. */
export async function capturedBody(
  { config }: Reproducer,
  left: Left<CaptureJson>,
  observed: Left<Observed>,
  names: PlaceNames,
): Promise<Html> {
  if (left.value === null) return left.why;
  const capture = left.value;
  const { geometry, scope, device, dispatch } = capture;
  const regions = capture.regions.map((region) => {
    const changed =
      region.pre.chunks.length !== region.post.chunks.length ||
      region.pre.chunks.some((one, i) => one !== region.post.chunks[i]);
    const kind = names.claims(region.id).some(({ parameters }) => parameters.length > 0) ? 'parameter' : 'buffer';
    return [
      names.of({ region: region.id }),
      kind,
      region.size,
      address(region.base),
      changed ? 'yes' : 'no',
      region.id,
    ];
  });
  const shown = capture.module_variables.filter(({ name }) => !isOfHip(name));
  const hidden = capture.module_variables.length - shown.length;
  const variables = shown.map(({ name, size, pre, post }) => [
    names.of({ variable: name }),
    'module variable',
    size,
    '',
    pre.chunks.every((one, i) => one === post.chunks[i]) ? 'no' : 'yes',
    '',
  ]);
  const source = config.source;
  return markup`${facts([
    ['Kernel', capture.kernel.name],
    [
      'Launch',
      `${geometry.grid_blocks.join(' × ')} blocks of ${geometry.block_threads.join(' × ')} threads, ${formatNumber(geometry.group_segment_bytes)} bytes of shared memory; ordinal ${dispatch.ordinal} of this kernel, ${dispatch.index} of the program`,
    ],
    ['Device', `${device.kind}: ${device.identity} (${device.isa})`],
    [
      'Scope',
      `${scope.mode}: ${capture.regions.length} of ${scope.tracked_regions} allocations, ${formatNumber(capture.regions.reduce((sum, { size }) => sum + size, 0))} of ${formatNumber(scope.tracked_bytes)} bytes`,
    ],
    [
      'Source',
      source === null
        ? `none: ${config.no_source?.reason ?? 'not found'}`
        : `${source.file}${source.line === null ? '' : `, line ${source.line}`}; the copy to edit is ${source.variant}`,
    ],
    ['Code object', markup`<code>${capture.kernel.code_object}</code>`],
    ...(observed.value === null ? [] : observedFacts(observed.value)),
  ])}
  ${await sizes(names, capture)}
  ${tableOf('Memory that was captured', ['memory', 'kind', 'bytes', 'address', 'changed by the kernel', 'id in the capture'], [...regions, ...variables])}${hidden === 0 ? '' : markup`<p class="muted">${counted(hidden, 'variable is', 'variables are')} left out, in which HIP declares threadIdx and its like.</p>`}`;
}

export const observedSchema = z.looseObject({ host: z.unknown().optional(), captured_at: z.unknown().optional() });
type Observed = z.output<typeof observedSchema>;

function observedFacts({ captured_at: at }: Observed): [string, Html][] {
  return typeof at === 'string' ? [['Captured', moment(at)]] : [];
}

const mostBars = 30;

async function sizes(names: PlaceNames, capture: CaptureJson): Promise<Html | string> {
  const { regions } = capture;
  // Bars of equal length say nothing.
  if (new Set(regions.map(({ size }) => size)).size < 2) return '';
  const largest = regions.toSorted((a, b) => b.size - a.size).slice(0, mostBars);
  return chart(
    {
      width: 640,
      height: { step: 16 },
      data: { values: largest.map((region) => ({ id: names.of({ region: region.id }), size: region.size })) },
      mark: 'bar',
      encoding: {
        x: { field: 'size', type: 'quantitative', title: 'bytes' },
        y: { field: 'id', type: 'nominal', title: null, sort: null },
      },
    },
    `Sizes of the ${largest.length} largest regions; the table has them all.`,
  );
}

/** HIP declares `threadIdx` and its like as objects of one byte, which hold nothing. */
const isOfHip = (symbol: string): boolean => variableName(symbol).startsWith('__HIP_Coordinates<');

const address = (text: string): Html => markup`<code class="address">${text}</code>`;

/** Occupancy as the device reports it; on hardware, from the profile of the app. */
export function occupancyBody({ workspaceRoot, config }: Reproducer): Body {
  const left = readLeft(
    join(workspaceRoot, config.app.root, '.kernloop', 'profile.json'),
    profileSchema,
    'Occupancy',
    commandText([...ourProgram(), 'profile', config.app.root]),
  );
  if ((left.value?.device ?? config.device).kind === 'softgpu')
    return { never: 'the software GPU has no processors to fill, and no peak rates' };
  if (left.value === null) return lacking(left);
  const kernel = left.value.kernels.find(({ symbol }) => symbol === config.symbol);
  if (kernel?.registers_per_thread === undefined && kernel?.occupancy_percent === undefined)
    return { never: `${left.value.device.identity} reports neither` };
  const figure = (value: number | undefined, unit = ''): string =>
    value === undefined ? 'not known' : `${formatNumber(value)}${unit}`;
  return markup`${facts([
    ['Occupancy', figure(kernel.occupancy_percent, ' %')],
    ['Registers of a thread', figure(kernel.registers_per_thread)],
    ['Blocks at a time on a multiprocessor', figure(kernel.resident_blocks_per_multiprocessor)],
    ['Local memory of a thread', figure(kernel.local_bytes_per_thread, ' bytes')],
    [
      'Shared memory of a block',
      `${figure(kernel.static_shared_bytes, ' bytes')} static, ${figure(kernel.dynamic_shared_bytes, ' bytes')} dynamic`,
    ],
  ])}
    <p class="muted">
      These figures are of the most frequent launch in the profile of ${config.app.name}. There is no roofline: no device reports its peak
      rates of arithmetic and memory to Kernloop; the vendor’s profiler has one.
    </p>`;
}
