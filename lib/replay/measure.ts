import type { Device } from '../device/device';
import { isEmulated, softwareTimer } from '../device/emulated-driver';
import { inCounterOrder } from './counter-order';
import type { ReplayOutcome } from './program';
import type { Figured, Statistics } from './result';
import { statistics } from './statistics';

export function measure(device: Device, { iterations }: Pick<ReplayOutcome, 'iterations'>): Figured {
  if (device.work !== 'duration_ns') {
    const counters = counterStatistics(iterations.map(({ counters: counted }) => counted ?? {}));
    return { duration_ns: null, samples: [], timer: null, counters };
  }
  const samples = iterations.flatMap(({ duration_ns: duration }) => (typeof duration === 'number' ? [duration] : []));
  const told = iterations.flatMap(({ timer }) => timer ?? []);
  const timers = [...new Set([...(isEmulated(device.description) ? [softwareTimer] : []), ...told])];
  return {
    duration_ns: samples.length > 0 ? statistics(samples) : null,
    samples,
    timer: timers.length > 0 ? timers.join(', ') : null,
    counters: {},
  };
}

function counterStatistics(iterations: readonly Record<string, number>[]): Record<string, Statistics> {
  const names = inCounterOrder(iterations.flatMap((counters) => Object.keys(counters)));
  return Object.fromEntries(
    names.flatMap((name) => {
      const samples = iterations.flatMap((counters) => counters[name] ?? []);
      return samples.length > 0 ? [[name, statistics(samples)]] : [];
    }),
  );
}
