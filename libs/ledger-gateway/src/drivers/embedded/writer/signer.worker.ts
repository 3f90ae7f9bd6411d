import { parentPort, workerData } from 'node:worker_threads';
import { EnvelopeSigner, type TransactionSigners } from './signing/envelope-signer.js';
import { packParts } from './signing/packed-parts.js';
import { unpackTransactions } from './signing/packed-transactions.js';
import type { ToSigner } from './signing/signing-thread.js';

const port = parentPort;
if (port === null) throw new Error('signer.worker runs as a worker thread only');

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
