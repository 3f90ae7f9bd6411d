import { ProxyStats, SOCKS_ERROR_KEYS } from './proxy-stats.js';

describe('ProxyStats', () => {
  it('has every SOCKS5 category at 0 from the start', () => {
    const { socks5Errors } = new ProxyStats().snapshot();
    expect(socks5Errors).toEqual({
      general_failure: 0,
      not_allowed: 0,
      network_unreachable: 0,
      host_unreachable: 0,
      connection_refused: 0,
      ttl_expired: 0,
      command_not_supported: 0,
      address_not_supported: 0,
      auth_failed: 0,
      connection_failed: 0,
      timeout: 0,
      protocol_error: 0,
    });
  });

  it('counts each category separately', () => {
    const stats = new ProxyStats();
    SOCKS_ERROR_KEYS.forEach((key, index) => {
      for (let count = 0; count <= index; count += 1) stats.socksError(key);
    });
    expect(Object.values(stats.snapshot().socks5Errors)).toEqual(SOCKS_ERROR_KEYS.map((_, index) => index + 1));
  });

  it('counts connections and requests', () => {
    const stats = new ProxyStats();
    stats.connectionOpened();
    stats.connectionOpened();
    stats.connectionClosed();
    stats.requestSucceeded();
    stats.requestSucceeded();
    stats.requestFailed();
    stats.requestRejected();
    stats.requestRejected();
    stats.requestRejected();
    expect(stats.snapshot()).toMatchObject({
      totalConnections: 2,
      activeConnections: 1,
      successfulRequests: 2,
      failedRequests: 1,
    });
    expect(stats).toMatchObject({ activeConnections: 1, connectionChanges: 3 });
  });

  it('counts bytes of sockets without the handshake', () => {
    const stats = new ProxyStats();
    const socket = { bytesRead: 12, bytesWritten: 13 };
    const metered = stats.trackUpstream(socket, socket);
    socket.bytesRead += 1000;
    socket.bytesWritten += 10;
    expect(stats.snapshot()).toMatchObject({ bytesSent: 10, bytesReceived: 1000 });
    metered.end();
    expect(stats.snapshot()).toMatchObject({ bytesSent: 10, bytesReceived: 1000 });
  });

  it('measures the uptime with its clock and the start with the wall clock', () => {
    let now = 5000;
    const before = Date.now();
    const stats = new ProxyStats(() => now);
    now += 9_015_000;
    const { uptime, startTime } = stats.snapshot();
    expect(uptime).toBe(9_015_000);
    expect(startTime.getTime()).toBeGreaterThanOrEqual(before);
    expect(startTime.getTime()).toBeLessThanOrEqual(Date.now());
  });

  it('returns a snapshot that later counts do not change', () => {
    const stats = new ProxyStats();
    const snapshot = stats.snapshot();
    stats.socksError('timeout');
    expect(snapshot.socks5Errors.timeout).toBe(0);
    expect(new ProxyStats().snapshot().uptime).toBeLessThan(60_000);
  });

  it('counts each user, up to a limit', () => {
    const stats = new ProxyStats();
    stats.requestSucceeded('ann');
    stats.requestFailed('ann');
    stats.requestSucceeded();
    stats.trackUser('ann', { bytesRead: 3, bytesWritten: 5 }).end();
    for (let user = 0; user < 1100; user += 1) stats.requestSucceeded(`user ${user}`);
    const { users, successfulRequests } = stats.snapshot();
    expect(users[0]).toEqual({ name: 'ann', successfulRequests: 1, failedRequests: 1, bytesSent: 3, bytesReceived: 5 });
    expect([users.length, users.at(-1), successfulRequests]).toMatchObject([
      1001,
      { name: 'others', successfulRequests: 101 },
      1102,
    ]);
  });
});
