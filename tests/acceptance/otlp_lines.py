"""Reads OTLP/JSON lines with OpenTelemetry's own messages, in which no unknown field or wrong type passes. JSON of
protobuf has bytes in base64, OTLP's has ids in hexadecimal."""

import base64
import json
import sys

from google.protobuf.json_format import ParseDict
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

KINDS = {"resourceSpans": TracesData, "resourceMetrics": MetricsData, "resourceLogs": LogsData}


def with_bytes(value):
    if isinstance(value, list):
        return [with_bytes(item) for item in value]
    if not isinstance(value, dict):
        return value
    ids = {"traceId", "spanId", "parentSpanId"}
    return {
        key: base64.b64encode(bytes.fromhex(item)).decode() if key in ids else with_bytes(item)
        for key, item in value.items()
    }


for line in sys.stdin:
    data = json.loads(line)
    (kind,) = data
    read = ParseDict(with_bytes(data), KINDS[kind]())
    print(kind, len(read.SerializeToString()))
