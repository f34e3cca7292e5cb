import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { renderOverlay, type Overlay } from './overlay';

/** Folders that no compiler needs. */
const skipped = new Set(['pristine', 'capture', 'build', 'pgo']);

/**
 * A reproducer as its overlay shows it, made of links, for compilers without overlays: the user's copy takes the place
 * of the original file, so that relative includes resolve as in the app.
 */
export class LinkTree {
  /** Absolute path. */
  readonly root: string;
  private readonly reproducer: string;
  /** Paths that exist only in the tree, and their targets in the reproducer. */
  private readonly replaced = new Map<string, string>();

  /** `scratch`: the folder to make it in; that of the system if left out. */
  constructor(reproducer: string, overlay: Overlay, scratch = tmpdir()) {
    this.root = realpathSync(mkdtempSync(join(scratch, 'kernloop-tree-')));
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

  /** Upward steps out of a folder only work if it exists. */
  makeFolder(place: string): void {
    mkdirSync(join(this.root, place), { recursive: true });
  }

  /** Original of a path that the compiler names: in the reproducer, or the path itself if it is outside. */
  origin(path: string): string {
    const place = relative(this.root, resolve(this.root, path));
    if (place.startsWith('..')) return resolve(this.root, path);
    return join(this.reproducer, this.replaced.get(place) ?? place);
  }

  /** Replaces names in the compiler's messages by those of the files that the user edits. */
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
