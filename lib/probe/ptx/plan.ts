import { freePrefix } from '../../ptx/kernel-edits';
import { recordBytes, type Probe, type ProbeFile, type TraceMap } from '../../trace/probe-file';
import { positionParts } from './opcode';
import { readBodyText, scratchRegisters, type ProbeBody } from './body';
import { probeUnsupported } from '../../ptx/lexer';

export interface PlannedProbe {
  readonly probe: Probe;
  readonly atKernel: boolean;
  /** Opcodes split at dots. */
  readonly positions: readonly (readonly string[])[];
  readonly before: ProbeBody | null;
  readonly after: ProbeBody | null;
}

/** A map and the names of its state; the unit of a warp-level map is the warp. */
export interface PlannedMap {
  readonly map: TraceMap;
  readonly recordBytes: number;
  /** Null if the launch sets the capacity. */
  readonly records: number | null;
  /** Bytes of a unit; null if the launch sets them. */
  readonly unitBytes: number | null;
  /** Parameter names. */
  readonly recordsParameter: string;
  readonly countsParameter: string;
  readonly capacityParameter: string;
  /** Register names. */
  readonly base: string;
  readonly counts: string;
  readonly count: string;
  /** Offset in the frame that functions receive. */
  readonly frameOffset: number;
}

export interface Plan {
  /** Prefix that no identifier of the PTX has, apart from a leading `%`. */
  readonly prefix: string;
  readonly probes: readonly PlannedProbe[];
  readonly maps: readonly PlannedMap[];
  /** Number of %NR registers. */
  readonly scratch: number;
  /** Parameter of the buffer that counts the lanes that left each warp; null if no probe runs at the end of a warp. */
  readonly exitsParameter: string | null;
  readonly exitsOffset: number;
  readonly frameBytes: number;
}

/** Plans the part of a probe file that does not depend on where its probes hit. */
export function planProbes(file: ProbeFile, text: string): Plan {
  if (file.schema !== 'current')
    throw probeUnsupported(
      'the probe file has the schema of the artifact of the paper, whose bodies name no maps',
      'write [probe.…] and [map.…] tables (docs/reference/trace-formats.md)',
    );
  const prefix = freePrefix(text);
  const bodies = file.probes.flatMap(({ before, after }) => [before ?? '', after ?? '']);
  const scratch = scratchRegisters(bodies, file.registers);
  if (scratch > maxScratch)
    throw probeUnsupported(
      `the probes have ${scratch} registers`,
      `${maxScratch} at most; a kernel has 255 of 32 bits`,
    );
  const probes = file.probes.map((probe): PlannedProbe => {
    const atKernel = probe.positions.some((position) => position.trim() === 'kernel');
    const read = (body: string | null): ProbeBody | null =>
      body === null ? null : readBodyText(body, probe.name, file);
    return {
      probe,
      atKernel,
      positions: probe.positions
        .filter((position) => position.trim() !== 'kernel')
        .map((position) => positionParts(position, probe.name)),
      before: read(probe.before),
      after: read(probe.after),
    };
  });
  for (const planned of probes) refusePlaceholdersOfKernel(planned);
  const maps = file.maps.map((map, index) => planMap(map, index, prefix, scratch));
  const ofMaps = scratch * 8 + file.maps.length * mapFrameBytes;
  const atWarpEnd = probes.some(({ probe, atKernel, after }) => atKernel && after !== null && probe.level === 'warp');
  return {
    prefix,
    probes,
    maps,
    scratch,
    exitsParameter: atWarpEnd ? `${prefix}exits` : null,
    exitsOffset: ofMaps,
    frameBytes: ofMaps + 8,
  };
}

const maxScratch = 128;

/** Bytes of base, counts, capacity and count. */
const mapFrameBytes = 24;

function planMap(map: TraceMap, index: number, prefix: string, scratch: number): PlannedMap {
  const bytes = recordBytes(map);
  const unitBytes = map.capacity === 'dynamic' ? null : map.size * map.capacity;
  if (bytes % 8 !== 0 || (unitBytes ?? 0) % 8 !== 0)
    throw probeUnsupported(
      `map ${map.name} has records of ${bytes} bytes and units of ${unitBytes ?? 'any'}, which are not aligned`,
      'have an even number of u32, and a size that is a multiple of 8, as Neutrino requires',
    );
  return {
    map,
    recordBytes: bytes,
    unitBytes,
    records: unitBytes === null ? null : Math.floor(unitBytes / bytes),
    recordsParameter: `${prefix}records_${index}`,
    countsParameter: `${prefix}counts_${index}`,
    capacityParameter: `${prefix}capacity_${index}`,
    base: `%${prefix}base_${index}`,
    counts: `%${prefix}counter_${index}`,
    count: `%${prefix}count_${index}`,
    frameOffset: scratch * 8 + index * mapFrameBytes,
  };
}

function refusePlaceholdersOfKernel({ probe, atKernel, before, after }: PlannedProbe): void {
  const used = [...(before?.placeholders ?? []), ...(after?.placeholders ?? [])];
  if (!atKernel || used.length === 0) return;
  throw probeUnsupported(
    `probe ${probe.name}: ${used.join(', ')} mean operands of an instruction, and "kernel" is none`,
    'give what happens at the kernel a probe of its own',
  );
}
