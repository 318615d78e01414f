"""Serves a GGUF model with llama.cpp: llama_server.py PACKAGES MODEL [TEMPLATE]. Prints the address and ends with its
input. TEMPLATE is a file: the chat template in the model's stead."""

import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
import xllamacpp  # noqa: E402

params = xllamacpp.CommonParams()
params.model.path = sys.argv[2]
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_ctx = 8192
params.n_parallel = 1
# Several wait for each other busily, which takes minutes where other tests share the processors.
params.cpuparams.n_threads = 1
params.use_jinja = True
if len(sys.argv) > 3:
    params.chat_template = Path(sys.argv[3]).read_text(encoding="utf-8")
params.sampling.temp = 0
params.sampling.seed = 7
server = xllamacpp.Server(params)
print("listening on", server.listening_address, flush=True)
sys.stdin.read()
