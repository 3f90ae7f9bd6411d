import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { type JSValueHandle, QuickJS } from 'quickjs-wasi';
import { PAC_FUNCTIONS } from './pac-functions.js';
import type { PacReply, PacRequest, PacWorkerData } from './pac-evaluator.js';

// The thread of a PAC script. The script runs in QuickJS, which has no access to anything but the functions below.

/** The time for one run of the script, and for its loading; a busy machine may suspend the thread for a part of it. */
const RUN_MS = 1000;
const MEMORY_BYTES = 16_777_216;
const STACK_BYTES = 262_144;
/** How often a script is run again with the addresses of the names that it has asked for. */
const MAX_RUNS = 8;
const RESOLVE_MS = 3000;
/** Longer answers are not read. */
const MAX_ANSWER = 65_536;

const { script, resolves } = workerData as PacWorkerData;
let deadline = 0;
/** The addresses of names, null if there are none, for one request. */
let addresses = new Map<string, readonly string[] | null>();
let missing = new Set<string>();
let vm: Promise<QuickJS | PacReply> | undefined;

/** Reads the binary next to the bundle, or in the package. */
function readBinary(): Buffer<ArrayBuffer> {
  const inBundle = new URL('./quickjs.wasm', import.meta.url);
  const isSource = import.meta.url.endsWith('.ts');
  return readFileSync(isSource ? new URL(import.meta.resolve('quickjs-wasi/quickjs.wasm')) : inBundle);
}

async function load(): Promise<QuickJS | PacReply> {
  // The time is for the script only.
  deadline = Infinity;
  const made = await QuickJS.create({
    wasm: readBinary(),
    memoryLimit: MEMORY_BYTES,
    maxStackSize: STACK_BYTES,
    interruptHandler: () => performance.now() > deadline,
  });
  provide(made, 'pacResolve', (name, all) => {
    const found = addressesOf(name.toString());
    const shown = all.toBoolean() ? found : found?.filter((address) => isIP(address) === 4).slice(0, 1);
    return shown === undefined || shown === null || shown.length === 0 ? made.null : made.newString(shown.join(';'));
  });
  provide(made, 'pacOwnAddress', (all) => made.newString(all.toBoolean() ? ownAddresses().join(';') : ownAddress()));
  provide(made, 'pacInNetwork', (host, prefix) =>
    isInNetwork(host.toString(), prefix.toString()) ? made.true : made.false,
  );
  made.evalCode(PAC_FUNCTIONS, 'functions.js').dispose();
  deadline = performance.now() + RUN_MS;
  try {
    made.evalCode(script, 'proxy.pac').dispose();
  } catch (error) {
    return failed('script', error);
  }
  const found = made.global.getProp('FindProxyForURL');
  return made.typeof(found) === 'function' ? made : { error: 'no-function' };
}

function provide(
  to: QuickJS,
  name: string,
  call: (...args: readonly [JSValueHandle, JSValueHandle]) => JSValueHandle,
): void {
  to.setProp(
    to.global,
    name,
    to.newFunction(name, (...args) => call(args[0] ?? to.undefined, args[1] ?? to.undefined)),
  );
}

/** @throws if the name must be resolved first: then the script is run again */
function addressesOf(host: string): readonly string[] | null {
  if (isIP(host) !== 0) return [host];
  if (!resolves) return null;
  const known = addresses.get(host);
  if (known !== undefined) return known;
  missing.add(host);
  throw new Error('The name is being resolved.');
}

function isInNetwork(host: string, prefix: string): boolean {
  const [network = '', length = ''] = prefix.split('/');
  const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(network) === 0 || !/^\d{1,3}$/.test(length) || Number(length) > (family === 'ipv6' ? 128 : 32)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(length), family);
  return (addressesOf(host) ?? []).some((address) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4'));
}

function ownAddresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((each = []) => each);
  const others = all.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  return others.map(({ address }) => address);
}

function ownAddress(): string {
  return ownAddresses().find((address) => isIP(address) === 4) ?? '127.0.0.1';
}

async function answer(request: PacRequest | 'load'): Promise<PacReply> {
  vm ??= load();
  const loaded = await vm;
  if (!(loaded instanceof QuickJS)) return loaded;
  return request === 'load' ? { result: '' } : find(loaded, request);
}

async function find(loaded: QuickJS, { url, host }: PacRequest): Promise<PacReply> {
  addresses = new Map();
  for (let run = 0; run < MAX_RUNS; run += 1) {
    missing = new Set();
    const reply = runOnce(loaded, url, host);
    // Also if the script has caught the exception.
    if (missing.size === 0) return reply;
    await Promise.all(Array.from(missing, resolve));
  }
  return { error: 'names' };
}

async function resolve(name: string): Promise<void> {
  const none = new Promise<null>((done) => {
    setTimeout(() => {
      done(null);
    }, RESOLVE_MS).unref();
  });
  const found = lookup(name, { all: true }).then(
    (list) => list.map(({ address }) => address),
    () => null,
  );
  addresses.set(name, await Promise.race([found, none]));
}

function runOnce(loaded: QuickJS, url: string, host: string): PacReply {
  deadline = performance.now() + RUN_MS;
  try {
    const find = loaded.global.getProp('FindProxyForURL');
    const [first, second] = [loaded.newString(url), loaded.newString(host)];
    const result = loaded.callFunction(find, loaded.undefined, first, second);
    const isText = loaded.typeof(result) === 'string';
    const text = isText ? result.toString() : '';
    for (const handle of [find, first, second, result]) handle.dispose();
    if (!isText) return { error: 'no-text' };
    return text.length > MAX_ANSWER ? { error: 'long' } : { result: text };
  } catch (error) {
    return failed('exception', error);
  }
}

function failed(kind: 'script' | 'exception', error: unknown): PacReply {
  const { message } = error as Error;
  if (/out of memory/i.test(message)) return { error: 'memory' };
  return performance.now() > deadline ? { error: 'time' } : { error: kind, message: message.slice(0, 200) };
}

parentPort?.on('message', (request: PacRequest | 'load') => {
  void answer(request).then((reply) => {
    parentPort?.postMessage(reply);
  });
});
