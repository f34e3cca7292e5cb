import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';

/** Path of Debian's Chromium, which tools/setup.mjs installs. `patience` allows for a loaded machine. */
const executablePath = process.env['KERNLOOP_CHROMIUM'] ?? '/usr/bin/chromium';
const patience = 240_000;

/** Size of pictures in docs/images. */
export const pictureSize = { width: 1100, height: 820 };

export type Scheme = 'light' | 'dark';

/** An opened page with everything that it reported or requested. */
export interface Opened {
  readonly page: Page;
  readonly complaints: readonly string[];
  readonly requests: readonly string[];
}

export interface Banner {
  readonly text: string;
  readonly frame: number;
  readonly edge: string;
  readonly color: string;
  readonly backgroundColor: string;
  readonly page: string;
}

/** One browser for the tests of a file. */
export class Chromium {
  private readonly shown = new Map<string, Page>();

  private constructor(private readonly browser: Browser) {}

  static async start(): Promise<Chromium> {
    if (!existsSync(executablePath))
      throw new Error(`${executablePath} is not there: apt-get install chromium, or name one with KERNLOOP_CHROMIUM`);
    const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];
    return new Chromium(await chromium.launch({ executablePath, args, timeout: patience }));
  }

  close(): Promise<void> {
    return this.browser.close();
  }

  async open(file: string, scheme: Scheme = 'light', width = 1200): Promise<Opened> {
    const context = await this.browser.newContext({ colorScheme: scheme, viewport: { width, height: 800 } });
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    const [complaints, requests]: [string[], string[]] = [[], []];
    page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('dialog', (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(pathToFileURL(file).href, { waitUntil: 'load' });
    return { page, complaints, requests };
  }

  /**
   * A page for tests that leave it as it is. Each file is opened once, because a page costs Chromium a process; the
   * scheme and the width change as those of a screen do.
   */
  async show(file: string, scheme: Scheme = 'light', width = 1200): Promise<Page> {
    const page = this.shown.get(file) ?? (await this.open(file)).page;
    this.shown.set(file, page);
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 800 });
    return page;
  }

  /** Elements that reach beyond the right edge of a screen of this width, or hide a part of what they hold. */
  async cutOff(file: string, width: number): Promise<string[]> {
    const page = await this.show(file, 'light', width);
    const cut: unknown = await page.evaluate(`(() => {
      const folded = [...document.querySelectorAll('details:not([open])')];
      for (const one of folded) one.open = true;
      const isCut = (one) => {
        const { right, width } = one.getBoundingClientRect();
        const isBeyond = width > 0 && right > innerWidth + 1;
        // Chromium tells no width of what an element of a plot holds.
        return isBeyond || (one instanceof HTMLElement && one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1);
      };
      const all = [...document.querySelectorAll('body, body *:not(.skip, script)')];
      const cut = all.filter(isCut).map((one) => one.outerHTML.slice(0, 200));
      for (const one of folded) one.open = false;
      return JSON.stringify(cut);
    })()`);
    return JSON.parse(String(cut)) as string[];
  }

  /** The banner with the verdict: the width of its frame, and its colours. */
  async banner(file: string, scheme: Scheme): Promise<Banner> {
    const page = await this.show(file, scheme);
    const banner: unknown = await page.evaluate(`(() => {
      const one = document.querySelector('header .verdict');
      const word = one.querySelector('span');
      const { borderTopWidth, borderLeftColor } = getComputedStyle(one);
      const { color, backgroundColor } = getComputedStyle(word);
      const page = getComputedStyle(document.body).backgroundColor;
      const colours = { edge: borderLeftColor, color, backgroundColor, page };
      return JSON.stringify({ text: word.textContent, frame: parseFloat(borderTopWidth), ...colours });
    })()`);
    return JSON.parse(String(banner)) as Banner;
  }

  /** Labels at each axis of the plots that are shown. */
  async axisLabels(file: string): Promise<string[][]> {
    const page = await this.show(file);
    const labels: unknown = await page.evaluate(`JSON.stringify(
      [...document.querySelectorAll('.role-axis-label')]
        .filter((axis) => axis.getBoundingClientRect().width > 0)
        .map((axis) => [...axis.querySelectorAll('text')].map((text) => text.textContent).filter(Boolean)),
    )`);
    return JSON.parse(String(labels)) as string[][];
  }

  /** Violations that axe finds, by rule and element. */
  async violations(file: string, scheme: Scheme): Promise<string[]> {
    const page = await this.show(file, scheme);
    if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe());
    const found: unknown = await page.evaluate('axe.run().then(({ violations }) => JSON.stringify(violations))');
    const violations = JSON.parse(String(found)) as { id: string; help: string; nodes: { html: string }[] }[];
    return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]?.html.slice(0, 300) ?? ''}`);
  }

  /**
   * A screenshot for the documentation in the light scheme, which forges print on, with the titles and plots that are
   * completely visible.
   */
  async picture(file: string): Promise<{ png: Buffer; titles: readonly string[]; plots: number }> {
    const { page } = await this.open(file);
    try {
      await page.setViewportSize(pictureSize);
      const shown: unknown = await page.evaluate(`(() => {
        const isShown = (element) => {
          const { top, bottom, height } = element.getBoundingClientRect();
          return height > 0 && top >= 0 && bottom <= innerHeight;
        };
        const all = (selector) => [...document.querySelectorAll(selector)].filter(isShown);
        return JSON.stringify({
          titles: all('h1, h2, h3').map((element) => element.textContent.trim()),
          plots: all('svg[role=img]').length,
        });
      })()`);
      const { titles, plots } = JSON.parse(String(shown)) as { titles: string[]; plots: number };
      return { png: await page.screenshot(), titles, plots };
    } finally {
      await page.context().close();
    }
  }
}

const axe = (): string => readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
