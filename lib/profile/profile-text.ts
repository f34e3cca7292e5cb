import { processLines } from '../recorder/processes';
import type { Deps } from '../deps/deps';
import { timeWords } from '../device/emulated-driver';
import { formatCount, table } from '../support/report';
import type { KernelProfile, Profile } from './profile-json';

/**
 * Prints a row for each kernel, the most expensive first: GPU time in microseconds on hardware, wave-instructions on
 * the software GPU.
 */
export function printProfile(result: Profile, top: number, deps: Deps): void {
  const columns = result.work === 'duration_ns' ? hardwareColumns(result) : softwareColumns;
  const shown = result.kernels.slice(0, top);
  const rows = [columns.map(({ title }) => title), ...shown.map((kernel) => columns.map(({ show }) => show(kernel)))];
  for (const line of table(rows)) deps.report.result(line);
  const more = result.kernels.length - top;
  if (more > 0)
    deps.report.result(
      `and ${more} more ${more === 1 ? 'kernel' : 'kernels'}: --top ${result.kernels.length} prints all`,
    );
  if (result.processes > 1) deps.report.result(`over ${result.processes} processes`);
  for (const line of processLines(result.per_process ?? [])) deps.report.result(`  ${line}`);
}

interface Column {
  title: string;
  show: (kernel: KernelProfile) => string;
}

const share: Column = { title: 'share', show: (kernel) => `${(kernel.share * 100).toFixed(1)} %` };
const dispatches: Column = { title: 'dispatches', show: (kernel) => formatCount(kernel.dispatches) };
const launch: Column = { title: 'launch', show: describeLaunch };
const name: Column = { title: 'kernel', show: (kernel) => kernel.name };

function statistic(title: string, of: (kernel: KernelProfile) => number, show: (value: number) => string): Column {
  return { title, show: (kernel) => show(of(kernel)) };
}

function statistics(total: string, show: (value: number) => string): Column[] {
  return [
    statistic(total, (kernel) => kernel.total, show),
    dispatches,
    statistic('min', (kernel) => kernel.min, show),
    statistic('median', (kernel) => kernel.median, show),
    statistic('max', (kernel) => kernel.max, show),
  ];
}

const softwareColumns: Column[] = [
  share,
  ...statistics('wave-instructions', (value) => formatCount(Math.round(value))),
  launch,
  name,
];

const microseconds = (ns: number): string =>
  (ns / 1000).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** A figure that no kernel has gets no column. */
function hardwareColumns({ device, kernels }: Profile): Column[] {
  const figures: (Column & { known: (kernel: KernelProfile) => boolean })[] = [
    {
      title: 'registers',
      known: (kernel) => kernel.registers_per_thread !== undefined,
      show: (kernel) => shown(kernel.registers_per_thread),
    },
    {
      title: 'shared',
      known: (kernel) => sharedBytes(kernel) !== undefined,
      show: (kernel) => shown(sharedBytes(kernel)),
    },
    {
      title: 'local',
      known: (kernel) => (kernel.local_bytes_per_thread ?? 0) > 0,
      show: (kernel) => shown(kernel.local_bytes_per_thread),
    },
    {
      title: 'occupancy',
      known: (kernel) => kernel.occupancy_percent !== undefined,
      show: ({ occupancy_percent: percent }) => (percent === undefined ? '-' : `${percent.toFixed(0)} %`),
    },
  ];
  const known = figures.filter((column) => kernels.some(column.known));
  return [share, ...statistics(`${timeWords(device)}, µs`, microseconds), launch, ...known, name];
}

function sharedBytes(kernel: KernelProfile): number | undefined {
  const { static_shared_bytes: own, dynamic_shared_bytes: asked } = kernel;
  return own === undefined && asked === undefined ? undefined : (own ?? 0) + (asked ?? 0);
}

function shown(value: number | undefined): string {
  return value === undefined ? '-' : formatCount(value);
}

function describeLaunch({ geometries }: KernelProfile): string {
  const [first] = geometries;
  if (!first) return '';
  const text = `${first.grid_blocks.join('×')} × ${first.block_threads.join('×')}`;
  return geometries.length > 1 ? `${text} and ${geometries.length - 1} more` : text;
}
