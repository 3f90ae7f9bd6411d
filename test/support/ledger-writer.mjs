// A program that owns an embedded ledger, for tests that kill it, starve it or break its disk: `node ledger-writer.mjs
// DIRECTORY`. It takes one command a line on stdin and answers with lines on stdout, each written at once:
//   create ID [OWNER]      → acked ID TRANSACTION BLOCK, or refused ID CODE TRANSACTION|-
//   stream PREFIX WORKERS [OWNER] → creates PREFIX-0 … without end, from WORKERS concurrent workers, each answered as above
//   transfers WORKERS      → moves tokens between accounts by a chaincode without end, answered with moved TRANSACTION BLOCK
//   sum                    → sum TOKENS of all accounts
//   secrets PREFIX WORKERS → writes and purges private values without end, answered with kept KEY, purging KEY, purged KEY
//   secret KEY             → secret KEY VALUE, or secret KEY - without a value
//   documents PREFIX WORKERS → creates, updates and purges records outside the blocks without end, answered as by secrets
//   document ID            → document ID NAME, or document ID - when there is none, document ID CODE after another error
//   purge ID               → purged ID, or unpurged ID CODE
//   read ID                → value JSON, or unread ID CODE
//   state                  → state STATUS
//   close                  → closed, and the program ends
// Messages of the ledger go to stderr, one line each.
import { writeSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { createEmbeddedLedger, RecordDocuments } from '../../dist/test/ledgers.js';

// Synchronous, so that a line is out before anything else happens, whenever the process is killed.
// The pipe does not block: what a slow reader leaves no room for is offered again.
const aMoment = new Int32Array(new SharedArrayBuffer(4));
function print(line) {
  let left = Buffer.from(`${line}\n`);
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(1, left));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(aMoment, 0, 0, 1);
    }
  }
}

async function create(channel, id, owner = 'Tomoko') {
  try {
    const call = { function: 'CreateAsset', arguments: [id, 'blue', '5', owner, '300'] };
    const { transactionId, blockNumber } = await channel.submit(call);
    print(`acked ${id} ${transactionId} ${blockNumber}`);
    return true;
  } catch (error) {
    print(`refused ${id} ${error.code} ${error.transactionId ?? '-'}`);
    return false;
  }
}

async function stream(channel, prefix, workers, owner) {
  let next = 0;
  const work = async () => {
    while (await create(channel, `${prefix}-${next++}`, owner));
  };
  await Promise.all(Array.from({ length: Number(workers) }, work));
}

const ACCOUNTS = Array.from({ length: 5 }, (_, n) => `account-${n}`);

/** A chaincode in this process: accounts that begin with 100 tokens each. */
const tokens = {
  name: 'tokens',
  invoke: async ({ arguments: args }, simulator) => {
    const [name, from, to] = args.map((argument) => Buffer.from(argument).toString());
    const balance = (account) => Number(Buffer.from(simulator.getState('tokens', account) ?? '100').toString());
    const done = (payload) => ({ status: 200, message: '', payload: Buffer.from(String(payload)) });
    if (name === 'Sum') return done(ACCOUNTS.reduce((sum, account) => sum + balance(account), 0));
    const [left, more] = [balance(from) - 1, balance(to) + 1];
    // Other calls are executed meanwhile, as with a process.
    await new Promise((resolve) => setImmediate(resolve));
    simulator.putState('tokens', from, Buffer.from(String(left)));
    simulator.putState('tokens', to, Buffer.from(String(more)));
    return done(left);
  },
};

/** A chaincode in this process with private values, which it takes from the transient data. */
const secrets = {
  name: 'secrets',
  invoke: async ({ arguments: args, transient }, simulator) => {
    const [name, key] = args.map((argument) => Buffer.from(argument).toString());
    const place = { namespace: 'secrets', collection: 'secrets', isStored: true };
    const collection = simulator.collection(place);
    if (name === 'Put') collection.put(key, transient.get('value'));
    else if (name === 'Purge') collection.purge(key);
    await new Promise((resolve) => setImmediate(resolve));
    return {
      status: 200,
      message: '',
      payload: name === 'Get' ? (collection.get(key) ?? Buffer.alloc(0)) : Buffer.alloc(0),
    };
  },
};
const chaincodes = {
  names: ['tokens', 'secrets'],
  collections: [],
  limits: { keysRead: 100, bytesWritten: 1000 },
  checksDeterminism: false,
  get: (name) => ({ tokens, secrets })[name],
  start: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

async function transfers(channel, workers) {
  let next = 0;
  const work = async () => {
    for (;;) {
      const [from, to] = [next++, next].map((n) => ACCOUNTS[n % ACCOUNTS.length]);
      const call = { chaincode: 'tokens', function: 'Transfer', arguments: [from, to] };
      const { transactionId, blockNumber } = await channel.submit(call);
      print(`moved ${transactionId} ${blockNumber}`);
    }
  };
  await Promise.all(Array.from({ length: Number(workers) }, work));
}

/** The value of a key begins with its name, so that it is found on the disk. */
const secretOf = (key) => `canary-of-${key}.`;

async function writeSecrets(channel, prefix, workers) {
  const submit = (name, key, value) => {
    const transient = new Map(value === undefined ? [] : [['value', Buffer.from(value)]]);
    return channel.submit({ chaincode: 'secrets', function: name, arguments: [key], transient });
  };
  const work = async (_, worker) => {
    for (let count = 0; ; count++) {
      const key = `${prefix}-${worker}-${count}`;
      await submit('Put', key, 'first');
      await submit('Put', key, secretOf(key));
      print(`kept ${key}`);
      if (count % 3 !== 0) continue;
      print(`purging ${key}`);
      await submit('Purge', key);
      print(`purged ${key}`);
    }
  };
  await Promise.all(Array.from({ length: Number(workers) }, work));
}

async function secret(channel, key) {
  const bytes = await channel.evaluate({ chaincode: 'secrets', function: 'Get', arguments: [key] });
  print(`secret ${key} ${Buffer.from(bytes).toString() || '-'}`);
}

/** A document begins with the id of its record and its version, so that it is found on the disk. */
const documentOf = (id, version) => JSON.stringify({ name: `canary-of-${id}.${version}` });

async function writeDocuments(channel, prefix, workers) {
  const records = new RecordDocuments(channel);
  await records.submit('DefineType', ['patient', '{"payload":"outside","mode":"mutable"}'], {});
  const work = async (_, worker) => {
    for (let count = 0; ; count++) {
      const id = `${prefix}-${worker}-${count}`;
      await records.submit('Create', ['patient', id, documentOf(id, 'first')], {});
      print(`kept ${id} first`);
      if (count % 2 === 0) {
        await records.submit('Update', ['patient', id, documentOf(id, 'second'), ''], {});
        print(`kept ${id} second`);
      }
      if (count % 3 === 0) continue;
      print(`purging ${id}`);
      await records.purge({ type: 'patient', id }, '', {});
      print(`purged ${id}`);
    }
  };
  await Promise.all(Array.from({ length: Number(workers) }, work));
}

async function document(channel, id) {
  try {
    const call = { chaincode: 'records', function: 'Get', arguments: ['patient', id] };
    const stored = JSON.parse(Buffer.from(await channel.evaluate(call)).toString());
    const content = await new RecordDocuments(channel).content(stored);
    print(`document ${id} ${content.document?.name ?? content.outside.state}`);
  } catch (error) {
    print(`document ${id} ${error.code === 'LEDGER.RECORD_NOT_FOUND' ? '-' : error.code}`);
  }
}

async function purge(channel, id) {
  try {
    await new RecordDocuments(channel).purge({ type: 'patient', id }, '', {});
    print(`purged ${id}`);
  } catch (error) {
    print(`unpurged ${id} ${error.code}`);
  }
}

async function sum(channel) {
  const bytes = await channel.evaluate({ chaincode: 'tokens', function: 'Sum', arguments: [] });
  print(`sum ${Buffer.from(bytes).toString()}`);
}

async function read(channel, id) {
  try {
    const bytes = await channel.evaluate({ function: 'ReadAsset', arguments: [id] });
    print(`value ${Buffer.from(bytes).toString()}`);
  } catch (error) {
    print(`unread ${id} ${error.code}`);
  }
}

const log = (facts, message) => writeSync(2, `${message}: ${facts.err?.message ?? JSON.stringify(facts)}\n`);
const logger = { info: () => undefined, warn: log, error: log };

let ledger;
try {
  const dataDir = process.argv[2];
  const names = { channel: 'mychannel', chaincode: 'basic', mspId: 'Org1MSP' };
  ledger = await createEmbeddedLedger({ dataDir, ...names, logger, chaincodes });
} catch (error) {
  print(`failed ${error.code} ${error.message}`);
  process.exit(1);
}
const channel = ledger;
print(`ready ${(await channel.chainInfo()).height}`);
for await (const line of createInterface({ input: process.stdin })) {
  const [command, ...args] = line.split(' ');
  if (command === 'create') void create(channel, args[0], args[1]);
  else if (command === 'stream') void stream(channel, args[0], args[1], args[2]);
  else if (command === 'transfers') void transfers(channel, args[0]);
  else if (command === 'sum') void sum(channel);
  else if (command === 'secrets') void writeSecrets(channel, args[0], args[1]);
  else if (command === 'secret') void secret(channel, args[0]);
  else if (command === 'documents') void writeDocuments(channel, args[0], args[1]);
  else if (command === 'document') void document(channel, args[0]);
  else if (command === 'purge') void purge(channel, args[0]);
  else if (command === 'read') void read(channel, args[0]);
  else if (command === 'state') print(`state ${(await ledger.connectionState()).status}`);
  else if (command === 'close') break;
}
await ledger.close();
print('closed');
// The parent keeps its end open; nothing else may keep this process.
process.stdin.destroy();
