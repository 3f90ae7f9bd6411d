import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Makes a Python client of an OpenAPI document, in a virtual environment, as `client` in the directory.
 * @param document - a path or a URL
 * @returns the reason if Python or its packages are not to be had
 */
export async function makePythonClient(directory: string, document: string): Promise<string | undefined> {
  try {
    await run('python3', ['-m', 'venv', join(directory, 'venv')]);
    const install = ['install', '--quiet', '--disable-pip-version-check', 'openapi-python-client==0.29.1'];
    await run(join(directory, 'venv/bin/pip'), install);
  } catch (error) {
    return `Python and its packages are needed: ${(error as Error).message.split('\n')[0] ?? ''}`;
  }
  const source = document.startsWith('http') ? ['--url', document] : ['--path', document];
  const made = ['generate', ...source, '--meta', 'none', '--output-path', join(directory, 'client')];
  await run(join(directory, 'venv/bin/openapi-python-client'), made);
  return undefined;
}

/** The Python of the environment. */
export function pythonOf(directory: string): string {
  return join(directory, 'venv/bin/python');
}
