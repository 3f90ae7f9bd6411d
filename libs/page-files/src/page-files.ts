import { readFileSync } from 'node:fs';
import { preferredCoding, type Coding } from './preferred-coding.js';

/** The list of a built page's files, which the build writes last (vite.config.mjs). */
const LIST = 'files.json';

/** The path of a file and the hash of its content. */
interface ListedFile {
  readonly path: string;
  readonly hash: string;
}

/** The answer to a request for a file. */
export interface PageAnswer {
  readonly status: 200 | 304;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What of a request the answer depends on. */
export interface PageRequest {
  readonly 'accept-encoding'?: string | string[] | undefined;
  readonly 'if-none-match'?: string | string[] | undefined;
}

/** What an answer is sent by, such as Fastify's reply, which can be awaited until it has gone out. */
export interface PageReply {
  status(code: number): this;
  getHeader(field: string): number | string | string[] | undefined;
  header(field: string, value: string): unknown;
  headers(fields: Readonly<Record<string, string>>): this;
  send(body: Buffer): { then(sent: () => void, failed: (error: Error) => void): unknown };
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

const SUFFIXES: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz', identity: '' };

/**
 * Everything comes from where the page does, and nothing that is text ever becomes a script or a style: an id, a user's name
 * or a host that says otherwise stays text. `svelte-trusted-html` is the policy by which Svelte makes its own templates
 * (https://github.com/sveltejs/svelte/pull/16271).
 */
const POLICY = [
  "default-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types svelte-trusted-html',
].join('; ');

const GUARDED = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

interface PageFile {
  readonly type: string;
  readonly hash: string;
  readonly bodies: Readonly<Record<Coding, Buffer>>;
}

/**
 * The files of a page for people, as `npm run build` made them: one document, and what it loads under names that hold their
 * hash. They are small and read whole, so that one page's files always belong together.
 */
export class PageFiles {
  readonly #files: ReadonlyMap<string, PageFile>;

  private constructor(files: ReadonlyMap<string, PageFile>) {
    this.#files = files;
  }

  /**
   * @param directory - where the build puts them, with a slash at the end
   * @returns undefined when they were not built
   */
  static load(directory: URL): PageFiles | undefined {
    let listed;
    try {
      listed = JSON.parse(readFileSync(new URL(LIST, directory), 'utf8')) as readonly ListedFile[];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    return new PageFiles(new Map(listed.map(({ path, hash }) => [path, load(directory, path, hash)])));
  }

  /** @param path - as `/` or `/pages/NAME`; undefined is returned for what is no file of the page */
  answer(path: string, request: PageRequest): PageAnswer | undefined {
    const file = this.#files.get(path);
    if (file === undefined) return undefined;
    const coding = preferredCoding(request['accept-encoding']?.toString());
    const etag = `"${file.hash}${coding === 'identity' ? '' : `-${coding}`}"`;
    const encoded = coding === 'identity' ? {} : { 'Content-Encoding': coding };
    const headers = {
      ...GUARDED,
      ...encoded,
      'Content-Type': file.type,
      // The content of a name never changes, except for the document that names the others.
      'Cache-Control': path === '/' ? 'no-cache' : 'public, max-age=31536000, immutable',
      ETag: etag,
    };
    // With its body, which Node leaves away: a 304 says how long that would have been, or nothing (RFC 9110, 8.6).
    const status = holds(request['if-none-match']?.toString(), etag) ? 304 : 200;
    return { status, headers, body: file.bodies[coding] };
  }
}

/** A page of a program, read at its first request, so that an unused page takes no memory. */
export class BuiltPage {
  readonly #directory: URL;
  #files: PageFiles | undefined;

  /** @param directory - where the build puts its files, with a slash at the end */
  constructor(directory: URL) {
    this.#directory = directory;
  }

  /**
   * Answers with a file of the page.
   *
   * @param path - as `/` or `/pages/NAME`
   * @returns false, and nothing is answered, where there is no such file or the page was not built
   */
  async send(path: string, { headers }: { readonly headers: PageRequest }, reply: PageReply): Promise<boolean> {
    this.#files ??= PageFiles.load(this.#directory);
    const answer = this.#files?.answer(path, headers);
    if (answer === undefined) return false;
    varyBy(reply, 'Accept-Encoding');
    await reply.status(answer.status).headers(answer.headers).send(answer.body);
    return true;
  }
}

/** Adds a request field to the Vary header of an answer (RFC 9110, section 12.5.5). */
export function varyBy(reply: Pick<PageReply, 'getHeader' | 'header'>, field: string): void {
  const others = reply.getHeader('vary');
  reply.header('vary', others === undefined ? field : `${String(others)}, ${field}`);
}

function load(directory: URL, path: string, hash: string): PageFile {
  const name = path === '/' ? '/index.html' : path;
  const read = (coding: Coding): Buffer => readFileSync(new URL(`.${name}${SUFFIXES[coding]}`, directory));
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  return { type, hash, bodies: { br: read('br'), gzip: read('gzip'), identity: read('identity') } };
}

/** If-None-Match (RFC 9110, 13.1.2), which compares weakly. */
function holds(list: string | undefined, etag: string): boolean {
  return list?.split(',').some((each) => ['*', etag].includes(each.trim().replace(/^W\//, ''))) ?? false;
}
