"""Ledgers for tests of chaincode: needs the command ledger-tool, and only Python's standard library."""

import json
import os
import subprocess
import urllib.error
import urllib.request


class Refused(Exception):
    """A refused call, with its code of docs/errors.md."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Server:
    """A process with ledgers for tests. It ends with this process."""

    def __init__(self, *options):
        command = os.environ.get("LEDGER_TOOL", "ledger-tool").split()
        self._process = subprocess.Popen(
            [*command, "serve", "--ephemeral", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.keys = self._answer()["keys"]

    def open(self):
        return Ledger(self, **self._command("open"))

    def close(self):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def _command(self, text):
        self._process.stdin.write(text + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self):
        line = self._process.stdout.readline()
        if line == "":
            raise RuntimeError("the ledger could not be started")
        return json.loads(line)


class Ledger:
    """A ledger that begins with an empty chain."""

    def __init__(self, server, url, channel):
        self._server, self._url, self._channel = server, url, channel

    def submit(self, chaincode, function, *arguments, caller="test"):
        return self._call("submit", chaincode, function, arguments, caller)

    def evaluate(self, chaincode, function, *arguments, caller="test"):
        data = self._call("evaluate", chaincode, function, arguments, caller)
        return data.get("result", data["payload"])

    def close(self):
        self._server._command(f"close {self._channel}")

    def _call(self, kind, chaincode, function, arguments, caller):
        request = urllib.request.Request(
            f"{self._url}/contracts/{chaincode}/{kind}",
            data=json.dumps({"function": function, "arguments": arguments}).encode(),
            headers={"Content-Type": "application/json", "X-API-Key": self._server.keys[caller]},
        )
        try:
            with urllib.request.urlopen(request) as response:
                return json.load(response)["data"]
        except urllib.error.HTTPError as error:
            with error:
                raise Refused(error.headers["X-Error-Code"], json.load(error)["message"]) from None
