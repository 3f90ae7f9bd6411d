import { hash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';

/** What a server has sent to ask later whether its list has changed (RFC 9110, section 13.1). */
export interface Validators {
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

/** A copy of a list as its server sent it. */
export interface ListCopy extends Validators {
  /** When the server sent or confirmed it. */
  readonly checkedAt: Date;
  /** Reads its bytes, once. */
  readonly bytes: AsyncIterable<Buffer>;
}

const MAX_HEADER = 16_384;
const LINE_FEED = 10;

/**
 * The last good copies of lists, so that a start does not depend on their servers. A copy is one file: a line with its validators,
 * then the bytes. It is replaced by renaming a complete file.
 */
export class ListCopies {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Opens the copy of a list; returns undefined if there is none that can be read. */
  async read(url: string): Promise<ListCopy | undefined> {
    let file: FileHandle | undefined;
    try {
      file = await open(this.#pathOf(url), 'r');
      const [{ buffer, bytesRead }, { mtime }] = [
        await file.read(Buffer.alloc(MAX_HEADER), 0, MAX_HEADER, 0),
        await file.stat(),
      ];
      const end = buffer.subarray(0, bytesRead).indexOf(LINE_FEED);
      const header = JSON.parse(buffer.toString('utf8', 0, Math.max(0, end))) as Validators & { readonly url: string };
      if (header.url !== url) throw new TypeError('The copy is of another list.');
      const { etag, lastModified } = header;
      return {
        etag,
        lastModified,
        checkedAt: mtime,
        bytes: file.createReadStream({ start: end + 1 }) as AsyncIterable<Buffer>,
      };
    } catch {
      await file?.close();
      return undefined;
    }
  }

  /** The server has confirmed the copy. */
  async confirm(url: string, at: Date): Promise<void> {
    await utimes(this.#pathOf(url), at, at).catch(() => undefined);
  }

  /**
   * Starts to write a copy, which replaces the previous one when {@link CopyWriter.finish} is called.
   *
   * @param failed - is called once if the copy cannot be written
   */
  async begin(url: string, { etag, lastModified }: Validators, failed: (error: unknown) => void): Promise<CopyWriter> {
    const writer = new CopyWriter(this.#pathOf(url), failed);
    await writer.begin(this.#directory, Buffer.from(`${JSON.stringify({ url, etag, lastModified })}\n`));
    return writer;
  }

  #pathOf(url: string): string {
    return join(this.#directory, hash('sha256', url));
  }
}

/** Writes a copy while the list is read. Copies are an additional safety: an error of the disk ends the copy only. */
export class CopyWriter {
  readonly #path: string;
  readonly #temporary: string;
  readonly #failed: (error: unknown) => void;
  /** Undefined before the beginning, after the end and after an error. */
  #file: FileHandle | undefined;

  constructor(path: string, failed: (error: unknown) => void) {
    this.#path = path;
    this.#temporary = `${path}.${randomUUID()}`;
    this.#failed = failed;
  }

  /** Creates the file, in a directory that may not exist. */
  async begin(directory: string, header: Buffer): Promise<void> {
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      this.#file = await open(this.#temporary, 'wx', 0o600);
      await this.#file.writeFile(header);
    } catch (error) {
      await this.#fail(error);
    }
  }

  /** Writes and passes on each chunk. */
  async *through(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of bytes) {
      await this.#file?.writeFile(chunk).catch(async (error: unknown) => this.#fail(error));
      yield chunk;
    }
  }

  /** Replaces the previous copy. */
  async finish(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return;
    try {
      await file.sync();
      await file.close();
      await rename(this.#temporary, this.#path);
      this.#file = undefined;
    } catch (error) {
      await this.#fail(error);
    }
  }

  /** Removes what was written; has no effect after {@link finish}. */
  async discard(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    if (file === undefined) return;
    await file.close().catch(() => undefined);
    await rm(this.#temporary, { force: true }).catch(() => undefined);
  }

  async #fail(error: unknown): Promise<void> {
    await this.discard();
    this.#failed(error);
  }
}
