import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { decodeBlock, describeTransaction } from '#fabric-codec';
import type { JsonObject } from '#fabric-codec/messages';
import type { Ledger } from '#ledger-gateway';
import { Follower } from './event-follower.js';
import { call, FIELDS } from './ledger-api.js';

/** What is done to those who follow while others write. */
export interface EventProof {
  /** Where the API is now; several where there are several. */
  readonly origins: () => readonly string[];
  readonly followers: number;
  readonly writes: number;
  readonly cuts: number;
  /** Each breaks something between the writers and the followers; one cut of ten is one of these. */
  readonly breaks: readonly (() => Promise<void>)[];
  /** Chooses what is cut. */
  readonly random: () => number;
  /** Another client's write, past the API; one of four. */
  readonly writeBeside?: (id: string) => Promise<void>;
  readonly limitMs: number;
}

const WRITERS = 16;
const AGAIN_MS = 50;

/** Runs writes while connections, servers and peers are interrupted; returns the followers, which have received the last block. */
export async function followThroughCuts(
  proof: EventProof,
  height: () => Promise<number>,
): Promise<readonly Follower[]> {
  const { origins, writes, cuts, random, breaks } = proof;
  const urlOf = (index: number): string => `${origins()[index % origins().length] ?? ''}/api/v1/events`;
  const followers = Array.from({ length: proof.followers }, (_, index) => new Follower(() => urlOf(index)));
  let [made, broken] = [0, 0];
  const breakOne = async (): Promise<void> => {
    const isBreak = broken++ % 10 === 9;
    const cut = isBreak ? breaks[Math.floor(random() * breaks.length)] : undefined;
    await (cut === undefined ? followers[Math.floor(random() * followers.length)]?.cut() : cut());
  };
  const write = async (): Promise<void> => {
    const id = randomUUID();
    if (proof.writeBeside !== undefined && random() < 0.25) {
      await proof.writeBeside(id);
      made += 1;
      return;
    }
    const origin = origins()[made % origins().length] ?? '';
    const asset = `/api/v1/assets/${id}`;
    const answers = [
      await call(origin, 'POST', '/api/v1/assets', { body: { id, ...FIELDS } }),
      await call(origin, 'PUT', asset, { body: { ...FIELDS, color: 'red' } }),
      await call(origin, 'PUT', `${asset}/transfer`, { body: { newOwner: 'Ben' } }),
    ];
    made += answers.filter(({ status }) => status < 300).length;
  };
  let breaking = Promise.resolve();
  const writer = async (): Promise<void> => {
    while (made < writes) {
      // While no server listens: the starting one needs the CPU.
      await write().catch(() => delay(AGAIN_MS));
      if (made / writes <= broken / cuts || broken >= cuts) continue;
      breaking = breaking.then(breakOne);
      await breaking;
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  while (broken < cuts) await breakOne();
  const last = (await height()) - 1;
  await Promise.all(followers.map((follower) => follower.reached(last, proof.limitMs)));
  await Promise.all(followers.map((follower) => follower.end()));
  return followers;
}

/** The ids and types that follow from replaying every write of every block, independently of the events. */
export async function replayedEvents(channel: Ledger, chaincode: string): Promise<string[]> {
  const { height } = await channel.chainInfo();
  const present = new Set<string>();
  const events: string[] = [];
  for (let blockNumber = 0; blockNumber < height; blockNumber++) {
    const block = await channel.blockByNumber(blockNumber);
    const { envelopes, validationCodes } = decodeBlock(block!.bytes);
    const hash = block!.hash.slice(0, 8);
    for (const [position, envelope] of envelopes.entries()) {
      const validationCode = validationCodes[position] ?? 254;
      const place = { blockNumber, blockHash: block!.hash, blockSignatures: new Uint8Array() };
      const it = describeTransaction({ envelope, validationCode, ...place });
      if (it.validationCode !== 'VALID') continue;
      for (const [index, { key, is_delete: isDelete }] of writesOf(it.rawTransaction, chaincode).entries()) {
        const type = isDelete ? 'deleted' : present.has(key) ? changeBy(it.function) : 'created';
        events.push(`${blockNumber}:${position}:${index}:${hash} asset.${type}`);
        if (isDelete) present.delete(key);
        else present.add(key);
      }
    }
    events.push(`${blockNumber}:end:${hash} block`);
  }
  return events;
}

const changeBy = (name: string): string => (name.startsWith('TransferAsset') ? 'transferred' : 'updated');

interface Write {
  readonly key: string;
  readonly is_delete: boolean;
}

/** The writes in the namespace of a chaincode, wherever they are in a decoded envelope. */
function writesOf(value: JsonObject, chaincode: string): readonly Write[] {
  if (value['namespace'] === chaincode && 'rwset' in value) {
    return (value['rwset'] as unknown as { writes: readonly Write[] }).writes;
  }
  return Object.values(value).flatMap((inner) =>
    typeof inner === 'object' && inner !== null ? writesOf(inner as JsonObject, chaincode) : [],
  );
}

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
