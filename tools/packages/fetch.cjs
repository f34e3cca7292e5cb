// For vega, which asks for node-fetch: Node has it by now.
module.exports = globalThis.fetch;
