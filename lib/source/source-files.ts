import { existsSync } from 'node:fs';
import type { DemangledName } from './demangled-name';
import { findKernelDefinitions, type KernelDefinition } from './kernel-definitions';
import { bestDefinition, matchScore } from './match-definition';
import type { SourceParser } from './source-parser';
import { readRegularFile } from '../support/regular-file';

/** Reads and parses each file at most once, and parses only files that mention the kernel. */
export class SourceFiles {
  private readonly texts = new Map<string, string>();
  private readonly parsed = new Map<string, KernelDefinition[]>();

  constructor(
    private readonly name: DemangledName,
    private readonly parser: SourceParser,
  ) {}

  mentions(path: string): boolean {
    return this.text(path).includes(this.name.base);
  }

  /** Whether a macro in the file builds kernel names by pasting: `name##_##type`. */
  pastesNames(path: string): boolean {
    return /^[ \t]*#[ \t]*define\b(?=(?:\\\r?\n|[^\n])*__global__)(?:\\\r?\n|[^\n])*##/m.test(this.text(path));
  }

  bestIn(path: string): KernelDefinition | null {
    return bestDefinition(this.definitions(path), this.name);
  }

  scoreOf(path: string): number {
    return Math.max(0, ...this.definitions(path).map((definition) => matchScore(definition, this.name)));
  }

  private definitions(path: string): KernelDefinition[] {
    let definitions = this.parsed.get(path);
    if (!definitions) {
      definitions =
        this.mentions(path) && this.text(path).includes('__global__')
          ? findKernelDefinitions(this.text(path), this.parser)
          : [];
      this.parsed.set(path, definitions);
    }
    return definitions;
  }

  private text(path: string): string {
    let text = this.texts.get(path);
    if (text === undefined) {
      text = existsSync(path) ? readRegularFile(path, 'utf8') : '';
      this.texts.set(path, text);
    }
    return text;
  }
}
