import { resolve } from 'node:path';
import type { Deps } from '../deps/deps';
import { writeOutput } from '../support/output-file';
import { invalid } from '../trace/probe-file';
import { readProbeFile } from '../trace/read-probe-file';
import { cReader } from './c';
import type { Language, TraceGenOptions } from './options';
import { pythonReader } from './python';
import { readerMaps, type ReaderMap } from './reader-maps';
import type { TraceGenResult } from './result';
import { typescriptReader } from './typescript';

const generators: Readonly<Record<Language, { extension: string; generate: (maps: readonly ReaderMap[]) => string }>> =
  {
    typescript: { extension: 'ts', generate: typescriptReader },
    python: { extension: 'py', generate: pythonReader },
    c: { extension: 'h', generate: cReader },
  };

export function traceGen(options: TraceGenOptions, deps: Deps): TraceGenResult {
  const { extension, generate } = generators[options.language];
  const path = resolve(options.probe);
  const probe = readProbeFile(path);
  if (probe.maps.length === 0) throw invalid(path, 'it has no maps, and so nothing to read');
  const file = resolve(options.output ?? `read_trace.${extension}`);
  const maps = readerMaps(probe, options.language, path);
  writeOutput(file, generate(maps), deps.env);
  deps.report.result(`${file}: reads ${maps.map(({ name }) => name).join(', ')}`);
  return { file, language: options.language, maps: maps.map(({ name }) => name) };
}
