import { describeWarning } from './terminal-log.js';

it.each([
  [{ ask: { id: '1' } }, 'a request for a.example:443 waits', 'a request for a.example:443 waits'],
  [{ err: new Error('ENOENT'), ask: '1' }, 'the command has failed', 'the command has failed: ENOENT'],
  [{ err: 'no error' }, 'it has failed', 'it has failed: no error'],
  [{ target: 'a:1' }, 'request failed', 'request failed {"target":"a:1"}'],
])('describes %j in words', (fields, message, text) => {
  expect(describeWarning(fields, message)).toBe(text);
});
