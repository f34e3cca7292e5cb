import { resolve } from 'node:path';
import type { Deps } from '../deps/deps';
import { writeFileAtomic } from '../support/files';
import { invalid } from '../trace/probe-file';
import { readProbeFile } from '../trace/read-probe-file';
import type { Language, TraceGenOptions } from './options';
import { readerMaps, type ReaderMap } from './reader-maps';
import type { TraceGenResult } from './result';

interface Generator {
  readonly extension: string;
  /** Loaded when it is needed. */
  readonly load: () => (maps: readonly ReaderMap[]) => string;
}

const generators: Readonly<Record<Language, Generator>> = {
  typescript: {
    extension: 'ts',
    load: () => (require('./typescript') as typeof import('./typescript')).typescriptReader,
  },
  python: { extension: 'py', load: () => (require('./python') as typeof import('./python')).pythonReader },
  c: { extension: 'h', load: () => (require('./c') as typeof import('./c')).cReader },
};

export function traceGen(options: TraceGenOptions, deps: Deps): TraceGenResult {
  const { extension, load } = generators[options.language];
  const path = resolve(options.probe);
  const probe = readProbeFile(path);
  if (probe.maps.length === 0) throw invalid(path, 'it has no maps, and so nothing to read');
  const file = resolve(options.output ?? `read_trace.${extension}`);
  const maps = readerMaps(probe, options.language, path);
  writeFileAtomic(file, load()(maps));
  deps.report.result(`${file}: reads ${maps.map(({ name }) => name).join(', ')}`);
  return { file, language: options.language, maps: maps.map(({ name }) => name) };
}
