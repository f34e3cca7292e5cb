module.exports = globalThis.kernloopSharedModule('tree-sitter-cuda');
