// Perfetto's own trace processor: `node trace_processor.mjs FOLDER`, with the folder of its page's programs. Bytes of its TraceProcessorRpcStream
// go in, its answers come out. The page runs engine_bundle.js as a worker; here it finds what it needs of one.
import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers';

const folder = process.argv[2];

/** As workers load a program before anything else: at once. */
class XMLHttpRequest {
  open(_method, name) {
    this.name = name;
  }
  send() {
    this.response = readFileSync(join(folder, this.name));
  }
}

const write = (file, bytes) => {
  for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
};
const say = (...words) => write(2, Buffer.from(`${words.join(' ')}\n`));
const worker = {
  self: { location: { href: 'file:///engine_bundle.js' } },
  WorkerGlobalScope: Object,
  XMLHttpRequest,
  console: { log: say, warn: say, error: say },
  // It takes a process for Node's, which it was not built for.
  process: undefined,
};
new Function(...Object.keys(worker), readFileSync(join(folder, 'engine_bundle.js'), 'utf8'))(...Object.values(worker));

const port = { postMessage: (bytes) => write(1, bytes) };
worker.self.onmessage({ data: port });
// Its buffers are made as soon as this is through.
setImmediate(() => port.onmessage({ data: new Uint8Array(readFileSync(0)) }));
