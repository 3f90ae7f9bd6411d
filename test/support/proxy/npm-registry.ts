import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runTool } from './run-tool.js';
import type { Handler } from './web-origin.js';

/**
 * A registry of npm with one package, `tiny-thing` 1.2.3, whose module is 42.
 *
 * @param npm - packs it
 * @param directory - an empty `source` is made in it
 */
export async function registryOf(npm: string, directory: string): Promise<Handler> {
  const source = join(directory, 'source');
  mkdirSync(source);
  writeFileSync(join(source, 'package.json'), JSON.stringify({ name: 'tiny-thing', version: '1.2.3' }));
  writeFileSync(join(source, 'index.js'), 'module.exports = 42;\n');
  const { code, stdout, stderr } = await runTool(npm, ['pack', '--silent'], { cwd: source });
  if (code !== 0) throw new Error(`npm pack failed: ${stderr}`);
  const tarball = readFileSync(join(source, stdout.trim()));
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  return (request, response) => {
    const dist = { tarball: `http://${request.headers.host ?? ''}/tiny-thing.tgz`, integrity };
    const versions = { '1.2.3': { name: 'tiny-thing', version: '1.2.3', dist } };
    if (request.url === '/tiny-thing.tgz') response.end(tarball);
    else if (request.url === '/tiny-thing') {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ name: 'tiny-thing', 'dist-tags': { latest: '1.2.3' }, versions }));
    } else response.writeHead(404).end('{}');
  };
}
