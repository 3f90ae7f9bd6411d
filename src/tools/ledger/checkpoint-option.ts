import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { checkSigners, isSignedBy, parseCheckpoint, type Checkpoint, type Policy } from '#tlog';
import { reasonOf } from '../command-line.js';
import { ToolError } from '../tool-error.js';

/** The options of a command that compares a chain with a checkpoint. */
export interface CheckpointOptions {
  readonly policy?: Policy;
  /** The file with the checkpoint, as the log serves it or as `monitor --state` stores it. */
  readonly checkpoint?: string;
}

/** A checkpoint that enough witnesses confirmed. */
interface ConfirmedCheckpoint {
  readonly checkpoint: Checkpoint;
  /** The line about a chain that begins with its blocks. */
  readonly confirmation: string;
}

/**
 * Reads the checkpoint of the options and verifies its signatures by the policy; returns undefined without these options.
 * @throws {@link ToolError} when it cannot be read, or when no log of the policy or too few witnesses signed it
 */
export async function requireWitnessed(
  { policy, checkpoint: file }: CheckpointOptions,
  command: Command,
): Promise<ConfirmedCheckpoint | undefined> {
  if (policy === undefined && file === undefined) return undefined;
  if (policy === undefined || file === undefined) {
    return command.error('error: the options --policy <file> and --checkpoint <file> need each other');
  }
  try {
    return await verifyCheckpoint(readFileSync(file, 'utf8'), policy);
  } catch (error) {
    throw new ToolError(`${file}: ${reasonOf(error as Error)}`, { cause: error });
  }
}

/** @throws when it is malformed, or when no log of the policy or too few witnesses signed it */
async function verifyCheckpoint(text: string, policy: Policy): Promise<ConfirmedCheckpoint> {
  const checkpoint = parseCheckpoint(text);
  const { isSigned, isWitnessed, witnesses } = await checkSigners(checkpoint, policy, isSignedBy);
  const names = [...witnesses.keys()].join(', ') || 'no witness';
  if (!isSigned) throw new Error('no log of the policy signed the checkpoint');
  if (!isWitnessed) throw new Error(`not enough witnesses of the policy confirmed the checkpoint: ${names}`);
  if (checkpoint.size === 0) throw new Error('the checkpoint is that of an empty log');
  const { origin, size } = checkpoint;
  return {
    checkpoint,
    confirmation: `The first ${size} blocks are those that ${origin} signed and ${names} confirmed.`,
  };
}
