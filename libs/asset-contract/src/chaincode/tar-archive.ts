import { gzipSync } from 'node:zlib';

/** One file of an archive; its path has `/` between the parts and at most 100 bytes. */
export interface ArchiveFile {
  readonly path: string;
  readonly content: string | Uint8Array;
}

const BLOCK = 512;

/**
 * A gzipped tar archive (POSIX ustar) that depends on nothing but its files: no times, no owners, stored and not
 * compressed, so that the same files make the same bytes, and thus the same Fabric package id, on every machine.
 */
export function tarArchive(files: readonly ArchiveFile[]): Buffer {
  const parts = files.flatMap(({ path, content }) => {
    const bytes = Buffer.from(content);
    const padding = Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK);
    return [header(path, bytes.length), bytes, padding];
  });
  const archive = gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]), { level: 0 });
  // Byte 9 of the gzip header (RFC 1952) names the operating system; 255 is unknown.
  archive[9] = 255;
  return archive;
}

/*
 * name 100 | mode 8 | uid 8 | gid 8 | size 12 | mtime 12 | checksum 8 | type 1 | link 100 | "ustar\0" "00" | …
 */
function header(path: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  if (Buffer.byteLength(path) > 100) throw new RangeError(`too long a path for an archive: ${path}`);
  block.write(path, 0);
  block.write('0000644\0', 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write('00000000000\0', 136);
  block.write('        ', 148);
  block.write('0', 156);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
