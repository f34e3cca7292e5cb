import { KernloopError } from '../support/error';
import type { TraceMap } from '../trace/probe-file';
import type { Analysis, FieldRole } from './options';

/** Field names in Neutrino's probes, of both schemas, and similar ones of other authors. */
const names: Readonly<Record<FieldRole, RegExp>> = {
  start: /^[lg]?start(?:_?(?:clock|time))?$/i,
  elapsed: /^(?:elapsed?|duration|cycles)$/i,
  processor: /^(?:cu|sm|nsm)_?(?:id)?$/i,
  clock: /clock|time|cycle/i,
  address: /^(?:addr|address)$/i,
};

const needed: Readonly<Record<Analysis, readonly FieldRole[]>> = {
  'block-sched': ['start', 'elapsed', 'processor'],
  'heat-map': ['clock', 'address'],
  totals: [],
  progress: ['clock'],
};

export type Roles = Readonly<Partial<Record<FieldRole, string>>>;

/** Fields of a map by role: as given, else by their names. */
export function rolesOf(map: TraceMap, told: readonly string[]): Roles {
  const roles = new Map<string, string>();
  for (const [role, name] of Object.entries(names)) {
    const field = map.fields.find((candidate) => name.test(candidate.name));
    if (field) roles.set(role, field.name);
  }
  for (const entry of told) {
    const [role = '', name = ''] = entry.split('=');
    if (map.fields.some((field) => field.name === name)) roles.set(role, name);
  }
  return Object.fromEntries(roles);
}

/** Analysis that the fields of a map allow. */
export function analysisOf(map: TraceMap, roles: Roles): Analysis {
  const has = (analysis: Analysis): boolean => needed[analysis].every((role) => roles[role] !== undefined);
  if (has('block-sched')) return 'block-sched';
  if (has('heat-map')) return 'heat-map';
  return has('progress') && map.fields.length === 1 ? 'progress' : 'totals';
}

/** Options of kernloop-trace that name the fields; throws if one is missing. */
export function roleArguments(analysis: Analysis, map: TraceMap, roles: Roles): string[] {
  return needed[analysis].flatMap((role) => {
    const name = roles[role];
    if (name !== undefined) return [`--${role}`, name];
    throw new KernloopError(
      'TRACE_MAPS',
      `no field of map ${map.name} is known to be its ${role}`,
      `say which with --field ${role}=NAME: it has ${map.fields.map((field) => field.name).join(', ')}`,
    );
  });
}
