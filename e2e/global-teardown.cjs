module.exports = () => globalThis.e2eTeardown();
