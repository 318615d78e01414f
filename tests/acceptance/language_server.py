"""Stands in for a language server: finds a word in every text that it is told of, and says so after a while."""
import json
import sys
import time


def receive():
    length = 0
    while (line := sys.stdin.buffer.readline().strip()):
        length = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(length)) if length else None


def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    sys.stdout.buffer.flush()


def publish(document, text):
    def faulty(line):
        start = {"line": line, "character": 0}
        return {"range": {"start": start, "end": start}, "severity": 1, "code": "word", "message": "a bad word"}

    faults = [faulty(number) for number, line in enumerate(text.split("\n")) if "BAD" in line]
    time.sleep(0.1)
    known = {"uri": document["uri"], "version": document["version"], "diagnostics": faults}
    send({"method": "textDocument/publishDiagnostics", "params": known})


print("started", file=open(sys.argv[1], "a") if len(sys.argv) > 1 else sys.stderr)
while (message := receive()):
    params = message.get("params") or {}
    match message.get("method"):
        case "initialize":
            send({"id": message["id"], "result": {"capabilities": {"textDocumentSync": 1}}})
        case "textDocument/didOpen":
            publish(params["textDocument"], params["textDocument"]["text"])
        case "textDocument/didChange":
            if "CRASH" in params["contentChanges"][0]["text"]:
                sys.exit("Fatal: the server fell over")
            publish(params["textDocument"], params["contentChanges"][0]["text"])
