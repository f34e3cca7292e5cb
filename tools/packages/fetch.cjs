// Replaces node-fetch, which vega requires: Node has fetch built in.
module.exports = globalThis.fetch;
