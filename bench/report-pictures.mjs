// The pictures of docs/report.md: node bench/report-pictures.mjs REPRODUCER.html WORKSPACE.html TRACE.html
// Made of pages of a real workspace (docs/report.md says which commands), in the browser that the tests use.
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const pages = process.argv.slice(2);
const names = ['reproducer', 'workspace', 'trace'];
if (pages.length !== names.length) throw new Error(`name the pages: ${names.join(', ')}`);
const folder = join(import.meta.dirname, '..', 'docs', 'images');
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.KERNLOOP_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  timeout: 240_000,
});
for (const [index, name] of names.entries()) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 820 } });
  const page = await context.newPage();
  await page.goto(pathToFileURL(pages[index]).href, { timeout: 240_000 });
  const path = join(folder, `report-${name}.png`);
  await page.screenshot({ path, timeout: 240_000 });
  process.stdout.write(`${path}: ${statSync(path).size} bytes\n`);
  await context.close();
}
await browser.close();
