import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chromium, pictureSize } from '../lib/report/testing/browser';
import { repository, type Workspace } from './harness';

/** Size limit: the pictures are in the repository, and every clone downloads them. */
const mostBytes = 140_000;

/** Makes the three pages of docs/report.md from this workspace; KERNLOOP_UPDATE_DOCS=1 takes their pictures again. */
export async function takePictures(workspace: Workspace, failed: string, traced: string): Promise<void> {
  const [run = ''] = readdirSync(workspace.path(traced));
  const pages = [
    {
      name: 'reproducer',
      options: ['--reproducer', failed],
      titles: [/matmul_tiled/, /^Differences$/, /^c$/],
      plots: 1,
    },
    { name: 'workspace', options: ['--workspace', '.'], titles: [/./], plots: 0 },
    {
      name: 'trace',
      options: ['--trace', join(traced, run)],
      titles: [/: trace by /, /^Timeline and counts$/],
      plots: 1,
    },
  ];
  const browser = await Chromium.start();
  try {
    for (const { name, options, titles, plots } of pages) {
      const output = `report-${name}.html`;
      const made = await workspace.kernloop(['report', ...options, '--output', output]);
      expect([made.code, made.text]).toEqual([0, expect.any(String)]);
      const picture = await browser.picture(workspace.path(output));
      for (const title of titles)
        expect([name, picture.titles.filter((shown) => title.test(shown))]).not.toEqual([name, []]);
      expect([name, picture.plots]).toEqual([name, plots]);
      const committed = join(repository, 'docs', 'images', `report-${name}.png`);
      if (process.env['KERNLOOP_UPDATE_DOCS'] === '1') writeFileSync(committed, picture.png);
      for (const png of [picture.png, readFileSync(committed)]) {
        expect([name, sizeOf(png)]).toEqual([name, pictureSize]);
        expect(png.length).toBeLessThan(mostBytes);
      }
    }
  } finally {
    await browser.close();
  }
}

/** Size from the header of a PNG. */
const sizeOf = (png: Buffer): object => ({ width: png.readUInt32BE(16), height: png.readUInt32BE(20) });
