import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { text as textOf } from 'node:stream/consumers';

const MAX_GZIP_BYTES = 100 * 1024;

/**
 * Tests of a page's files, which need no browser.
 *
 * @param app - the folder below apps/
 * @param origin - returns the origin of the page when the tests run
 */
export function describePageFiles(app: string, origin: () => string): void {
  describe(`the page of ${app}`, () => {
    /** Loads the document, and lists the files that it loads. */
    async function files() {
      const document = await fetch(`${origin()}/`);
      const text = await document.text();
      const loaded = [...text.matchAll(/(?:src|href)="\.(\/pages\/[^"]+)"/g)].map(([, path = '']) => path);
      return { document, text, loaded };
    }

    it('consists of a document that is revalidated, and immutable files', async () => {
      const { document, text, loaded } = await files();
      expect([document.status, document.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(document.headers.get('cache-control')).toBe('no-cache');
      expect(text).not.toMatch(/<script>|<style|\sstyle=|\son\w+=|https?:/);
      expect(loaded.length).toBeGreaterThan(2);
      for (const path of loaded) {
        const file = await fetch(origin() + path, { headers: { 'Accept-Encoding': 'br' } });
        expect([file.status, file.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
        expect(file.headers.get('content-encoding')).toBe('br');
        expect(file.headers.get('x-content-type-options')).toBe('nosniff');
        expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(100);
      }
    });

    it('has a strict Content-Security-Policy', async () => {
      const { document } = await files();
      const policy = document.headers.get('content-security-policy')!;
      expect(policy.split('; ')).toEqual(
        expect.arrayContaining(["default-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"]),
      );
      expect(policy).not.toMatch(/unsafe|data:|\*/);
    });

    it('answers a matching If-None-Match with 304, and HEAD', async () => {
      const url = `${origin()}/`;
      const first = await fetch(url);
      const headers = { 'Accept-Encoding': 'gzip', 'If-None-Match': first.headers.get('etag')! };
      // Not by fetch, which adds Cache-Control: no-cache to a request with If-None-Match.
      const [again] = (await once(get(url, { headers }), 'response')) as [IncomingMessage];
      expect([again.statusCode, await textOf(again)]).toEqual([304, '']);
      const head = await fetch(url, { method: 'HEAD' });
      expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, first.headers.get('etag'), '']);
    });

    it('has at most 100 KiB, compressed by gzip, and parts of as much that are loaded later', () => {
      const folder = `dist/apps/${app}/pages`;
      const compressed = readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith('.gz'));
      const isLater = (name: unknown) => String(name).includes('VerifyReceipt');
      const sizeOf = (names: readonly unknown[]) =>
        names.reduce<number>((sum, name) => sum + statSync(`${folder}/${String(name)}`).size, 0);
      const page = sizeOf(compressed.filter((name) => !isLater(name)));
      expect(page).toBeGreaterThan(0);
      expect(page).toBeLessThanOrEqual(MAX_GZIP_BYTES);
      expect(sizeOf(compressed.filter(isLater))).toBeLessThanOrEqual(MAX_GZIP_BYTES);
    });
  });
}
