import { macosSettings } from './macos-settings.js';

it('names the port of the first listener for both protocols', () => {
  const text = macosSettings({ listeners: [{ mode: 'mixed', host: '127.0.0.1', port: 8081, allowedHosts: [] }] });
  const settings = JSON.parse(text.slice(text.indexOf('{'))) as { network: object };
  expect(settings.network).toMatchObject({ httpProxyPort: 8081, socksProxyPort: 8081, allowedDomains: [] });
  expect(text).toContain('not tested');
});
