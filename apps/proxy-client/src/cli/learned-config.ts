import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { Document, isAlias, isScalar, isSeq, parseDocument } from 'yaml';
import type { KeyPath } from '../config/references.js';
import type { LoadedConfig } from '../config/load-config.js';
import type { NamedUpstream } from '../config/proxy-client-config.js';
import { describeUpstream } from '../config/upstream-setting.js';
import { notify } from './proxied-command.js';

/** A rule as the configuration contains it. */
export interface LearnedRule {
  readonly hosts: readonly string[];
  readonly ports: readonly number[];
  readonly to: string;
}

/** The configuration file that the command `learn` writes: the present one with further rules, or one with rules only. */
export class LearnedConfig {
  readonly #out: string;
  readonly #document: Document;
  /** The values that {@link #prefix} has changed. */
  readonly #prefixed = new Set<unknown>();

  /**
   * Reads the present configuration file, which the command could change.
   *
   * @param out - the file to create
   */
  constructor(out: string, { config, file, relativePaths }: LoadedConfig) {
    this.#out = out;
    if (file === undefined) {
      this.#document = new Document(upstreamKey(config.upstreams[0]));
      return;
    }
    this.#document = parseDocument(readFileSync(file, 'utf8'));
    const prefix = relative(dirname(resolve(out)), dirname(resolve(file)));
    if (prefix !== '') for (const key of relativePaths) this.#prefix(key, prefix);
  }

  /**
   * Creates the file and removes it again, so that a command does not run for nothing.
   *
   * @returns why it cannot be created
   */
  problem(): string | undefined {
    try {
      this.#create();
      rmSync(this.#out);
      return undefined;
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      return code === 'EEXIST'
        ? `${this.#out} exists. Remove it, or choose another file: --out.`
        : `${this.#out} cannot be created (${code}). Choose a file in a directory that exists and is writable: --out.`;
    }
  }

  /**
   * Adds rules and writes the file.
   *
   * @returns the system's error code if it cannot be written; there is no file then
   */
  write(rules: readonly LearnedRule[]): string | undefined {
    const document = this.#document;
    document.set('default', 'reject');
    const present = document.get('rules');
    if (isSeq(present)) for (const rule of rules) present.add(document.createNode(rule));
    else if (rules.length > 0) document.set('rules', document.createNode(rules));
    document.commentBefore = ' Written by proxy-client learn: review it. Requests that match no rule are refused.';
    try {
      this.#create();
      return undefined;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? 'unknown error';
    }
  }

  #create(): void {
    try {
      // It may contain what the present file contains: passwords.
      writeFileSync(this.#out, this.#document.toString(), { flag: 'wx', mode: 0o600 });
    } catch (error) {
      const { code, syscall } = error as NodeJS.ErrnoException;
      // A part of it would be taken for all of it.
      if (code !== 'EEXIST' && syscall === 'write') rmSync(this.#out, { force: true });
      throw error;
    }
  }

  /** Puts the directory of the present file, as seen from that of the new one, before a relative path. */
  #prefix(key: KeyPath, prefix: string): void {
    const found = this.#document.getIn(key, true);
    const node = isAlias(found) ? found.resolve(this.#document) : found;
    // Several keys may be aliases of one value.
    if (!isScalar(node) || typeof node.value !== 'string' || this.#prefixed.has(node)) return;
    this.#prefixed.add(node);
    node.value = `${prefix.replaceAll('$', () => '$$')}/${node.value}`;
  }
}

/** Returns the rules as text for a file, if the file itself cannot be written. */
export function rulesText(rules: readonly LearnedRule[]): string {
  return new Document({ default: 'reject', rules }).toString();
}

/** Returns the upstream of options and environment as a setting; credentials do not belong in a file. */
function upstreamKey(upstream: NamedUpstream | undefined): Readonly<Record<string, string>> {
  if (upstream === undefined || upstream.kind === 'group' || upstream.kind === 'pac') return {};
  if (upstream.kind !== 'embedded' && upstream.credentials !== undefined) {
    notify('The password of the upstream is not written: set PROXY_UPSTREAM again when you use the file.');
    return {};
  }
  return { upstream: describeUpstream(upstream) };
}
