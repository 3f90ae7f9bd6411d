/**
 * The functions that a PAC script may call, as a script for its sandbox. `pacResolve(name, all)` and `pacOwnAddress(all)` are provided
 * by the host. They behave as those of Chromium, with which a test compares them; `shExpMatch` builds a regular expression of which `.`, `*` and `?` are replaced only,
 * because scripts rely on alternatives such as `(*.a.example|*.b.example)`.
 */
export const PAC_FUNCTIONS = String.raw`
'use strict';
(function (global) {
  var DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
  var MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

  function ipv4(text) {
    var parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
    if (!parts) return null;
    var number = 0;
    for (var i = 1; i <= 4; i++) {
      if (parts[i] > 255) return null;
      number = number * 256 + Number(parts[i]);
    }
    return number >>> 0;
  }

  /** Removes GMT from the end of arguments, and returns the parts of the current time. */
  function now(args) {
    var isUtc = args[args.length - 1] === 'GMT';
    if (isUtc) args.pop();
    var date = new Date();
    return isUtc
      ? { day: date.getUTCDay(), date: [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()], time: [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()] }
      : { day: date.getDay(), date: [date.getFullYear(), date.getMonth(), date.getDate()], time: [date.getHours(), date.getMinutes(), date.getSeconds()] };
  }

  /** Whether a value is in a range that may pass the end of its cycle. */
  function within(value, from, to) {
    return from <= to ? value >= from && value <= to : value >= from || value <= to;
  }

  function seconds(time) {
    return (time[0] * 60 + time[1]) * 60 + time[2];
  }

  var functions = {
    alert: function () {},
    isPlainHostName: function (host) {
      return String(host).search(/[.:]/) === -1;
    },
    dnsDomainIs: function (host, domain) {
      return host.length >= domain.length && host.substring(host.length - domain.length) === domain;
    },
    localHostOrDomainIs: function (host, name) {
      return host === name || name.lastIndexOf(host + '.', 0) === 0;
    },
    dnsDomainLevels: function (host) {
      return host.split('.').length - 1;
    },
    shExpMatch: function (text, pattern) {
      var expression = String(pattern).replace(/\./g, '\\.').replace(/\*/g, '.*').replace(/\?/g, '.');
      return new RegExp('^' + expression + '$').test(text);
    },
    dnsResolve: function (host) {
      return pacResolve(String(host), false);
    },
    dnsResolveEx: function (host) {
      return pacResolve(String(host), true) || '';
    },
    isResolvable: function (host) {
      return pacResolve(String(host), false) !== null;
    },
    isResolvableEx: function (host) {
      return pacResolve(String(host), true) !== null;
    },
    isInNet: function (host, network, mask) {
      var address = ipv4(host);
      if (address === null) {
        var resolved = pacResolve(String(host), false);
        address = resolved === null ? null : ipv4(resolved);
      }
      var first = ipv4(network), bits = ipv4(mask);
      return address !== null && first !== null && bits !== null && (address & bits) === (first & bits);
    },
    isInNetEx: function (host, prefix) {
      return pacInNetwork(String(host), String(prefix));
    },
    sortIpAddressList: function (list) {
      return String(list);
    },
    myIpAddress: function () {
      return pacOwnAddress(false);
    },
    myIpAddressEx: function () {
      return pacOwnAddress(true);
    },
    getClientVersion: function () {
      return '1.0';
    },
    weekdayRange: function () {
      var args = [].slice.call(arguments), at = now(args).day;
      var from = DAYS.indexOf(args[0]), to = args.length > 1 ? DAYS.indexOf(args[1]) : from;
      return from !== -1 && to !== -1 && within(at, from, to);
    },
    timeRange: function () {
      var args = [].slice.call(arguments), time = now(args).time, half = args.length / 2;
      if (args.length === 1) return time[0] === args[0];
      if (args.length === 2) return time[0] >= args[0] && time[0] <= args[1];
      if (args.length !== 4 && args.length !== 6) throw new Error('timeRange: bad number of arguments');
      var from = args.slice(0, half), to = args.slice(half);
      if (half === 2) {
        from.push(0);
        to.push(args.length === 4 ? 59 : 0);
      }
      return within(seconds(time), seconds(from), seconds(to));
    },
    dateRange: function () {
      var args = [].slice.call(arguments), today = now(args).date;
      function kindOf(value) {
        return typeof value === 'string' ? 1 : value > 31 ? 0 : 2;
      }
      function valueOf(value) {
        return typeof value === 'string' ? MONTHS.indexOf(value.toUpperCase()) : value;
      }
      if (args.length === 1) return today[kindOf(args[0])] === valueOf(args[0]);
      var half = args.length / 2, from = 0, to = 0, value = 0;
      if (half !== 1 && half !== 2 && half !== 3) throw new Error('dateRange: bad number of arguments');
      var hasYear = false, weights = [372, 31, 1];
      for (var i = 0; i < half; i++) {
        var kind = kindOf(args[i]);
        hasYear = hasYear || kind === 0;
        from += weights[kind] * valueOf(args[i]);
        to += weights[kind] * valueOf(args[half + i]);
        value += weights[kind] * today[kind];
      }
      return hasYear ? value >= from && value <= to : within(value, from, to);
    },
  };
  for (var name in functions) global[name] = functions[name];
  // Chromium has one, and scripts write to it.
  global.console = {};
  'assert clear count debug dir error group groupEnd info log table time timeEnd trace warn'.split(' ').forEach(function (method) {
    global.console[method] = function () {};
  });
})(globalThis);
`;
