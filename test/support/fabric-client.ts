import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import { connect, hash, signers, type Contract, type Gateway } from '@hyperledger/fabric-gateway';
import type { NetworkRecord } from '../../src/fabric-network/network-record.js';

/** PEM texts of an identity of Org1. */
export interface PemIdentity {
  readonly certificate: string;
  readonly privateKey: string;
}

/** A client of Org1's peer of a network that `npm run fabric` made, straight through fabric-gateway. */
export class FabricClient {
  readonly contract: Contract;
  readonly #client: Client;
  readonly #gateway: Gateway;

  constructor(directory: string, identity: PemIdentity = pemUser(directory)) {
    const { plan } = readNetwork(directory);
    this.#client = new Client(
      `localhost:${plan.ports.peerOrg1}`,
      credentials.createSsl(readFileSync(join(directory, 'pem', 'tls-root.pem'))),
      { 'grpc.ssl_target_name_override': 'peer0.org1.example.com' },
    );
    const deadline = () => ({ deadline: Date.now() + 15_000 });
    this.#gateway = connect({
      client: this.#client,
      hash: hash.sha256,
      identity: { mspId: 'Org1MSP', credentials: Buffer.from(identity.certificate) },
      signer: signers.newPrivateKeySigner(createPrivateKey(identity.privateKey)),
      evaluateOptions: deadline,
      endorseOptions: deadline,
      submitOptions: deadline,
      commitStatusOptions: deadline,
    });
    this.contract = this.#gateway.getNetwork(plan.channel).getContract(plan.chaincode.name);
  }

  async submit(name: string, ...args: string[]): Promise<string> {
    return Buffer.from(await this.contract.submitTransaction(name, ...args)).toString();
  }

  async evaluate(name: string, ...args: string[]): Promise<string> {
    return Buffer.from(await this.contract.evaluateTransaction(name, ...args)).toString();
  }

  /** The peers' messages when they refuse the call. */
  async refusal(call: Promise<string>): Promise<readonly string[]> {
    return call.then(
      (result) => [`not refused: ${result}`],
      (error: unknown) => (error as { details: readonly { message: string }[] }).details.map(({ message }) => message),
    );
  }

  close(): void {
    this.#gateway.close();
    this.#client.close();
  }
}

export function readNetwork(directory: string): NetworkRecord {
  return JSON.parse(readFileSync(join(directory, 'network.json'), 'utf8')) as NetworkRecord;
}

function pemUser(directory: string): PemIdentity {
  return {
    certificate: readFileSync(join(directory, 'pem', 'User1.cert.pem'), 'utf8'),
    privateKey: readFileSync(join(directory, 'pem', 'User1.key.pem'), 'utf8'),
  };
}
