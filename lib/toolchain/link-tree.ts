import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { renderOverlay, type Overlay } from './overlay';

/** What a compiler has no business with. */
const skipped = new Set(['pristine', 'capture', 'build', 'pgo']);

/**
 * A reproducer as its overlay shows it, made of links, for compilers that know no overlays: the user's copy lies in the place of the file
 * it was made from, so that includes by relative path resolve as in the app.
 */
export class LinkTree {
  /** Absolute. */
  readonly root: string;
  private readonly reproducer: string;
  /** Paths in the tree that are no paths of the reproducer, and what they lead to. */
  private readonly replaced = new Map<string, string>();

  constructor(reproducer: string, overlay: Overlay) {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), 'kernloop-tree-')));
    this.reproducer = reproducer;
    for (const { name, 'external-contents': content } of renderOverlay(overlay, reproducer).roots) {
      this.replaced.set(relative(reproducer, name), relative(reproducer, content));
    }
    for (const [place, content] of this.replaced) this.link(place, content);
    this.fill('deps');
    for (const name of readdirSync(reproducer)) {
      if (name !== 'deps' && !skipped.has(name) && !name.includes('.partial-')) this.link(name, name);
    }
  }

  /** Steps upward out of a folder only work where it exists. */
  makeFolder(place: string): void {
    mkdirSync(join(this.root, place), { recursive: true });
  }

  /** Where a path that the compiler names really is: in the reproducer, or where it always was. */
  origin(path: string): string {
    const place = relative(this.root, resolve(this.root, path));
    if (place.startsWith('..')) return resolve(this.root, path);
    return join(this.reproducer, this.replaced.get(place) ?? place);
  }

  /** A text of the compiler with the names of the files that the user edits. */
  describe(text: string): string {
    let described = text;
    for (const [place, content] of this.replaced) described = replaceWholePath(described, place, content);
    return described;
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  private fill(folder: string): void {
    this.makeFolder(folder);
    for (const entry of readdirSync(join(this.reproducer, folder), { withFileTypes: true })) {
      const place = posix.join(folder, entry.name);
      if (entry.isDirectory()) this.fill(place);
      else if (!this.replaced.has(place)) this.link(place, place);
    }
  }

  private link(place: string, content: string): void {
    this.makeFolder(dirname(place));
    symlinkSync(join(this.reproducer, content), join(this.root, place));
  }
}

function replaceWholePath(text: string, path: string, replacement: string): string {
  const escaped = path.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.replaceAll(new RegExp(`(?<![\\w./-])${escaped}(?![\\w/-])`, 'g'), () => replacement);
}
