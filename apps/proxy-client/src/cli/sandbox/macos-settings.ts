import type { ProxyClientConfig } from '../../config/proxy-client-config.js';

/**
 * Returns how a command is confined on macOS, where there is no bwrap: by @anthropic-ai/sandbox-runtime, which lets it reach nothing but
 * a listener of proxy-client. It was not tested.
 */
export function macosSettings({ listeners }: Pick<ProxyClientConfig, 'listeners'>): string {
  const port = listeners[0]?.port;
  const settings = {
    network: { allowedDomains: [], deniedDomains: [], httpProxyPort: port, socksProxyPort: port },
    filesystem: {
      denyRead: ['~/.ssh', '~/.aws', '~/.gnupg'],
      allowWrite: ['.'],
      denyWrite: ['.git/hooks', '.git/config'],
    },
  };
  return (
    'run needs bwrap, which exists for Linux only. On macOS start proxy-client with this configuration and --mode mixed, and the command ' +
    `with srt of @anthropic-ai/sandbox-runtime and these settings (not tested): ${JSON.stringify(settings)}`
  );
}
