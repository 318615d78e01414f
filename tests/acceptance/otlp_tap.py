"""A receiver that others wrote: prints what it gets, an object a line, until its standard input ends."""

import asyncio
import json
import sys

from google.protobuf.json_format import MessageToDict
from oteltap import OtelTapHttpProtobufReceiver, OtelTapHttpProtobufReceiverSettings


async def tell(kind, items):
    async for item in items:
        print(json.dumps({"type": kind, "payload": MessageToDict(item)}), flush=True)


async def main():
    settings = OtelTapHttpProtobufReceiverSettings(http_port=int(sys.argv[1]), listen_on_all_interfaces=False)
    async with OtelTapHttpProtobufReceiver(settings) as receiver:
        streams = {
            "span": receiver.stream_traces(),
            "metric": receiver.stream_metrics(),
            "log": receiver.stream_logs(),
        }
        telling = [asyncio.ensure_future(tell(*stream)) for stream in streams.items()]
        await asyncio.sleep(0)
        print(json.dumps({"type": "ready"}), flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        for task in telling:
            task.cancel()


asyncio.run(main())
