import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';

/**
 * Scripts and styles are loaded from the origin of the page only, and text never becomes a script: an id, a user's name or a
 * host stays text. Svelte creates its own templates by the policy `svelte-trusted-html`
 * (https://github.com/sveltejs/svelte/pull/16271).
 */
const HEADERS = {
  'Content-Security-Policy': [
    "default-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types svelte-trusted-html',
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** The hashed name of a script, style or image; excludes the compressed copies. */
const FILE_NAME = /^[\w-]+\.\w+$/;

/** The page of a program, as `npm run build` creates it: a document, and files in `pages/` with a hash in their names. */
export class BuiltPage {
  readonly #folder: URL;
  #etag: string | undefined;

  /** @param folder - contains the built page; a URL with a slash at the end */
  constructor(folder: URL) {
    this.#folder = folder;
  }

  /** Registers @fastify/static, which adds `sendFile` to replies. Controllers declare the routes. */
  register(fastify: FastifyInstance): void {
    const root = this.#folder;
    void fastify.register(fastifyStatic, { root, serve: false, preCompressed: true, suppressWarning: true });
  }

  /** Sends the document, which clients revalidate each time. @returns false if the page is not built */
  sendDocument(reply: FastifyReply): boolean {
    // The source of the page, in the same place of the workspace, has no compressed copy.
    if (!existsSync(new URL('index.html.br', this.#folder))) return false;
    const etag = (this.#etag ??= etagOf(new URL('index.html', this.#folder)));
    void reply.headers({ ...HEADERS, 'Cache-Control': 'no-cache', ETag: etag });
    // For an empty body Fastify would answer HEAD with `Content-Length: 0`; a stream has no length.
    if (reply.request.headers['if-none-match']?.includes(etag) === true) void reply.code(304).send(Readable.from([]));
    else void reply.sendFile('index.html', { cacheControl: false, etag: false, lastModified: false });
    return true;
  }

  /** Sends a file of `pages/`, which clients cache without revalidation. @returns false if there is no such file */
  sendFile(name: string, reply: FastifyReply): boolean {
    if (!FILE_NAME.test(name) || !existsSync(new URL(`pages/${name}`, this.#folder))) return false;
    void reply.headers(HEADERS).sendFile(`pages/${name}`, { maxAge: '1y', immutable: true });
    return true;
  }
}

/**
 * Returns an entity tag by content. The tags of @fastify/static consist of size and time, and npm packages have one time
 * for all files: after an upgrade a browser would keep a document that names scripts of the previous version.
 */
function etagOf(file: URL): string {
  return `W/"${createHash('sha256').update(readFileSync(file)).digest('base64url').slice(0, 16)}"`;
}
