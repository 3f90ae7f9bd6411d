import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runTool } from './run-tool.js';
import type { Handler } from './web-origin.js';

const WHEEL = 'tiny_thing-1.2.3-py3-none-any.whl';

/**
 * Creates a package index of Python with one package, `tiny-thing` 1.2.3, whose module has the constant ANSWER.
 *
 * @param python - packs it
 * @param directory - an empty `wheel` is made in it
 */
export async function packageIndexOf(python: string, directory: string): Promise<Handler> {
  const source = join(directory, 'wheel');
  const info = 'tiny_thing-1.2.3.dist-info';
  mkdirSync(join(source, info), { recursive: true });
  writeFileSync(join(source, 'tiny_thing.py'), 'ANSWER = 42\n');
  writeFileSync(join(source, info, 'METADATA'), 'Metadata-Version: 2.1\nName: tiny-thing\nVersion: 1.2.3\n');
  writeFileSync(join(source, info, 'WHEEL'), 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n');
  const files = ['tiny_thing.py', `${info}/METADATA`, `${info}/WHEEL`, `${info}/RECORD`];
  writeFileSync(join(source, info, 'RECORD'), files.map((name) => `${name},,\n`).join(''));
  const { code, stderr } = await runTool(python, ['-m', 'zipfile', '-c', WHEEL, 'tiny_thing.py', info], {
    cwd: source,
  });
  if (code !== 0) throw new Error(`The package was not packed: ${stderr}`);
  const wheel = readFileSync(join(source, WHEEL));
  const digest = createHash('sha256').update(wheel).digest('hex');
  return (request, response) => {
    response.setHeader('Content-Type', 'text/html');
    if (request.url === `/${WHEEL}`) response.end(wheel);
    else if (request.url === '/simple/tiny-thing/') response.end(`<a href="/${WHEEL}#sha256=${digest}">${WHEEL}</a>`);
    else response.writeHead(404).end();
  };
}
