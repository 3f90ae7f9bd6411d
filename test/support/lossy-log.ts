import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Program } from './program.js';
import { mountSmallDisk, smallDiskWorks } from './small-disk.js';
import { until } from './until.js';

/** A program with a log that grows with each request, and how it is asked. */
export interface LogSubject {
  readonly main: string;
  readonly env: (directory: string) => Readonly<Record<string, string>>;
  /** Where it answers for itself, and what makes it write a line. */
  readonly page: (urls: Readonly<Record<string, string>>) => string;
  readonly metrics: (urls: Readonly<Record<string, string>>) => string;
}

/** 64 KiB, what a pipe holds, and more. */
const LINES = 600;

const undo: (() => unknown)[] = [];

function directory(): string {
  const made = mkdtempSync(join(tmpdir(), 'lossy-log-'));
  undo.push(() => {
    rmSync(made, { recursive: true, force: true });
  });
  return made;
}

function descriptor(file: string, flags: number | string): number {
  const fd = openSync(file, flags);
  undo.push(() => {
    closeSync(fd);
  });
  return fd;
}

/** A pipe whose reading end is not read. */
function unreadPipe() {
  const file = join(directory(), 'pipe');
  execFileSync('mkfifo', [file]);
  const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  return { file, reader, writer: descriptor(file, constants.O_WRONLY) };
}

async function start({ main, env, page, metrics }: LogSubject, output: number) {
  const program = new Program({ main, env: env(directory()), output });
  undo.push(async () => {
    program.process.kill('SIGKILL');
    await program.ended;
  });
  const urls = await program.ready();
  const { proxy } = urls;
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  undo.push(() => {
    agent.destroy();
  });
  /** One request, which is one line of the log; through the proxy it goes to the origin. */
  const logOne = async (): Promise<void> => {
    const url = proxy === undefined ? page(urls) : origin;
    const { hostname, port } = new URL(proxy ?? url);
    const asked = request({ host: hostname, port, path: url, headers: { Host: new URL(url).host }, agent });
    const [response] = (await once(asked.end(), 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    await once(response.resume(), 'end');
  };
  return {
    program,
    logOne,
    /** Has more lines written than the kernel holds for a reader. */
    async logMuch(): Promise<void> {
      await Promise.all(Array.from({ length: LINES }, logOne));
    },
    /** It answers for itself. */
    async serves(): Promise<boolean> {
      return (await fetch(page(urls))).ok;
    },
    async lost(): Promise<number> {
      return Number(/^log_lines_lost_total (\d+)$/m.exec(await (await fetch(metrics(urls))).text())?.[1]);
    },
  };
}

let origin: string;
const server = createServer((_request, response) => response.end('found'));

/** Describes that losing lines of the log never stops a program. */
export function describeLossyLog(subject: LogSubject, { onlyFullDevice = false } = {}): void {
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  it('on a full device: it serves, counts the lines that are lost, and ends', async () => {
    const { program, ...running } = await start(subject, descriptor('/dev/full', 'w'));
    await running.logMuch();
    expect(await running.serves()).toBe(true);
    expect(await running.lost()).toBeGreaterThan(0);
    expect(await program.end()).toEqual({ code: 0, signal: null });
  });

  if (onlyFullDevice) return;

  (smallDiskWorks() ? it : it.skip)('on a disk that fills: the loss is reported when there is room again', async () => {
    const disk = directory();
    undo.push(mountSmallDisk(disk, '256k'));
    const log = join(disk, 'log');
    const { program, ...running } = await start(subject, descriptor(log, 'a'));
    writeFileSync(join(disk, 'filler'), Buffer.alloc(200_000));
    await running.logMuch();
    expect(await running.serves()).toBe(true);
    rmSync(join(disk, 'filler'));
    await running.logOne();
    const line = await lineOf(log, 'log lines could not be written and are lost');
    expect(line['lines']).toBeGreaterThan(0);
    expect(line['lines']).toBe(await running.lost());
    expect(await program.end()).toEqual({ code: 0, signal: null });
  });

  it('in a pipe whose reader is stalled: it serves, buffered lines arrive when the reader continues, and it exits while the reader is stalled again', async () => {
    const { reader, writer } = unreadPipe();
    undo.push(() => {
      closeSync(reader);
    });
    const { program, ...running } = await start(subject, writer);
    await running.logMuch();
    expect(await running.serves()).toBe(true);
    let received = '';
    const requests = (): readonly string[] =>
      received
        .split('\n')
        .slice(0, -1)
        .filter((line) => JSON.stringify(JSON.parse(line)).includes('"status":200'));
    await until(() => {
      const more = readAvailable(reader);
      received += more;
      return more !== '' && requests().length >= LINES;
    });
    expect(await running.lost()).toBe(0);
    await running.logMuch();
    expect(await program.end()).toEqual({ code: 0, signal: null });
  });

  it('in a pipe whose reader exits: it serves, counts the lost lines, and exits', async () => {
    const { reader, writer } = unreadPipe();
    const { program, ...running } = await start(subject, writer);
    closeSync(reader);
    await running.logMuch();
    expect(await running.serves()).toBe(true);
    expect(await running.lost()).toBeGreaterThan(0);
    expect(await program.end()).toEqual({ code: 0, signal: null });
  });
}

/** Everything that a pipe holds now. */
function readAvailable(pipe: number): string {
  const bytes = Buffer.alloc(64 * 1024);
  try {
    return bytes.toString('utf8', 0, readSync(pipe, bytes));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return '';
    throw error;
  }
}

/** Waits for a line with the message. */
async function lineOf(file: string, message: string): Promise<Readonly<Record<string, unknown>>> {
  let found: string | undefined;
  await until(() => {
    found = readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .find((line) => line.includes(message));
    return found !== undefined;
  });
  return JSON.parse(found ?? '') as Record<string, unknown>;
}
