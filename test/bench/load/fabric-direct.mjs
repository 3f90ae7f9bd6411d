// The same calls without an API, as a user would write them with the SDK: one process, as many calls at once as asked for.
// Forked by `npm run bench:fabric` as fabric-direct.mjs SDK, with the network's `.env` in its environment. Answers
// messages {mode, connections, milliseconds, name, assets}, which mean what they mean to native/http-load.c.
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import process from 'node:process';

const { env } = process;

/** @hyperledger/fabric-gateway over one connection to the peer of the own organisation. */
async function withGateway() {
  const { Client, credentials } = await import('@grpc/grpc-js');
  const { connect, hash, signers } = await import('@hyperledger/fabric-gateway');
  const client = new Client(env.FABRIC_PEER_ENDPOINTS, credentials.createSsl(readFileSync(env.FABRIC_TLS_ROOT_CERT)), {
    'grpc.ssl_target_name_override': env.FABRIC_PEER_HOST_ALIAS,
  });
  const gateway = connect({
    client,
    hash: hash.sha256,
    identity: { mspId: env.LEDGER_MSP_ID, credentials: readFileSync(env.FABRIC_CERT) },
    signer: signers.newPrivateKeySigner(createPrivateKey(readFileSync(env.FABRIC_KEY))),
  });
  return gateway.getNetwork(env.LEDGER_CHANNEL).getContract(env.LEDGER_CHAINCODE);
}

/** fabric-network with wallet, profile and discovery. */
async function withNetwork() {
  env.HFC_LOGGING = '{}';
  const { Gateway, Wallets } = (await import('fabric-network')).default;
  const gateway = new Gateway();
  await gateway.connect(JSON.parse(readFileSync(env.FABRIC_CONNECTION_PROFILE, 'utf8')), {
    wallet: await Wallets.newFileSystemWallet(env.FABRIC_WALLET_DIR),
    identity: env.FABRIC_IDENTITY,
    discovery: { enabled: true, asLocalhost: true },
  });
  return (await gateway.getNetwork(env.LEDGER_CHANNEL)).getContract(env.LEDGER_CHAINCODE);
}

const contract = process.argv[2] === 'fabric-gateway' ? await withGateway() : await withNetwork();

const calls = {
  post: (name, n) => contract.submitTransaction('CreateAsset', `${name}-${n}`, 'blue', '5', 'Tomoko', '300'),
  get: (name, _, assets) => contract.evaluateTransaction('ReadAsset', `${name}-${Math.floor(Math.random() * assets)}`),
};

async function load({ mode, connections, milliseconds, name, assets }) {
  const began = performance.now();
  const latencies = [];
  let next = assets;
  async function caller() {
    while (performance.now() - began < milliseconds) {
      const since = performance.now();
      const answer = JSON.parse(Buffer.from(await calls[mode](name, next++, assets)));
      if (answer.owner !== 'Tomoko') throw new Error(`not what was created: ${JSON.stringify(answer)}`);
      latencies.push(performance.now() - since);
    }
  }
  await Promise.all(Array.from({ length: connections }, caller));
  const seconds = (performance.now() - began) / 1000;
  const sorted = latencies.sort((a, b) => a - b);
  const share = (part) => sorted[Math.floor(part * (sorted.length - 1))];
  return { done: sorted.length, failed: 0, seconds, p50: share(0.5), p99: share(0.99), next };
}

process.on('message', async (order) => process.send(await load(order)));
process.on('disconnect', () => process.exit(0));
process.send({ type: 'ready' });
