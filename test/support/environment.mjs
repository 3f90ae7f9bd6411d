import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { installCommonGlobals } from 'jest-util';
import { constants, createContext } from 'node:vm';

/** Classes that Node's own modules return: `instanceof` must hold in tests. */
const OF_NODE = new Set(['ArrayBuffer', 'Buffer', 'Uint8Array']);

/** Defines a global of Node, and reads it when a test does: Node loads some of them, such as `fetch`, only then. */
function defineGlobal(global, name) {
  const { enumerable } = Object.getOwnPropertyDescriptor(globalThis, name);
  const set = (value) => Object.defineProperty(global, name, { configurable: true, enumerable, writable: true, value });
  const get = () => set(globalThis[name])[name];
  Object.defineProperty(global, name, { configurable: true, enumerable, get, set });
}

/**
 * Runs a spec file in a context with an ordinary global object. The object of jest-environment-node is a Proxy, through
 * which V8 looks up every global: unit tests needed a quarter more CPU in the ledger, and signing in fabric-network, in
 * plain JavaScript, 0.5 s instead of 10 ms.
 */
export default class Environment {
  constructor({ projectConfig: config }) {
    const global = createContext(constants.DONT_CONTEXTIFY);
    const ofLanguage = new Set(Object.getOwnPropertyNames(global)).difference(OF_NODE);
    for (const name of Object.getOwnPropertyNames(globalThis)) if (!ofLanguage.has(name)) defineGlobal(global, name);
    global.global = global;
    installCommonGlobals(global, config.globals);
    this.global = global;
    this.moduleMocker = new ModuleMocker(global);
    this.fakeTimersModern = new ModernFakeTimers({ config, global });
    this.conditions = config.testEnvironmentOptions.customExportConditions;
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    this.global = null;
  }

  exportConditions() {
    return this.conditions;
  }

  getVmContext() {
    return this.global;
  }
}
