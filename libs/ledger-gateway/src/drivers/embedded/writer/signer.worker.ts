import { parentPort, workerData } from 'node:worker_threads';
import type { ToSigner } from './signing-thread.js';
import { EnvelopeSigner, packParts, unpackTransactions, type TransactionSigners } from './signing.js';

const port = parentPort;
if (port === null) throw new Error('signer.worker must run as a worker thread');

const signer = new EnvelopeSigner(workerData as TransactionSigners);
port.on('message', (message: ToSigner) => {
  if ('certificate' in message) {
    signer.add(message);
    return;
  }
  const envelopes = packParts(unpackTransactions(message).map((transaction) => signer.envelope(transaction)));
  port.postMessage(envelopes, [envelopes.bytes.buffer]);
});
port.postMessage('ready');
