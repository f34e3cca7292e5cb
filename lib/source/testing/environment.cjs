const { TestEnvironment } = require('jest-environment-node');

/**
 * tree-sitter patches the prototypes of its native module when it is loaded, and cannot be loaded twice in one process. Jest gives every
 * spec file a module registry of its own, so specs share the one of the worker.
 */
class Environment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.global.kernloopSharedModule = (name) => require(name);
  }
}

module.exports = Environment;
