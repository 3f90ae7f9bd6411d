import { proxyVariables, settingsFiles } from './tool-settings.js';

const URL_OF_PROXY = 'http://127.0.0.1:3128';

describe('proxyVariables', () => {
  it('name the proxy by its address in every form that programs read', () => {
    const variables = proxyVariables(URL_OF_PROXY, {});
    expect(variables).toMatchObject({
      ...{ http_proxy: URL_OF_PROXY, HTTPS_PROXY: URL_OF_PROXY, grpc_proxy: URL_OF_PROXY },
      ...{ RSYNC_PROXY: '127.0.0.1:3128', CLOUDSDK_PROXY_ADDRESS: '127.0.0.1', CLOUDSDK_PROXY_PORT: '3128' },
      JAVA_TOOL_OPTIONS:
        '-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=3128 -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=3128 ' +
        '-Dhttp.nonProxyHosts=localhost|127.*|[::1]',
    });
    // curl would use it for FTP, in which an HTTP proxy is no help.
    expect(Object.keys(variables)).not.toContain('ftp_proxy');
  });

  it('leaves the last word to the options of a person', () => {
    const { JAVA_TOOL_OPTIONS } = proxyVariables(URL_OF_PROXY, { JAVA_TOOL_OPTIONS: '-Dhttp.proxyHost=mine' });
    expect(JAVA_TOOL_OPTIONS).toMatch(/-Dhttp\.proxyHost=127\.0\.0\.1 .* -Dhttp\.proxyHost=mine$/);
  });
});

describe('settingsFiles', () => {
  it('let ssh and Subversion use the proxy', () => {
    const [ssh, svn] = settingsFiles(URL_OF_PROXY, ['/opt/my node', '/lib/connect.js']);
    expect(ssh?.content).toContain(
      'ProxyCommand "/opt/my node" "/lib/connect.js" "--proxy" "http://127.0.0.1:3128" %h %p\n',
    );
    expect(svn?.content).toContain('http-proxy-host = 127.0.0.1\nhttp-proxy-port = 3128\n');
  });
});
