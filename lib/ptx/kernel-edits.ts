import { Edits } from './edits';
import { wordsOf } from './lexer';
import { readModule, type PtxFunction, type PtxModule } from './module';

/** A prefix that no name of the module has. */
export function freePrefix(text: string): string {
  for (let index = 0; ; ++index) {
    const prefix = `kl${index === 0 ? '' : index}_`;
    if (!text.includes(prefix)) return prefix;
  }
}

/** A kernel that does not declare its block size may get as many registers as a thread can have. */
export function limitRegisters(
  text: string,
  { nameEnd, parameters, body }: PtxFunction,
  threads: number,
  edits: Edits,
): void {
  const end = parameters === null ? nameEnd : parameters.close + 1;
  if (/\.(maxntid|reqntid)\b/.test(text.slice(end, body?.start))) return;
  edits.insert(end, `\n.maxntid ${threads}, 1, 1\n`);
}

/** Appends parameters to those of a function. */
export function addParameters({ nameEnd, parameters }: PtxFunction, added: readonly string[], edits: Edits): void {
  if (added.length === 0) return;
  const list = added.join(',\n');
  if (parameters === null) edits.insert(nameEnd, `(\n${list}\n)`);
  else edits.insert(parameters.close, `${parameters.isEmpty ? '' : ','}\n${list}\n`);
}

/** Removes the other kernels, which would be compiled for nothing; a module may have hundreds. */
export function kernelAlone(module: PtxModule, kernel: string): PtxModule {
  const { text, functions, sections } = module;
  const others = functions.filter(({ isEntry, name }) => isEntry && name !== kernel);
  const labels = new Set(others.flatMap(({ body }) => body?.labels ?? []));
  const isDebugged = sections.some(({ start, end }) => names(labels, text.slice(start, end)));
  if (others.length === 0 || isDebugged) return module;
  const edits = new Edits();
  for (const { start, end } of others) edits.replace(start, end, '');
  const kept = edits.apply(text);
  return names(new Set(others.map(({ name }) => name)), kept) ? module : readModule(kept);
}

function names(wanted: ReadonlySet<string>, text: string): boolean {
  if (wanted.size > 0) for (const word of wordsOf(text)) if (wanted.has(word)) return true;
  return false;
}
