import { describe, it } from '@jest/globals';
import { findProgram } from '../peers/find-program.js';

/** A program of somebody else's: the variable that may name it, and its names on PATH. */
export interface Tool {
  readonly name: string;
  readonly variable: string;
  readonly names: readonly string[];
}

/** The tests of third-party programs, or one line that names the missing one. */
export function withTools(title: string, tools: readonly Tool[], tests: (...files: string[]) => void): void {
  const files = tools.map(({ variable, names }) => findProgram(variable, ...names));
  const missing = tools.find((_, index) => files[index] === undefined);
  if (missing === undefined) {
    describe(title, () => {
      tests(...files.filter((file) => file !== undefined));
    });
    return;
  }
  describe(`${title} (skipped: ${missing.name} is neither on PATH nor named by ${missing.variable})`, () => {
    it.skip('is not on this machine', () => undefined);
  });
}

export const CURL: Tool = { name: 'curl', variable: 'CURL', names: ['curl'] };
export const GIT: Tool = { name: 'git', variable: 'GIT', names: ['git'] };
export const NPM: Tool = { name: 'npm', variable: 'NPM', names: ['npm'] };
export const PIP: Tool = { name: 'pip', variable: 'PIP', names: ['pip3', 'pip'] };
export const PYTHON: Tool = { name: 'python3', variable: 'PYTHON', names: ['python3'] };
export const CHROMIUM: Tool = {
  name: 'Chromium',
  variable: 'CHROMIUM',
  names: ['chromium', 'chromium-browser', 'google-chrome'],
};
export const SSH: Tool = { name: 'ssh', variable: 'SSH', names: ['ssh'] };
export const SSHD: Tool = { name: 'sshd', variable: 'SSHD', names: ['sshd'] };
export const SSH_KEYGEN: Tool = { name: 'ssh-keygen', variable: 'SSH_KEYGEN', names: ['ssh-keygen'] };
/** Of OpenBSD, which speaks SOCKS5. */
export const NC: Tool = { name: 'nc', variable: 'NC', names: ['nc.openbsd', 'nc'] };
