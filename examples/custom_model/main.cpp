// A worker that knows FNet beside the built-in families: transformeter run --worker custom-model-worker --model
// fnet-test
#include <transformeter/worker.h>

#include "byte_tokenizer.h"
#include "fnet.h"

int main(int argc, char** argv) {
  transformeter::WorkerParts parts = transformeter::builtin_parts();
  parts.models.add(example::fnet_architecture(), example::make_fnet);
  parts.tokenizers["fnet"] = [](const std::filesystem::path&) { return std::make_unique<example::ByteTokenizer>(); };
  transformeter::run_worker(argc, argv, parts, "custom-model-worker");
}
