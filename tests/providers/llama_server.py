"""Serves a GGUF model with llama.cpp: llama_server.py PACKAGES MODEL. Prints the address and ends with its input."""

import sys

sys.path.insert(0, sys.argv[1])
import xllamacpp  # noqa: E402

params = xllamacpp.CommonParams()
params.model.path = sys.argv[2]
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_ctx = 8192
params.n_parallel = 1
params.cpuparams.n_threads = 2
params.use_jinja = True
params.sampling.temp = 0
params.sampling.seed = 7
server = xllamacpp.Server(params)
print("listening on", server.listening_address, flush=True)
sys.stdin.read()
