import { formatCount, table, type Reporter } from '../support/report';
import type { ProbedDispatch, TraceRunResult } from './result';

export function printRun({ kernel, code, probe, clock, launches, folder }: TraceRunResult, report: Reporter): void {
  report.result(`${kernel}: ${code}, probed with ${probe.name}`);
  for (const launch of launches) printLaunch(launch, report);
  if (clock === 'wave-instructions')
    report.result('clocks count wave-instructions of a host thread, whose number is `cu`: they are not times');
  report.result(folder);
}

function printLaunch(launch: ProbedDispatch, report: Reporter): void {
  if (launch.fault !== null || launch.verdict === 'limit') {
    report.result(`${launch.capture}: ${launch.fault ?? 'it ran past its limit'}; no trace`);
    return;
  }
  const rows = launch.maps.map(({ name, level, units, capacity, kept, dropped, most, overflowed }) => [
    name,
    `${formatCount(units)} ${level}s`,
    ...[capacity, kept, dropped, most, overflowed].map(formatCount),
  ]);
  for (const line of table([['map', 'units', 'room', 'kept', 'dropped', 'most', 'overflowed'], ...rows])) {
    report.result(line);
  }
  for (const sentence of launch.left_out) report.warn(sentence);
  if (launch.registers)
    report.result(`registers: ${launch.registers.before} before, ${launch.registers.after} with probes`);
  const {
    verdict,
    verdict_without: verdictWithout,
    compared_bytes: comparedBytes,
    differing_bytes: differingBytes,
  } = launch;
  const compared = `${formatCount(differingBytes)} of ${formatCount(comparedBytes)} bytes differ from what the app computed`;
  report.result(
    verdict === verdictWithout
      ? `${launch.capture}: ${verdict.toUpperCase()}, as without probes (${compared})`
      : `${launch.capture}: ${verdict.toUpperCase()} under probes and ${verdictWithout.toUpperCase()} without: the trace is not of what the kernel does (${compared})`,
  );
}
